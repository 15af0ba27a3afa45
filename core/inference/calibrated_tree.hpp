#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/clique_tree.hpp"
#include "inference/evidence.hpp"
#include "inference/reduced_network.hpp"
#include "inference/table_kernels.hpp"
#include "inference/table_values.hpp"
#include "inference/work_meter.hpp"

namespace baytree {

/// A clique tree of a whole network that holds the distribution of every clique before anything is
/// observed, for TreeQuery. Immutable, so threads share one without locks.
class CalibratedTree {
public:
    /// Propagates once; `order` eliminates all variables of the network.
    CalibratedTree(const TabularNetwork& network, std::span<const VariableId> order,
                   WorkMeter& meter);

    /// Bytes that a tree holds, and at most a query on it.
    static double bytes(const CliqueTree& tree) {
        return 16.0 * tree.cost().total_entries + 24.0 * tree.n_separator_entries();
    }

    /// Whether probabilities are so small that products of them could vanish: ask no queries then.
    bool is_fragile() const noexcept { return is_fragile_; }

private:
    friend class TreeQuery;

    void find_homes();
    void keep_tables(WorkMeter& meter);
    void keep_plans();
    void keep_marginals(WorkMeter& meter);

    /// The clique of a variable with several states that is nearest to a root.
    std::size_t home_of(VariableId variable) const { return home_[whole_.number_of[variable]]; }
    TableAxis axis_at_home(VariableId variable) const { return axes_[whole_.number_of[variable]]; }
    /// Adds the distributions of a clique's own variables, from its table.
    void add_own_marginals(std::size_t clique, std::span<const double> table,
                           std::span<double> marginals, WorkMeter& meter) const;

    const TabularNetwork& network_;
    Evidence nothing_;
    ReducedNetwork whole_;
    CliqueTree tree_;
    std::vector<std::size_t> home_;        // of every variable: its clique nearest to a root
    std::vector<TableAxis> axes_;          // of every variable in that clique
    std::vector<std::size_t> root_of_;     // every clique
    std::vector<TableValues> tables_;      // of every clique, sum 1
    std::vector<TableValues> separators_;  // of every clique with its parent, sum 1
    std::vector<Broadcast> in_parent_;     // where the separator lies in the parent
    std::vector<std::size_t> begins_;      // of every variable of the network in marginals
    std::vector<double> marginals_;
    bool is_fragile_ = false;
};

}  // namespace baytree
