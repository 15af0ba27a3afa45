#include "learning/separator_trace.hpp"

#include <algorithm>
#include <stdexcept>

namespace baytree {

Structure SeparatorTrace::structure_of(const Root& root, const BranchLists& branches,
                                       const UnionLists& unions) const {
    Structure structure{0.0, ParentLists(families_.n_variables()), members_of(root.bag)};
    add_families(root.bag, root.order, root.bag & ~root.part.children, structure);
    trace_union(root.bag, branches, unions, root.order, root.part, structure);
    std::ranges::reverse(structure.elimination_order);
    for (VariableId child = 0; child < families_.n_variables(); ++child)
        structure.score += families_.score(child, mask_of_set(structure.parents[child]));
    return structure;
}

void SeparatorTrace::add_families(VariableMask clique, std::size_t order, VariableMask children,
                                  Structure& structure) const {
    const std::vector<VariableId> members = members_of(clique);
    VariableMask before = 0;
    for (const std::size_t place : orders_.of(clique)[order]) {
        const VariableId member = members[place];
        if ((children & mask_of(member)) != 0)
            structure.parents[member] = members_of(families_.parents(member, before));
        before |= mask_of(member);
    }
}

/// Splits off branches until nothing is left.
void SeparatorTrace::trace_union(VariableMask bag, const BranchLists& branches,
                                 const UnionLists& unions, std::size_t order, Part part,
                                 Structure& structure) const {
    while (part.under != 0) {
        const auto [branch, rest] = split(branches, unions, order, part);
        trace_branch(*branch, orders_.of_subset(branch->separator, bag)[order],
                     branch->values[order], structure);
        part = rest;
    }
}

std::pair<const Branch*, Part> SeparatorTrace::split(const BranchLists& branches,
                                                     const UnionLists& unions, std::size_t order,
                                                     const Part& part) {
    const double value = unions[size_of(part.under)].find(part)[order];
    for (const auto& of_size : branches)
        for (const Branch& branch : of_size) {
            if (united(branch.part, part) != part) continue;
            const Part rest{part.under & ~branch.part.under, part.children & ~branch.part.children};
            const double* const values = unions[size_of(rest.under)].find(rest);
            if (values != nullptr && branch.values[order] + values[order] == value)
                return {&branch, rest};
        }
    throw std::logic_error("a union of branches has lost its branches");
}

void SeparatorTrace::trace_branch(const Branch& branch, std::size_t order, double value,
                                  Structure& structure) const {
    for (const Joint& joint : joints_) {
        if (joint.separator() != branch.separator || (branch.part.under & joint.top) == 0) continue;
        if (trace_joint(joint, order, branch.part, value, structure)) return;
    }
    throw std::logic_error("a part has lost its bag");
}

/// Whether the part hangs on its separator by this joint.
bool SeparatorTrace::trace_joint(const Joint& joint, std::size_t separator_order, const Part& part,
                                 double value, Structure& structure) const {
    const CliqueScores inside(families_, joint.bag, orders_.of(joint.bag));
    const VariableMask under = part.under & ~joint.top;
    const PartValues& unions = joint.unions[size_of(under)];
    const auto& orders = orders_.of_subset(joint.separator(), joint.bag);
    const VariableMask children = part.children | joint.top;
    for (VariableMask fed_under = children;; fed_under = (fed_under - 1) & children) {
        const double* const values = unions.find({under, fed_under});
        const double* const scores = inside.of(children & ~fed_under);
        for (std::size_t i = 0; values != nullptr && i < orders.size(); ++i)
            if (orders[i] == separator_order && values[i] + scores[i] == value) {
                structure.elimination_order.push_back(first_of(joint.top));
                add_families(joint.bag, i, children & ~fed_under, structure);
                trace_union(joint.bag,
                            separators_.branches_of(joint.bag, joint.top, size_of(under)),
                            joint.unions, i, {under, fed_under}, structure);
                return true;
            }
        if (fed_under == 0) return false;
    }
}

}  // namespace baytree
