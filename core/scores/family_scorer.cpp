#include "scores/family_scorer.hpp"

#include <algorithm>
#include <ranges>
#include <stdexcept>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

// With up to 591 rows, pairs were counted again in less time than scores were fetched from a large
// table. Where that turns was not measured.
constexpr std::size_t fewest_rows_to_remember = 8'192;

}  // namespace

FamilyScorer::FamilyScorer(const Dataset& dataset, const ScoreOptions& options,
                           InstructionSet instructions, std::size_t n_table_entries, int n_threads)
    : counter_(dataset, instructions, n_threads),
      rule_(options, dataset.total_weight(), dataset.n_variables()),
      known_(std::make_shared<FamilyScoreTable>(n_table_entries)) {
    score_all_alone(n_threads);
}

FamilyScorer::FamilyScorer(const Dataset& dataset, const FamilyScorer& before, VariableSpan changed,
                           int n_threads)
    : counter_(dataset, best_instruction_set(), n_threads),
      rule_(before.rule_),
      known_(before.known_),
      versions_(before.versions_) {
    if (dataset.n_variables() != before.n_variables() ||
        dataset.total_weight() != before.dataset().total_weight())
        throw std::invalid_argument("the rows before must have the same variables and weights");
    versions_.resize(dataset.n_variables());
    for (const VariableId variable : changed) {
        if (variable >= dataset.n_variables()) throw std::invalid_argument("no such variable");
        ++versions_[variable];
    }
    score_all_alone(n_threads);
}

/// Where any has missing cells.
void FamilyScorer::score_all_alone(int n_threads) {
    const auto n_variables = static_cast<VariableId>(dataset().n_variables());
    const auto variables = std::views::iota(VariableId{0}, n_variables);
    if (std::ranges::none_of(variables, [&](VariableId v) { return dataset().has_missing(v); }))
        return;
    score_alone_.resize(n_variables);
    parallel_for(n_variables, n_threads, [&](std::size_t task) {
        const auto variable = static_cast<VariableId>(task);
        CountScratch scratch;
        score_alone_[variable] = evaluate(variable, {}, scratch).score;
    });
}

FamilyShape FamilyScorer::shape(VariableId child, VariableSpan parents) const noexcept {
    FamilyShape family{dataset().arity(child), parents.size(), 1.0};
    for (const VariableId parent : parents) family.n_parent_states *= dataset().arity(parent);
    return family;
}

FamilyEvaluation FamilyScorer::evaluate(VariableId child, VariableSpan parents,
                                        CountScratch& scratch, CountingMethod method) const {
    const auto has_missing = [&](VariableId variable) { return dataset().has_missing(variable); };
    if (has_missing(child) || std::ranges::any_of(parents, has_missing))
        return evaluate_incomplete(child, parents, scratch, method);
    const auto evaluate = [&](const auto& counts) {
        return rule_.evaluate(counts, shape(child, parents));
    };
    return counter_.count(child, parents, scratch, evaluate, method);
}

FamilyEvaluation FamilyScorer::evaluate_incomplete(VariableId child, VariableSpan parents,
                                                   CountScratch& scratch,
                                                   CountingMethod method) const {
    const std::uint32_t arity = dataset().arity(child);
    const auto evaluate = [&]<class Count>(const FamilyCounts<Count>& counts) {
        FamilyEvaluation family = rule_.evaluate(counts, shape(child, parents));
        if (family.n_configurations == 0) return family;
        const double scale = dataset().total_weight() / family.n_rows;
        if (parents.empty()) {
            family.score *= scale;
            return family;
        }
        const std::vector<Count> totals = counts.state_totals(arity);
        const FamilyCounts<Count> child_alone{totals, arity, {}};
        const double gain = family.score - rule_.evaluate(child_alone, shape(child, {})).score;
        family.score = score_alone_[child] + scale * gain;
        return family;
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

double FamilyScorer::counted_score(VariableId child, VariableSpan parents) const {
    thread_local CountScratch scratch;
    return evaluate(child, parents, scratch).score;
}

double FamilyScorer::score_once(VariableId child, VariableSpan parents) const {
    if (parents.size() > 1) return counted_score(child, parents);
    const bool is_roomy = known_->size() / n_variables() >= n_variables();
    const bool is_dear = dataset().n_distinct_rows() >= fewest_rows_to_remember;
    return is_roomy && is_dear ? score(child, parents) : counted_score(child, parents);
}

double FamilyScorer::score(VariableId child, VariableSpan parents) const {
    const std::uint64_t digest = family_digest(child, parents, versions_);
    if (const auto known = known_->find(digest)) return *known;
    const double score = counted_score(child, parents);
    known_->store(digest, score);
    return score;
}

}  // namespace baytree
