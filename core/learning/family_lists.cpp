#include "learning/family_lists.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

/// Calls `visit` with all sets of at most `max_size` of the candidates, small ones first.
template <class Visit>
void for_each_small_set(const std::vector<VariableId>& candidates, std::size_t max_size,
                        const Visit& visit) {
    std::vector<VariableMask> sets{0};
    visit(VariableMask{0});
    for (std::size_t size = 1; size <= max_size; ++size) {
        std::vector<VariableMask> larger;
        for (const VariableMask set : sets)
            for (const VariableId candidate : candidates)
                if (set < mask_of(candidate)) larger.push_back(set | mask_of(candidate));
        for (const VariableMask set : larger) visit(set);
        sets = std::move(larger);
    }
}

}  // namespace

AllowedParents::AllowedParents(VariableId child, std::size_t n_variables,
                               const ArcConstraints& constraints) {
    for (VariableId parent = 0; parent < n_variables; ++parent) {
        if (parent == child) continue;
        if (constraints.demands(parent, child)) required |= mask_of(parent);
        if (constraints.allows(parent, child)) allowed |= mask_of(parent);
    }
}

FamilyLists::FamilyLists(const FamilyScores& scores, const ArcConstraints& constraints,
                         const StructureLimits& limits, int n_threads, RunControl& control)
    : lists_(scores.n_variables()),
      has_penalty_(scores.n_variables()) {
    const std::size_t max_parents = std::min(limits.max_parents, limits.max_treewidth);
    parallel_for(lists_.size(), n_threads, control, [&](std::size_t i) {
        const auto child = static_cast<VariableId>(i);
        const AllowedParents allowed(child, lists_.size(), constraints);
        list_families(child, scores, allowed, max_parents, control);
    });
    if (is_complete()) add_penalties();
}

void FamilyLists::list_families(VariableId child, const FamilyScores& scores,
                                const AllowedParents& allowed, std::size_t max_parents,
                                const RunControl& control) {
    std::vector<Family> families;
    for_each_small_set(members_of(allowed.allowed), max_parents, [&](VariableMask parents) {
        if (is_cut_short_ || !allowed(parents)) return;
        if (is_over(control)) is_cut_short_ = true;
        const double score = scores.score(child, members_of(parents));
        if (std::isfinite(score)) families.push_back({score, parents});
    });
    std::ranges::stable_sort(families, std::ranges::greater{}, &Family::score);
    for (const Family& family : families) {
        if (is_over(control)) is_cut_short_ = true;
        if (is_cut_short_) return;
        const auto beats = [&](const Family& other) {
            return (other.parents & ~family.parents) == 0;
        };
        if (std::ranges::none_of(lists_[child], beats)) lists_[child].push_back(family);
    }
}

void FamilyLists::add_penalties() {
    double range = 1.0;
    for (const auto& list : lists_)
        if (!list.empty()) range += list.front().score - list.back().score;
    for (std::size_t child = 0; child < lists_.size(); ++child) {
        auto& list = lists_[child];
        has_penalty_[child] = list.empty() || list.back().parents != 0;
        if (has_penalty_[child])
            list.push_back({(list.empty() ? 0.0 : list.back().score) - range, 0});
        magnitude_ += std::max(std::abs(list.front().score), std::abs(list.back().score));
    }
}

const FamilyLists::Family& FamilyLists::best(VariableId child, VariableMask inside) const noexcept {
    // Best first, so the first that fits is the best that fits; the empty set always does.
    const Family* family = lists_[child].data();
    while ((family->parents & ~inside) != 0) ++family;
    return *family;
}

double FamilyLists::score_above(double floor, VariableId child,
                                VariableMask inside) const noexcept {
    const Family* family = lists_[child].data();
    while ((family->parents & ~inside) != 0 && family->score > floor) ++family;
    return family->score;
}

bool FamilyLists::allows(const Structure& structure) const {
    for (VariableId child = 0; child < lists_.size(); ++child)
        if (has_penalty_[child] && structure.parents[child].empty()) return false;
    return true;
}

ParentSetCache FamilyLists::to_cache() const {
    std::vector<ScoredParentSets> of_variable(lists_.size());
    for (std::size_t child = 0; child < lists_.size(); ++child)
        for (const Family& family : lists_[child])
            of_variable[child].add(family.score, members_of(family.parents));
    return ParentSetCache(std::move(of_variable));
}

}  // namespace baytree
