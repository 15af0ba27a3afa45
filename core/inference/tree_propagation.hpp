#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "inference/clique_tree.hpp"
#include "inference/reduced_network.hpp"
#include "inference/scaled_number.hpp"
#include "inference/table_kernels.hpp"
#include "inference/table_values.hpp"
#include "inference/work_meter.hpp"

namespace baytree {

/// Passes messages along a clique tree of a reduced network ([lauritzen-spiegelhalter], with the
/// divisions of [jensen]). Every message is scaled by a power of 2, so nothing underflows.
class TreePropagation {
public:
    /// Keeps references.
    TreePropagation(const ReducedNetwork& network, const CliqueTree& tree, WorkMeter& meter);

    /// Bytes that the calls below hold at most.
    static double bytes_to_sum(const CliqueTree& tree);
    static double bytes_to_share(const CliqueTree& tree);
    static double bytes_to_maximise(const CliqueTree& tree);

    /// Sum of the product of all factors. Leaves the table of the first root behind.
    ScaledNumber sum();
    std::span<const double> first_root() const noexcept {
        return std::span(buffer_).first(tree_.cliques().front().size());
    }

    /// Sums towards the roots and back. Leaves the tables of all cliques behind, each in proportion
    /// to the distribution of its variables. Returns the sum of the product of all factors.
    ScaledNumber share();
    /// After `share`: the distribution of one variable, to be added to `sums`.
    void add_marginal(VariableId variable, std::span<double> sums);
    /// After `share`.
    std::vector<TableValues> take_tables() && { return std::move(tables_); }

    /// The largest product of all factors, and states of all variables that have it. Of equal
    /// states the first in the order of the cliques' tables are chosen.
    ScaledNumber maximise(std::span<std::uint32_t> states);

private:
    void fill(std::size_t clique, std::span<double> table);
    void multiply_in(std::span<double> table, const double* part, bool is_first);
    void multiply_factor(std::size_t clique, std::size_t factor, std::span<double> table,
                         bool is_first);
    void share_with_children(std::size_t clique);
    void trace_back(std::span<const std::vector<std::uint32_t>> best,
                    std::span<std::uint32_t> states) const;

    const ReducedNetwork& network_;
    const CliqueTree& tree_;
    WorkMeter& meter_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<std::vector<std::size_t>> factors_;  // by clique
    std::vector<TableValues> messages_;              // of each clique to its parent
    std::vector<TableValues> tables_;
    std::vector<std::vector<std::size_t>> tables_of_;  // by variable: cliques that hold it
    TableValues buffer_;                               // for one clique after the other
    Broadcast plan_;  // and other memory that is used again and again
    std::vector<std::uint8_t> is_kept_;
    TableValues part_;
};

}  // namespace baytree
