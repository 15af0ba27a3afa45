#include "scores/family_scorer.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace baytree {

void check_family(const Dataset& dataset, VariableId child, VariableSpan parents) {
    const auto is_known = [&](VariableId variable) { return variable < dataset.n_variables(); };
    if (!is_known(child) || !std::ranges::all_of(parents, is_known))
        throw std::invalid_argument("a family names a variable that the dataset has not");
    if (std::ranges::adjacent_find(parents, std::ranges::greater_equal{}) != parents.end())
        throw std::invalid_argument("parents must be in ascending order, without repeats");
    if (std::ranges::binary_search(parents, child))
        throw std::invalid_argument("a variable cannot be its own parent");
}

FamilyScorer::FamilyScorer(const Dataset& dataset, const ScoreOptions& options,
                           InstructionSet instructions, std::size_t n_table_entries)
    : counter_(dataset, instructions),
      rule_(options, dataset.total_weight()),
      known_(n_table_entries) {}

double FamilyScorer::n_states(VariableSpan variables) const noexcept {
    double product = 1.0;
    for (const VariableId variable : variables) product *= dataset().arity(variable);
    return product;
}

FamilyEvaluation FamilyScorer::evaluate(VariableId child, VariableSpan parents,
                                        CountScratch& scratch, CountingMethod method) const {
    const auto evaluate = [&](const auto& counts) {
        return rule_.evaluate(counts, dataset().arity(child), n_states(parents));
    };
    return counter_.count(child, parents, scratch, evaluate, method);
}

std::vector<double> FamilyScorer::evaluate_all(std::span<const VariableId> children,
                                               std::span<const VariableId> parents,
                                               std::size_t n_parents, CountingMethod method) const {
    CountScratch scratch;
    std::vector<double> scores;
    scores.reserve(children.size());
    for (std::size_t i = 0; i < children.size(); ++i)
        scores.push_back(
            evaluate(children[i], parents.subspan(i * n_parents, n_parents), scratch, method)
                .score);
    return scores;
}

double FamilyScorer::score(VariableId child, VariableSpan parents) const {
    const std::uint64_t digest = family_digest(child, parents);
    if (const auto known = known_.find(digest)) return *known;
    thread_local CountScratch scratch;
    const double score = evaluate(child, parents, scratch).score;
    known_.store(digest, score);
    return score;
}

}  // namespace baytree
