#pragma once

#include <cstddef>
#include <vector>

#include "data/variable.hpp"
#include "inference/observed_factors.hpp"
#include "inference/tabular_network.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

struct IjgpOptions {
    std::size_t i_bound = 10;
    std::size_t max_sweeps = 100;
    double tolerance = 1e-6;        // of the largest change of a message, whose largest entry is 1
    double max_entries = 1e9;       // of all tables together
    std::vector<VariableId> order;  // an elimination order to fall back to; may be empty
    std::vector<VariableId> targets;  // only their ancestors and those of evidence matter;
                                      // empty for all variables
};

struct IjgpResult {
    std::vector<std::vector<double>> marginals;  // empty for variables that do not matter
    double log_probability = 0.0;  // of the observations; minus infinity if impossible
    std::size_t n_sweeps = 0;
    double largest_change = 0.0;  // of a message in the last sweep
    bool is_converged = false;
    bool is_exact = false;  // converged on a graph without cycles
    std::size_t n_clusters = 0;
    std::size_t largest_cluster = 0;  // variables
    double n_entries = 0.0;           // of all tables together
};

/// Marginals given the observations and the probability of these, by iterative join-graph
/// propagation ([ijgp]). Stops between clusters when `control` says so. If the tables would have
/// more than `max_entries` entries, nothing is done but to say so in `n_entries`.
IjgpResult propagate_on_join_graph(const TabularNetwork& network, const Observations& observations,
                                   const IjgpOptions& options, RunControl& control);

}  // namespace baytree
