#include "learning/search_problem.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace baytree {

namespace {

constexpr int n_orders_tried = 100;

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

std::vector<bool> constant_variables(const SearchProblem& problem) {
    std::vector<bool> is_constant(problem.n_variables());
    for (std::size_t i = 0; i < problem.limits.arities.size(); ++i)
        is_constant[i] = problem.limits.arities[i] == 1;
    return is_constant;
}

StructureState state_with(const SearchProblem& problem, const ParentLists& parents,
                          RandomStream& random) {
    if (parents.size() != problem.n_variables())
        throw std::invalid_argument("a structure must have one list of parents a variable");
    std::vector<double> scores(parents.size());
    for (VariableId child = 0; child < parents.size(); ++child) {
        check_parents(problem, child, parents[child]);
        scores[child] = problem.scores.score(child, parents[child]);
    }
    if (!topological_order(parents)) throw std::invalid_argument("a structure has a cycle");
    StructureState state(problem.limits, scores);
    for (int i = 0; i < n_orders_tried; ++i)
        if (state.assign(parents, scores, random)) return state;
    throw std::invalid_argument("no order of elimination keeps a structure within the limits");
}

StructureState required_state(const SearchProblem& problem, RandomStream& random) {
    return state_with(problem, problem.constraints.required, random);
}

}  // namespace baytree
