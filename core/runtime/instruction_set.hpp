#pragma once

#include <string_view>
#include <vector>

namespace baytree {

/// Families of machine instructions that the counting kernels are compiled for, plainest first.
enum class InstructionSet { portable, popcnt, avx2, avx512 };

/// The sets that this processor and its operating system can run; `portable` is always one.
std::vector<InstructionSet> supported_instruction_sets();

/// The fastest supported set.
InstructionSet best_instruction_set();

std::string_view name_of(InstructionSet set);

/// Throws std::invalid_argument for a name that is unknown or not supported by this processor.
InstructionSet instruction_set_named(std::string_view name);

}  // namespace baytree
