#include "inference/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "inference/table_kernels.hpp"

namespace baytree {

void check_evidence(const Evidence& evidence, const TabularNetwork& network) {
    std::vector<VariableId> seen;
    for (const auto& [variable, state] : evidence.states) {
        seen.push_back(variable);
        if (variable >= network.n_variables() || state >= network.arity(variable))
            throw std::invalid_argument("evidence holds no state of the network");
    }
    const auto is_likelihood = [](double value) { return value >= 0.0 && std::isfinite(value); };
    for (const auto& [variable, likelihood] : evidence.likelihoods) {
        seen.push_back(variable);
        if (variable >= network.n_variables() || likelihood.size() != network.arity(variable) ||
            !std::ranges::all_of(likelihood, is_likelihood))
            throw std::invalid_argument("evidence holds no likelihood of the network's states");
    }
    std::ranges::sort(seen);
    if (std::ranges::adjacent_find(seen) != seen.end())
        throw std::invalid_argument("evidence names a variable twice");
}

ScaledEvidence::ScaledEvidence(Evidence given, const TabularNetwork& network)
    : evidence(std::move(given)) {
    check_evidence(evidence, network);
    for (auto& entry : evidence.likelihoods) scale.shift(scale_to_one(entry.second));
}

}  // namespace baytree
