#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/evidence.hpp"
#include "inference/scaled_number.hpp"
#include "inference/scopes.hpp"
#include "inference/tabular_network.hpp"

namespace baytree {

/// What is left of a network for one query: a product of factors over the variables that are not
/// observed and matter. Observed variables are cut out of their tables, and so are those of one
/// state. Its variables have numbers of their own. It points into the network and the evidence.
struct ReducedNetwork {
    static constexpr VariableId left_out = static_cast<VariableId>(-1);

    std::vector<VariableId> variables;  // their numbers in the network
    std::vector<VariableId> number_of;  // of every variable of the network; or left_out
    std::vector<std::uint32_t> arities;
    Scopes scopes;                      // of every factor
    std::vector<std::size_t> strides;   // of every member of every scope, in its table
    std::vector<const double*> tables;  // entry of every factor at state 0 of its variables
    ScaledNumber constant;              // product of the factors without variables

    /// Numbers of some variables of the network, none of which is left out.
    std::vector<VariableId> numbers(std::span<const VariableId> some) const {
        std::vector<VariableId> result;
        for (const VariableId variable : some) result.push_back(number_of[variable]);
        return result;
    }

    /// All variables: for marginals of all of them, or joint states.
    static ReducedNetwork whole(const TabularNetwork& network, const Evidence& evidence);

    /// Variables that bear on the probability of the evidence: without barren ones.
    static ReducedNetwork of_evidence(const TabularNetwork& network, const Evidence& evidence);

    /// Variables that bear on the distribution of `targets`, none of which is observed: without
    /// barren ones and those that the evidence separates from all of them. A part that the evidence
    /// separates stays if one of its tables has a zero, for it may prove the evidence impossible.
    /// Factors that are left out are positive, so the product tells whether the evidence is
    /// possible.
    static ReducedNetwork of_targets(const TabularNetwork& network, const Evidence& evidence,
                                     std::span<const VariableId> targets);
};

}  // namespace baytree
