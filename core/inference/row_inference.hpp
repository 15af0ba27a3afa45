#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "inference/row_blocks.hpp"
#include "inference/row_network.hpp"
#include "runtime/large_vector.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

// Exact answers for every row of a table, whatever is missing there. Results do not depend on the
// number of threads. After a stop request they are of no use: those of some rows have no value. All
// throw RowsTooLarge where a row would take more memory than the limits allow.

/// Natural logarithm of the probability of what is observed in each row.
LargeVector<double> log_likelihoods(const RowNetwork& network, const RowTable& table,
                                    const RowLimits& limits, RunControl& control);

enum class Completion {
    joint,        // the most probable joint states of all missing cells of a row
    independent,  // the most probable state of each missing cell
};

/// The codes of the table with its missing cells filled. Cells whose row is impossible get the most
/// probable state of their variable without evidence.
LargeVector<std::int32_t> complete_rows(const RowNetwork& network, const RowTable& table,
                                        Completion completion, const RowLimits& limits,
                                        RunControl& control);

/// For each of some variables, its distribution in each row, one behind the other, given all others
/// of them and itself hidden. Without evidence where a row is impossible. `targets` ascend.
std::vector<LargeVector<double>> target_marginals(const RowNetwork& network, const RowTable& table,
                                                  VariableSpan targets, const RowLimits& limits,
                                                  RunControl& control);

/// The distribution of every missing cell, one behind the other: by row, then by variable. Without
/// evidence where a row is impossible.
LargeVector<double> cell_marginals(const RowNetwork& network, const RowTable& table,
                                   const RowLimits& limits, RunControl& control);

}  // namespace baytree
