#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "inference/scaled_number.hpp"
#include "inference/tabular_network.hpp"

namespace baytree {

/// What was observed: states of some variables, and for others how likely the observation is in
/// each state. No variable comes twice.
struct Evidence {
    std::vector<std::pair<VariableId, std::uint32_t>> states;
    std::vector<std::pair<VariableId, std::vector<double>>> likelihoods;

    bool is_empty() const noexcept { return states.empty() && likelihoods.empty(); }
};

/// Throws std::invalid_argument unless variables and states are the network's and come once, and
/// likelihoods are finite and not negative.
void check_evidence(const Evidence& evidence, const TabularNetwork& network);

/// Evidence whose likelihoods sum to about 1, so that products of them do not overflow; checked.
struct ScaledEvidence {
    Evidence evidence;
    ScaledNumber scale;  // what the likelihoods were divided by

    ScaledEvidence(Evidence given, const TabularNetwork& network);
};

}  // namespace baytree
