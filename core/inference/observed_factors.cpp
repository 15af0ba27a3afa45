#include "inference/observed_factors.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>
#include <stdexcept>

namespace baytree {

namespace {

/// A variable of a family: its steps in the network's table, and in the ascending one.
struct Axis {
    VariableId variable;
    std::size_t stride;
};

/// The variables of a family, ascending.
std::vector<Axis> family_axes(const TabularNetwork& network, VariableId child) {
    std::vector<Axis> axes{{child, 1}};
    std::size_t stride = network.arity(child);
    for (const VariableId parent : network.parents(child) | std::views::reverse) {
        axes.push_back({parent, stride});
        stride *= network.arity(parent);
    }
    std::ranges::sort(axes, {}, &Axis::variable);
    return axes;
}

ObservedFactor observed_family(const TabularNetwork& network, VariableId child,
                               const std::vector<std::int32_t>& codes) {
    std::vector<std::size_t> positions{0};  // in the network's table
    ObservedFactor factor;
    for (const Axis& axis : family_axes(network, child)) {
        if (codes[axis.variable] >= 0) {
            const auto shift = axis.stride * static_cast<std::size_t>(codes[axis.variable]);
            for (auto& position : positions) position += shift;
            continue;
        }
        factor.scope.push_back(axis.variable);
        std::vector<std::size_t> next;
        next.reserve(positions.size() * network.arity(axis.variable));
        for (const std::size_t position : positions)
            for (std::size_t state = 0; state < network.arity(axis.variable); ++state)
                next.push_back(position + state * axis.stride);
        positions = std::move(next);
    }
    factor.table.reserve(positions.size());
    for (const std::size_t position : positions)
        factor.table.push_back(network.table(child)[position]);
    return factor;
}

void check(const TabularNetwork& network, const Observations& observations) {
    if (observations.codes.size() != network.n_variables())
        throw std::invalid_argument("observations must have a code for every variable");
    for (VariableId variable = 0; variable < network.n_variables(); ++variable)
        if (observations.codes[variable] >= static_cast<std::int32_t>(network.arity(variable)))
            throw std::invalid_argument("an observed state is none of its variable");
    for (const auto& [variable, likelihood] : observations.likelihoods)
        if (variable >= network.n_variables() || observations.codes[variable] >= 0 ||
            likelihood.size() != network.arity(variable))
            throw std::invalid_argument("a likelihood does not fit its variable");
}

}  // namespace

std::vector<bool> relevant_variables(const TabularNetwork& network,
                                     const Observations& observations,
                                     const std::vector<VariableId>& targets) {
    std::vector<bool> is_relevant(network.n_variables());
    for (const VariableId target : targets) is_relevant.at(target) = true;
    for (const auto& [variable, likelihood] : observations.likelihoods)
        is_relevant.at(variable) = true;
    for (const VariableId variable : network.topological_order() | std::views::reverse) {
        if (observations.codes.at(variable) >= 0) is_relevant[variable] = true;
        if (!is_relevant[variable]) continue;
        for (const VariableId parent : network.parents(variable)) is_relevant[parent] = true;
    }
    return is_relevant;
}

std::vector<ObservedFactor> observed_factors(const TabularNetwork& network,
                                             const Observations& observations,
                                             const std::vector<bool>& is_relevant) {
    check(network, observations);
    std::vector<ObservedFactor> factors;
    for (VariableId child = 0; child < network.n_variables(); ++child)
        if (is_relevant[child])
            factors.push_back(observed_family(network, child, observations.codes));
    for (const auto& [variable, likelihood] : observations.likelihoods)
        factors.push_back({{variable}, likelihood});
    return factors;
}

}  // namespace baytree
