#include "learning/separators.hpp"

#include <algorithm>
#include <utility>

namespace baytree {

const PartValues& UnionLists::operator[](std::size_t n_under) const noexcept {
    static const PartValues none(0, std::pmr::null_memory_resource());
    if (n_under == 0) return *nothing_;
    const auto found = std::ranges::find(lists_, n_under, &OfSize::n_under);
    return found == lists_.end() ? none : found->unions;
}

void UnionLists::add(std::size_t n_under, PartValues unions) {
    if (unions.size() > 0) lists_.push_back({n_under, std::move(unions)});
}

void Separators::add(VariableMask members) {
    if (by_members_.contains(members)) return;
    by_size_.resize(std::max(by_size_.size(), size_of(members) + 1));
    auto& of_size = by_size_[size_of(members)];
    of_size.push_back(std::make_unique<Separator>(members, orders_.count(members), memory_));
    by_members_.emplace(members, of_size.back().get());
}

Separator* Separators::find(VariableMask members) const {
    const auto found = by_members_.find(members);
    return found == by_members_.end() ? nullptr : found->second;
}

BranchLists Separators::branches_of(VariableMask bag, VariableMask top,
                                    std::size_t max_under) const {
    BranchLists branches(max_under + 1, memory_);
    for (VariableMask subset = (bag - 1) & bag;; subset = (subset - 1) & bag) {
        const Separator* const on = find(subset);
        if ((subset & top) == top && on != nullptr) add_branches_on(*on, bag, branches);
        if (subset == 0) return branches;
    }
}

void Separators::add_branches_on(const Separator& on, VariableMask bag,
                                 BranchLists& branches) const {
    const std::vector<std::size_t>& orders = orders_.of_subset(on.mask, bag);
    for (std::size_t i = 0; i < on.parts.size(); ++i) {
        const Part& part = on.parts.part(i);
        const std::size_t n_under = size_of(part.under);
        if ((part.under & bag) != 0 || n_under >= branches.size()) continue;
        std::pmr::vector<double> values(memory_);
        values.reserve(orders.size());
        for (const std::size_t order : orders) values.push_back(on.parts.values(i)[order]);
        branches[n_under].push_back({part, on.mask, std::move(values)});
    }
}

}  // namespace baytree
