#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/row_blocks.hpp"
#include "inference/row_network.hpp"
#include "runtime/large_vector.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Rows drawn from the network given evidence, column by column. `evidence` holds a code for every
/// variable, -1 where it is not observed. Row `i` depends on `seed` and `i` alone. Throws
/// std::invalid_argument if the evidence is impossible, RowsTooLarge where it takes too much
/// memory.
LargeVector<std::int32_t> sample_rows(const RowNetwork& network,
                                      std::span<const std::int32_t> evidence, std::size_t n_rows,
                                      std::uint64_t seed, const RowLimits& limits,
                                      RunControl& control);

/// For each seed, the codes of a table with the missing cells of each row drawn from their joint
/// distribution given what is observed in it. Row `i` depends on its cells, the seed and `i` alone.
/// The missing cells of a row that is impossible are drawn one by one, without evidence.
std::vector<LargeVector<std::int32_t>> draw_completions(const RowNetwork& network,
                                                        const RowTable& table,
                                                        std::span<const std::uint64_t> seeds,
                                                        const RowLimits& limits,
                                                        RunControl& control);

}  // namespace baytree
