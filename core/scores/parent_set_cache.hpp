#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// Scored parent sets of one variable in two flat arrays.
class ScoredParentSets {
public:
    std::size_t size() const noexcept { return scores_.size(); }
    std::span<const double> scores() const noexcept { return scores_; }
    /// Members of all sets one after the other, and where each set begins (one entry more, the
    /// end).
    std::span<const VariableId> members() const noexcept { return members_; }
    std::span<const std::uint32_t> starts() const noexcept { return starts_; }
    double score(std::size_t i) const noexcept { return scores_[i]; }
    VariableSpan parents(std::size_t i) const noexcept {
        return {members_.data() + starts_[i], starts_[i + 1] - starts_[i]};
    }

    void reserve(std::size_t n_sets, std::size_t n_members);
    void add(double score, VariableSpan parents);

    /// Best first; sets with equal scores keep their order.
    void sort();

    /// Memory in use.
    std::size_t n_bytes() const noexcept;

private:
    std::vector<double> scores_;
    std::vector<VariableId> members_;
    std::vector<std::uint32_t> starts_{0};
};

/// Scored candidate parent sets of every variable, best first. Immutable once built, so threads
/// may share one cache without locks.
class ParentSetCache {
public:
    /// Takes sets as they are: at least one a variable, sorted best first, each ascending and made
    /// of other variables.
    explicit ParentSetCache(std::vector<ScoredParentSets> of_variable);

    /// Sorts and takes sets of unknown origin; throws std::invalid_argument if they are not such.
    static ParentSetCache from_unchecked(std::vector<ScoredParentSets> of_variable);

    std::size_t n_variables() const noexcept { return of_variable_.size(); }
    const ScoredParentSets& of(VariableId variable) const { return of_variable_.at(variable); }
    std::uint64_t n_parent_sets() const noexcept;
    std::uint64_t n_bytes() const noexcept;
    std::size_t largest_parent_set() const noexcept;

    /// Over the variables: no network over these sets scores more.
    double sum_of_best_scores() const noexcept;

private:
    std::vector<ScoredParentSets> of_variable_;
};

}  // namespace baytree
