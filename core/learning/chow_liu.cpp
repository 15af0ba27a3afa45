#include "learning/chow_liu.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "structure/maximum_forest.hpp"

namespace baytree {

namespace {

using Parents = std::vector<std::optional<VariableId>>;

bool fits(const StructureLimits& limits, VariableId a, VariableId b) {
    return limits.arities.empty() ||
           1.0 * limits.arities[a] * limits.arities[b] <= limits.max_clique_states;
}

bool is_free(const ArcConstraints& constraints) {
    const auto is_empty = [](const auto& list) { return list.empty(); };
    return constraints.tiers.empty() && std::ranges::all_of(constraints.required, is_empty) &&
           std::ranges::all_of(constraints.forbidden, is_empty);
}

/// The arcs that may be taken. A required one is the only one to its child, and heavier than all
/// others together.
std::vector<WeightedArc> usable_arcs(const SearchProblem& problem,
                                     std::span<const WeightedArc> arcs) {
    std::vector<WeightedArc> usable;
    double sum = 1.0;
    for (const WeightedArc& arc : arcs) {
        if (!problem.constraints.required[arc.child].empty() || !(arc.weight > 0.0) ||
            !problem.allows(arc.parent, arc.child) || !fits(problem.limits, arc.parent, arc.child))
            continue;
        usable.push_back(arc);
        sum += arc.weight;
    }
    for (VariableId child = 0; child < problem.n_variables(); ++child) {
        const auto& required = problem.constraints.required[child];
        if (required.size() > 1)
            throw std::invalid_argument("a forest cannot have two parents that are required");
        for (const VariableId parent : required) usable.push_back({parent, child, sum});
    }
    return usable;
}

Structure forest_of(const SearchProblem& problem, const Parents& best) {
    Structure forest{0.0, ParentLists(best.size()), {}};
    for (VariableId child = 0; child < best.size(); ++child) {
        if (best[child]) forest.parents[child].push_back(*best[child]);
        forest.score += problem.scores.score(child, forest.parents[child]);
    }
    // Children first: what is left of a variable's neighbours when it goes is its parent.
    forest.elimination_order = topological_order(forest.parents).value();
    std::ranges::reverse(forest.elimination_order);
    return forest;
}

}  // namespace

Structure chow_liu_forest(const SearchProblem& problem, std::span<const WeightedArc> arcs) {
    const std::vector<WeightedArc> usable = usable_arcs(problem, arcs);
    return forest_of(problem, maximum_branching(problem.n_variables(), usable));
}

Structure chow_liu_forest(const SearchProblem& problem, const SingleGains& gains) {
    if (gains.is_symmetric() && is_free(problem.constraints)) {
        const auto weight = [&](VariableId a, VariableId b) {
            return fits(problem.limits, a, b) ? gains.gain(a, b) : 0.0;
        };
        return forest_of(problem, maximum_spanning_forest(problem.n_variables(), weight));
    }
    std::vector<WeightedArc> arcs;
    for (VariableId child = 0; child < problem.n_variables(); ++child)
        for (VariableId parent = 0; parent < problem.n_variables(); ++parent)
            if (parent != child && gains.gain(parent, child) > 0.0)
                arcs.push_back({parent, child, gains.gain(parent, child)});
    return chow_liu_forest(problem, arcs);
}

}  // namespace baytree
