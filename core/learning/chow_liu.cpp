#include "learning/chow_liu.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "learning/usable_parent_sets.hpp"
#include "structure/maximum_forest.hpp"

namespace baytree {

namespace {

using Parents = std::vector<std::optional<VariableId>>;

bool is_free(const ArcConstraints& constraints) {
    const auto is_empty = [](const auto& list) { return list.empty(); };
    return constraints.tiers.empty() && std::ranges::all_of(constraints.required, is_empty) &&
           std::ranges::all_of(constraints.forbidden, is_empty);
}

/// The arcs that may be taken, where none is required. None any more once a stop is asked for: what
/// is left of the search for a forest is short then.
ArcsInto usable_arcs(const SearchProblem& problem, const ArcsInto& arcs_into,
                     const RunControl& control) {
    return [&](VariableId child) {
        std::vector<WeightedArc> arcs;
        if (control.stop_requested() || !problem.constraints.required[child].empty()) return arcs;
        arcs = arcs_into(child);
        std::erase_if(arcs, [&](const WeightedArc& arc) {
            return !problem.allows(arc.parent, child) ||
                   !family_fits_in_bag(child, {&arc.parent, 1}, problem.limits);
        });
        return arcs;
    };
}

/// More than any forest weighs.
double weight_of_required(std::size_t n_variables, const ArcsInto& arcs_into) {
    double sum = 1.0;
    for (VariableId child = 0; child < n_variables; ++child) {
        double heaviest = 0.0;
        for (const WeightedArc& arc : arcs_into(child)) heaviest = std::max(heaviest, arc.weight);
        sum += heaviest;
    }
    return sum;
}

void check_required(const ArcConstraints& constraints) {
    for (const auto& required : constraints.required)
        if (required.size() > 1)
            throw std::invalid_argument("a forest cannot have two parents that are required");
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

Structure chow_liu_forest(const SearchProblem& problem, const ArcsInto& arcs_into,
                          const RunControl& control) {
    const ParentLists& required = problem.constraints.required;
    check_required(problem.constraints);
    const ArcsInto usable = usable_arcs(problem, arcs_into, control);
    const bool has_required =
        std::ranges::any_of(required, [](auto& list) { return !list.empty(); });
    const double heavy = has_required ? weight_of_required(required.size(), usable) : 0.0;
    // A required arc is the only one to its child.
    const auto all_arcs = [&](VariableId child) {
        if (required[child].empty()) return usable(child);
        return std::vector<WeightedArc>{{required[child][0], child, heavy}};
    };
    return forest_of(problem, maximum_branching(problem.n_variables(), all_arcs));
}

Structure chow_liu_forest(const SearchProblem& problem, const SingleGains& gains,
                          const RunControl& control) {
    if (gains.is_symmetric() && is_free(problem.constraints)) {
        const auto weight = [&](VariableId a, VariableId b) {
            return family_fits_in_bag(a, {&b, 1}, problem.limits) ? gains.gain(a, b) : 0.0;
        };
        return forest_of(problem, maximum_spanning_forest(problem.n_variables(), weight, control));
    }
    const auto arcs_into = [&](VariableId child) {
        std::vector<WeightedArc> arcs;
        for (VariableId parent = 0; parent < problem.n_variables(); ++parent) {
            if (parent == child) continue;
            const double gain = gains.gain(parent, child);
            if (gain > 0.0) arcs.push_back({parent, child, gain});
        }
        return arcs;
    };
    return chow_liu_forest(problem, arcs_into, control);
}

Structure chow_liu_forest(const SearchProblem& problem, const GainLists& lists,
                          const RunControl& control) {
    std::vector<std::vector<WeightedArc>> arcs(lists.size());
    for (VariableId child = 0; child < lists.size(); ++child)
        for (const auto [parent, gain] : lists[child]) {
            if (gain <= 0.0) continue;
            arcs[child].push_back({parent, child, gain});
            if (problem.scores.has_symmetric_gains()) arcs[parent].push_back({child, parent, gain});
        }
    return chow_liu_forest(problem, [&](VariableId child) { return arcs[child]; }, control);
}

}  // namespace baytree
