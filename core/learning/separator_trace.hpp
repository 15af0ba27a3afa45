#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "learning/clique_bounds.hpp"
#include "learning/family_lists.hpp"
#include "learning/part_values.hpp"
#include "learning/separators.hpp"
#include "learning/structure_search.hpp"
#include "structure/variable_mask.hpp"

namespace baytree {

/// The best network with a bag in the middle.
struct Root {
    double score = -std::numeric_limits<double>::infinity();
    VariableMask bag = 0;
    std::size_t order = 0;
    Part part{};
};

/// The way back from values to a network: the same sums, so a choice is found by equality.
class SeparatorTrace {
public:
    /// All must outlive the trace.
    SeparatorTrace(const FamilyLists& families, const CliqueOrders& orders,
                   const Separators& separators, std::span<const Joint> joints)
        : families_(families),
          orders_(orders),
          separators_(separators),
          joints_(joints) {}

    /// `branches` and `unions` are those of the bag in the middle.
    Structure structure_of(const Root& root, const BranchLists& branches,
                           const UnionLists& unions) const;

private:
    void add_families(VariableMask clique, std::size_t order, VariableMask children,
                      Structure& structure) const;
    void trace_union(VariableMask bag, const BranchLists& branches, const UnionLists& unions,
                     std::size_t order, Part part, Structure& structure) const;
    static std::pair<const Branch*, Part> split(const BranchLists& branches,
                                                const UnionLists& unions, std::size_t order,
                                                const Part& part);
    void trace_branch(const Branch& branch, std::size_t order, double value,
                      Structure& structure) const;
    bool trace_joint(const Joint& joint, std::size_t separator_order, const Part& part,
                     double value, Structure& structure) const;

    const FamilyLists& families_;
    const CliqueOrders& orders_;
    const Separators& separators_;
    std::span<const Joint> joints_;
};

}  // namespace baytree
