#include "learning/search_problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "structure/tree_decomposition.hpp"

namespace baytree {

namespace {

void check_parents(const SearchProblem& problem, VariableId child,
                   const std::vector<VariableId>& parents) {
    check_family(problem.n_variables(), child, parents);
    if (parents.size() > problem.limits.max_parents)
        throw std::invalid_argument("a variable has more parents than the limits allow");
    for (const VariableId parent : parents)
        if (!problem.constraints.allows(parent, child))
            throw std::invalid_argument("a structure has a forbidden arc");
    if (!std::ranges::includes(parents, problem.constraints.required[child]))
        throw std::invalid_argument("a structure lacks a required arc");
}

}  // namespace

void check_problem(const FamilyScores& scores, const ArcConstraints& constraints,
                   const StructureLimits& limits) {
    check_constraints(constraints, scores.n_variables());
    if (limits.max_treewidth == 0 || limits.max_parents == 0)
        throw std::invalid_argument("max_treewidth and max_parents must be at least 1");
    if (limits.max_parents > limits.max_treewidth)
        throw std::invalid_argument("max_parents must not exceed max_treewidth");
    if (!limits.arities.empty() && limits.arities.size() != scores.n_variables())
        throw std::invalid_argument("there must be one arity a variable, or none");
    for (const auto& required : constraints.required)
        if (required.size() > limits.max_parents)
            throw std::invalid_argument("more required parents than max_parents");
}

double seconds_a_score(const SearchProblem& problem, std::size_t n_parents) {
    constexpr std::size_t n_sampled = 32;
    constexpr double least_seconds = 1e-7;  // for the rest of the work
    const std::size_t n_variables = problem.n_variables();
    if (n_variables <= n_parents) return least_seconds;
    double sum = 0.0;
    std::vector<VariableId> parents;
    for (std::size_t i = 0; i < n_sampled; ++i) {
        const std::size_t child = i * n_variables / n_sampled;
        parents.clear();
        for (std::size_t number = 1; number <= n_parents; ++number)
            parents.push_back(static_cast<VariableId>((child + number) % n_variables));
        std::ranges::sort(parents);
        sum += problem.scores.seconds(static_cast<VariableId>(child), parents);
    }
    return least_seconds + sum / n_sampled;
}

StructureState state_with(const SearchProblem& problem, const StartStructure& start,
                          RandomStream& random) {
    const ParentLists& parents = start.parents;
    if (parents.size() != problem.n_variables())
        throw std::invalid_argument("a structure must have one list of parents a variable");
    std::vector<double> scores(parents.size());
    for (VariableId child = 0; child < parents.size(); ++child) {
        check_parents(problem, child, parents[child]);
        scores[child] = problem.scores.score(child, parents[child]);
        if (!std::isfinite(scores[child]))
            throw std::invalid_argument("a variable has no score with the parents it must have");
    }
    if (!start.elimination_order.empty()) check_elimination_order(parents, start.elimination_order);
    if (!topological_order(parents)) throw std::invalid_argument("a structure has a cycle");
    StructureState state(problem.limits, scores);
    if (state.assign(parents, scores, start.elimination_order, random)) return state;
    throw std::invalid_argument("no order of elimination keeps a structure within the limits");
}

StructureState required_state(const SearchProblem& problem, RandomStream& random) {
    return state_with(problem, {problem.constraints.required, {}}, random);
}

}  // namespace baytree
