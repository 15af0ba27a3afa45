#include "scores/parent_set_cache.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

namespace baytree {

namespace {

void check_sets(const ScoredParentSets& sets, VariableId child, std::size_t n_variables) {
    if (sets.size() == 0) throw std::invalid_argument("a variable has no parent set");
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const VariableSpan set = sets.parents(i);
        const bool is_ascending =
            std::ranges::adjacent_find(set, std::ranges::greater_equal{}) == set.end();
        if (!is_ascending || std::ranges::binary_search(set, child) ||
            (!set.empty() && set.back() >= n_variables))
            throw std::invalid_argument("a parent set is not ascending or not of other variables");
    }
}

}  // namespace

void ScoredParentSets::reserve(std::size_t n_sets, std::size_t n_members) {
    scores_.reserve(n_sets);
    starts_.reserve(n_sets + 1);
    members_.reserve(n_members);
}

void ScoredParentSets::add(double score, VariableSpan parents) {
    if (members_.size() + parents.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("the parent sets of one variable hold 2^32 members or more");
    scores_.push_back(score);
    members_.insert(members_.end(), parents.begin(), parents.end());
    starts_.push_back(static_cast<std::uint32_t>(members_.size()));
}

void ScoredParentSets::sort() {
    if (std::ranges::is_sorted(scores_, std::ranges::greater{})) return;
    std::vector<std::pair<double, std::uint32_t>> order;  // scores inside: sorting stays in cache
    order.reserve(size());
    for (std::uint32_t i = 0; i < size(); ++i) order.emplace_back(-scores_[i], i);
    std::ranges::sort(order);
    ScoredParentSets sorted;
    sorted.reserve(size(), members_.size());
    for (const auto& [minus_score, i] : order) sorted.add(scores_[i], parents(i));
    *this = std::move(sorted);
}

std::size_t ScoredParentSets::n_bytes() const noexcept {
    return scores_.capacity() * sizeof(double) + members_.capacity() * sizeof(VariableId) +
           starts_.capacity() * sizeof(std::uint32_t);
}

ParentSetCache::ParentSetCache(std::vector<ScoredParentSets> of_variable)
    : of_variable_(std::move(of_variable)) {}

ParentSetCache ParentSetCache::from_unchecked(std::vector<ScoredParentSets> of_variable) {
    for (VariableId variable = 0; variable < of_variable.size(); ++variable) {
        check_sets(of_variable[variable], variable, of_variable.size());
        of_variable[variable].sort();
    }
    return ParentSetCache(std::move(of_variable));
}

std::uint64_t ParentSetCache::n_parent_sets() const noexcept {
    std::uint64_t n = 0;
    for (const ScoredParentSets& sets : of_variable_) n += sets.size();
    return n;
}

std::uint64_t ParentSetCache::n_bytes() const noexcept {
    std::uint64_t n = 0;
    for (const ScoredParentSets& sets : of_variable_) n += sets.n_bytes();
    return n;
}

std::size_t ParentSetCache::largest_parent_set() const noexcept {
    std::size_t largest = 0;
    for (const ScoredParentSets& sets : of_variable_)
        for (std::size_t i = 0; i < sets.size(); ++i)
            largest = std::max(largest, sets.parents(i).size());
    return largest;
}

double ParentSetCache::sum_of_best_scores() const noexcept {
    double sum = 0.0;
    for (const ScoredParentSets& sets : of_variable_) sum += sets.score(0);
    return sum;
}

}  // namespace baytree
