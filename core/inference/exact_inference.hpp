#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "inference/calibrated_tree.hpp"
#include "inference/clique_tree.hpp"
#include "inference/evidence.hpp"
#include "inference/inference_cost.hpp"
#include "inference/reduced_network.hpp"
#include "inference/scaled_number.hpp"
#include "inference/tabular_network.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Joint states of all variables, and their probability together with the evidence.
struct MostProbable {
    std::vector<std::uint32_t> states;
    ScaledNumber probability;
};

/// What a query may use.
struct QueryLimits {
    double max_bytes;
    RunControl& control;
};

/// Exact answers to single queries. Threads may share one. Queries throw InferenceTooLarge before
/// they allocate more than they may, InferenceInterrupted if they are stopped, and
/// std::invalid_argument for evidence or targets that are none.
class ExactInference {
public:
    /// Keeps a reference to the network. `order`: an elimination order of all variables that is
    /// known to be good; others are tried too. What takes more than `max_kept_bytes` is not kept
    /// for the next query.
    ExactInference(const TabularNetwork& network, std::vector<VariableId> order,
                   double max_kept_bytes);

    /// What `marginals` takes as the first query; nothing is allocated.
    InferenceCost cost(const Evidence& evidence, RunControl& control);

    ScaledNumber probability(const Evidence& evidence, const QueryLimits& limits);

    /// Joint distribution of the targets given the evidence, the last one's state changing fastest.
    /// Targets that are observed have their state. Empty if the evidence is impossible.
    std::vector<double> posterior(const std::vector<VariableId>& targets, const Evidence& evidence,
                                  const QueryLimits& limits);

    /// Distributions of all variables given the evidence, one after the other. Empty if the
    /// evidence is impossible.
    std::vector<double> marginals(const Evidence& evidence, const QueryLimits& limits);

    /// The most probable joint states that agree with the evidence. Of equally probable ones, the
    /// same every time. The probability is 0 if the evidence is impossible.
    MostProbable most_probable(const Evidence& evidence, const QueryLimits& limits);

private:
    /// An elimination order of all variables, and what the calibrated tree along it takes.
    struct BestOrder {
        std::vector<VariableId> order;
        double tree_bytes;
        double tree_entries;
    };

    const BestOrder& best_order(RunControl& control);
    std::unique_ptr<const BestOrder> searched_order(RunControl& control) const;
    bool can_keep(const BestOrder& best, double max_bytes) const;
    bool has_marginals_on_kept(const Evidence& evidence, const QueryLimits& limits);
    const CalibratedTree* calibrated(const QueryLimits& limits);
    std::vector<double> single_posterior(VariableId target, const Evidence& evidence,
                                         const QueryLimits& limits);
    std::vector<double> own_posterior(std::span<const VariableId> targets,
                                      std::span<const VariableId> free, const Evidence& evidence,
                                      const ReducedNetwork& reduced, const CliqueTree& tree,
                                      const QueryLimits& limits);
    std::vector<double> own_marginals(const Evidence& evidence, const QueryLimits& limits);
    template <class Thing>
    const Thing* kept(const std::unique_ptr<const Thing>& place);
    template <class Thing>
    const Thing& keep(std::unique_ptr<const Thing>& place, std::unique_ptr<const Thing> made);
    CliqueTree tree_of(const ReducedNetwork& reduced, std::span<const VariableId> together,
                       RunControl& control);

    const TabularNetwork& network_;
    double max_kept_bytes_;
    std::vector<VariableId> order_;  // as given

    // Made by the first query that needs them, and never changed. The lock is not held meanwhile: a
    // heartbeat runs signal handlers of Python, which may ask the next query from within this one.
    // So several queries may make the same; the first to finish is kept.
    std::unique_ptr<const BestOrder> best_order_;
    std::unique_ptr<const CalibratedTree> calibrated_;
    std::mutex mutex_;  // of these two
};

}  // namespace baytree
