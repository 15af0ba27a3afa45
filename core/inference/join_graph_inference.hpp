#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/variable.hpp"
#include "inference/evidence.hpp"
#include "inference/join_graph.hpp"
#include "inference/reduced_network.hpp"
#include "inference/tabular_network.hpp"
#include "inference/work_meter.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

struct JoinGraphOptions {
    std::size_t i_bound;     // clusters have at most one variable more, unless a family has
    std::size_t max_sweeps;  // over all clusters
    double tolerance;        // of the largest change of a message, whose largest entry is 1
    double max_bytes;
};

/// What propagation found, and whether it came to rest.
struct JoinGraphAnswer {
    std::vector<double> probabilities;  // empty if the evidence is impossible
    double log_probability = 0.0;       // of the evidence; minus infinity if it is impossible
    std::size_t n_sweeps = 0;
    double largest_change = 0.0;  // of a message in the last sweep
    bool is_converged = false;
    bool is_exact = false;  // it came to rest on a graph without cycles
};

/// Approximate answers to single queries by iterative join-graph propagation ([ijgp]), for networks
/// whose cliques are too large for exact ones. Exact if the bound reaches the width of the given
/// order. Threads may share one. Queries throw as those of ExactInference do.
class JoinGraphInference {
public:
    /// Keeps a reference to the network. `order`: an elimination order of all variables that serves
    /// where min-fill finds none within the bound, or would take more memory than a query may.
    JoinGraphInference(const TabularNetwork& network, std::vector<VariableId> order);

    /// Distributions of all variables given the evidence, one after the other.
    JoinGraphAnswer marginals(const Evidence& evidence, const JoinGraphOptions& options,
                              RunControl& control) const;

    /// Distribution of a variable. `log_probability` is zero where the evidence is possible.
    JoinGraphAnswer posterior(VariableId target, const Evidence& evidence,
                              const JoinGraphOptions& options, RunControl& control) const;

    /// `log_probability` alone.
    JoinGraphAnswer probability(const Evidence& evidence, const JoinGraphOptions& options,
                                RunControl& control) const;

private:
    struct Outcome;

    JoinGraph join_graph(const ReducedNetwork& reduced, const JoinGraphOptions& options,
                         WorkMeter& meter) const;
    Outcome propagate(const ReducedNetwork& reduced, const JoinGraphOptions& options,
                      RunControl& control) const;
    std::vector<double> certainly(VariableId variable,
                                  const std::vector<std::uint32_t>& states) const;

    const TabularNetwork& network_;
    std::vector<VariableId> order_;
};

}  // namespace baytree
