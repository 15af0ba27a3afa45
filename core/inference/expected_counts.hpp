#pragma once

#include <span>
#include <vector>

#include "inference/row_blocks.hpp"
#include "inference/row_network.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// How often each joint state of each family occurs in a table, missing cells filled in
/// expectation.
struct ExpectedCounts {
    /// One table behind the other, as RowNetwork::first_entry says.
    std::vector<double> counts;
    /// Weighted sum of the natural logarithms of the rows' probabilities.
    double log_likelihood = 0.0;
};

/// The exact counts under the network. `weights` is empty (every row counts once) or holds a finite
/// number of at least zero for each row. Impossible rows count for nothing but the likelihood. The
/// result does not depend on the number of threads; after a stop request it is of no use. Throws
/// RowsTooLarge where a row would take more memory than the limits allow.
ExpectedCounts expected_counts(const RowNetwork& network, const RowTable& table,
                               std::span<const double> weights, const RowLimits& limits,
                               RunControl& control);

/// In how many parts rows are counted: at least one, and never by the number of threads.
std::size_t number_of_parts(const RowNetwork& network, std::size_t n_rows);
/// Counts of nothing, for each part.
std::vector<ExpectedCounts> empty_counts(const RowNetwork& network, std::size_t n_rows);
/// The sum of one part or more, added in order, so that threads do not change it.
ExpectedCounts summed(std::vector<ExpectedCounts> parts);

/// The counts of each family over the rows where it has no missing cell.
std::vector<double> complete_counts(const RowNetwork& network, const RowTable& table,
                                    std::span<const double> weights, const RowLimits& limits,
                                    RunControl& control);

}  // namespace baytree
