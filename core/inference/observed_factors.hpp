#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "data/variable.hpp"
#include "inference/tabular_network.hpp"

namespace baytree {

/// What is known of a network's variables.
struct Observations {
    std::vector<std::int32_t> codes;  // the state of each variable, -1 if not observed
    std::vector<std::pair<VariableId, std::vector<double>>> likelihoods;  // of unobserved variables
};

/// Numbers for all joint states of some variables, ascending, the last one's changing fastest.
struct ObservedFactor {
    std::vector<VariableId> scope;  // without observed variables
    std::vector<double> table;
};

/// The variables that matter for the targets: these, what is observed, and the ancestors of both.
std::vector<bool> relevant_variables(const TabularNetwork& network,
                                     const Observations& observations,
                                     const std::vector<VariableId>& targets);

/// The distributions of relevant variables at the observed states, then the likelihoods. Throws
/// std::invalid_argument if the observations do not fit the network.
std::vector<ObservedFactor> observed_factors(const TabularNetwork& network,
                                             const Observations& observations,
                                             const std::vector<bool>& is_relevant);

}  // namespace baytree
