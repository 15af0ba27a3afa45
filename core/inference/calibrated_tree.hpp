#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inference/clique_tree.hpp"
#include "inference/evidence.hpp"
#include "inference/reduced_network.hpp"
#include "inference/scaled_number.hpp"
#include "inference/table_kernels.hpp"
#include "inference/table_values.hpp"
#include "inference/work_meter.hpp"

namespace baytree {

/// A clique tree of a whole network that holds the distribution of every clique before anything is
/// observed. Evidence changes it along the paths between observed variables alone, and beyond them
/// only as far as its influence reaches. Immutable, so threads share one without locks.
class CalibratedTree {
public:
    /// Propagates once; `order` eliminates all variables of the network.
    CalibratedTree(const TabularNetwork& network, std::span<const VariableId> order,
                   WorkMeter& meter);

    /// Bytes that a tree holds, and at most a query on it.
    static double bytes(const CliqueTree& tree) {
        return 16.0 * (tree.cost().total_entries + tree.n_separator_entries());
    }

    /// Whether probabilities are so small that products of them could vanish: ask no queries then.
    bool is_fragile() const noexcept { return is_fragile_; }

    /// Entries that the next two calls work on, more or less.
    double entries_for(const Evidence& evidence, std::optional<VariableId> target) const;

    ScaledNumber probability(const Evidence& evidence, WorkMeter& meter) const;

    /// The distribution of a variable that is not observed; empty if the evidence is impossible.
    std::vector<double> posterior(VariableId target, const Evidence& evidence,
                                  WorkMeter& meter) const;

    /// Distributions of all variables of the network, one after the other; empty if the evidence is
    /// impossible.
    std::vector<double> marginals(const Evidence& evidence, WorkMeter& meter) const;

private:
    class Update;

    /// A weight for each state of a variable of the reduced network.
    struct Finding {
        std::size_t clique;
        TableAxis axis;
        std::vector<double> weights;
    };

    void keep_tables(WorkMeter& meter);
    void keep_plans();
    void keep_marginals(WorkMeter& meter);
    std::vector<Finding> findings(const Evidence& evidence) const;
    TableAxis axis_in(std::size_t clique, VariableId variable) const;
    /// Adds the distributions of a clique's own variables, from its table.
    void add_own_marginals(std::size_t clique, std::span<const double> table,
                           std::span<double> marginals, WorkMeter& meter) const;

    const TabularNetwork& network_;
    Evidence nothing_;
    ReducedNetwork whole_;
    CliqueTree tree_;
    std::vector<std::size_t> home_;        // of every variable: its clique nearest to a root
    std::vector<std::size_t> root_of_;     // every clique
    std::vector<TableValues> tables_;      // of every clique, sum 1
    std::vector<TableValues> separators_;  // of every clique with its parent, sum 1
    std::vector<Broadcast> in_parent_;     // where the separator lies in the parent
    std::vector<std::size_t> begins_;      // of every variable of the network in marginals
    std::vector<double> marginals_;
    bool is_fragile_ = false;
};

}  // namespace baytree
