#include "learning/recombination.hpp"

#include <algorithm>
#include <limits>

namespace baytree {

namespace {

// A region is to have 1, 2, 4, ... or this many variables, all equally probable.
constexpr std::size_t n_sizes = 6;
constexpr std::size_t max_region = 128;

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

}  // namespace

Recombination::Recombination(std::size_t n_variables)
    : places_(n_variables, nowhere),
      region_(max_region),
      regions_(n_variables) {}

bool Recombination::compare(const OrderedDag& dag, const ScoredFamilies& other) {
    differing_.clear();
    for (VariableId variable = 0; variable < dag.n_variables(); ++variable) {
        const bool differs = !std::ranges::equal(dag.parents(variable), other.parents[variable]);
        places_[variable] = differs ? differing_.size() : nowhere;
        if (differs) differing_.push_back(variable);
    }
    return !differing_.empty();
}

std::span<const FamilyChange>
Recombination::propose(const OrderedDag& dag, const ScoredFamilies& other, RandomStream& random) {
    start_region();
    const std::size_t size = std::size_t{1} << random.below(n_sizes);
    take(differing_[random.below(differing_.size())], other);
    do {
        if (!close(dag, other)) return {};
    } while (n_taken_ < size && grow(dag, other, random));
    return {region_.data(), n_taken_};
}

void Recombination::start_region() {
    n_taken_ = n_closed_ = 0;
    if (++n_regions_ != 0) return;
    std::ranges::fill(regions_, 0U);
    n_regions_ = 1;
}

void Recombination::take(VariableId variable, const ScoredFamilies& other) {
    FamilyChange& change = region_[n_taken_++];
    const VariableSpan parents = other.parents[variable];
    change.child = variable;
    change.parents.assign(parents.begin(), parents.end());
    change.score = other.scores[variable];
    regions_[variable] = n_regions_;
}

/// Takes in the children that are to be parents: an arc cannot go both ways. False if they are too
/// many.
bool Recombination::close(const OrderedDag& dag, const ScoredFamilies& other) {
    for (; n_closed_ < n_taken_; ++n_closed_) {
        const VariableId child = region_[n_closed_].child;
        for (const VariableId parent : other.parents[child]) {
            if (regions_[parent] == n_regions_ || !dag.has_arc(child, parent)) continue;
            if (n_taken_ == max_region) return false;
            take(parent, other);
        }
    }
    return true;
}

/// Takes in a neighbour of one of the region; false if that one has none to take.
bool Recombination::grow(const OrderedDag& dag, const ScoredFamilies& other, RandomStream& random) {
    const VariableId variable = region_[random.below(n_taken_)].child;
    frontier_.clear();
    const auto meet = [&](VariableId neighbour) {
        if (places_[neighbour] != nowhere && regions_[neighbour] != n_regions_)
            frontier_.push_back(neighbour);
    };
    std::ranges::for_each(dag.parents(variable), meet);
    std::ranges::for_each(dag.children(variable), meet);
    std::ranges::for_each(other.parents[variable], meet);
    if (frontier_.empty()) return false;
    take(frontier_[random.below(frontier_.size())], other);
    return true;
}

bool Recombination::accept() {
    for (std::size_t i = 0; i < n_taken_; ++i) {
        const VariableId variable = region_[i].child;
        const std::size_t place = places_[variable];
        differing_[place] = differing_.back();
        places_[differing_[place]] = place;
        places_[variable] = nowhere;
        differing_.pop_back();
    }
    return !differing_.empty();
}

}  // namespace baytree
