#include "runtime/instruction_set.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace baytree {

std::vector<InstructionSet> supported_instruction_sets() {
    std::vector<InstructionSet> sets{InstructionSet::portable};
#ifdef BAYTREE_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("popcnt")) sets.push_back(InstructionSet::popcnt);
    if (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("bmi2"))
        sets.push_back(InstructionSet::avx2);
    if (sets.back() == InstructionSet::avx2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        sets.push_back(InstructionSet::avx512);
#endif
    return sets;
}

InstructionSet best_instruction_set() {
    static const InstructionSet best = supported_instruction_sets().back();
    return best;
}

std::string_view name_of(InstructionSet set) {
    switch (set) {
        case InstructionSet::popcnt:
            return "popcnt";
        case InstructionSet::avx2:
            return "avx2";
        case InstructionSet::avx512:
            return "avx512";
        default:
            return "portable";
    }
}

InstructionSet instruction_set_named(std::string_view name) {
    const std::vector<InstructionSet> supported = supported_instruction_sets();
    const auto match =
        std::ranges::find_if(supported, [&](InstructionSet set) { return name_of(set) == name; });
    if (match == supported.end())
        throw std::invalid_argument("instruction set '" + std::string(name) +
                                    "' is not supported by this processor");
    return *match;
}

}  // namespace baytree
