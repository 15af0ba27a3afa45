#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "learning/structure_state.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

/// Proposes to give a region of one structure the families that it has in another. Both keep to the
/// same constraints. A region grows at random along arcs between variables whose families differ;
/// with a variable come those that have to be parents of it and now are its children.
class Recombination {
public:
    explicit Recombination(std::size_t n_variables);

    /// Looks for the variables whose families differ; returns whether there are any.
    bool compare(const OrderedDag& dag, const ScoredFamilies& other);

    /// Families to be changed together, or none if the region grew too large; compare() must have
    /// found differences between the same two. Valid until the next call.
    std::span<const FamilyChange> propose(const OrderedDag& dag, const ScoredFamilies& other,
                                          RandomStream& random);

    /// Says that the last proposal was made; returns whether differences are left.
    bool accept();

private:
    void start_region();
    void take(VariableId variable, const ScoredFamilies& other);
    bool close(const OrderedDag& dag, const ScoredFamilies& other);
    bool grow(const OrderedDag& dag, const ScoredFamilies& other, RandomStream& random);

    std::vector<VariableId> differing_;
    std::vector<std::size_t> places_;  // of the variables among them
    std::vector<FamilyChange> region_;
    std::size_t n_taken_ = 0;             // into the region
    std::size_t n_closed_ = 0;            // whose parents need nobody else
    std::vector<std::uint32_t> regions_;  // the last that each variable was taken into
    std::uint32_t n_regions_ = 0;
    std::vector<VariableId> frontier_;
};

}  // namespace baytree
