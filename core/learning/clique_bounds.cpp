#include "learning/clique_bounds.hpp"

#include <algorithm>
#include <limits>

namespace baytree {

namespace {

/// The subset of `members` that a number stands for, a bit each.
VariableMask chosen(const std::vector<VariableId>& members, VariableMask number) {
    VariableMask subset = 0;
    for (std::size_t i = 0; i < members.size(); ++i)
        if ((number >> i & 1) != 0) subset |= mask_of(members[i]);
    return subset;
}

/// The other way round.
VariableMask number_of(VariableMask subset, VariableMask clique) {
    VariableMask number = 0;
    VariableMask bit = 1;
    for (VariableMask left = clique; left != 0; left &= left - 1, bit <<= 1)
        if ((subset & mask_of(first_of(left))) != 0) number |= bit;
    return number;
}

}  // namespace

CliqueOrders::CliqueOrders(std::size_t max_size) : subset_orders_(max_size + 1) {
    for (std::size_t size = 0; size <= max_size; ++size) orders_.emplace_back(size);
    for (std::size_t size = 0; size <= max_size; ++size)
        for (VariableMask subset = 0; subset < VariableMask{1} << size; ++subset)
            subset_orders_[size].push_back(list_subset_orders(size, subset));
}

const Orders& CliqueOrders::of(VariableMask clique) const { return orders_[size_of(clique)]; }

const std::vector<std::size_t>& CliqueOrders::of_subset(VariableMask subset,
                                                        VariableMask clique) const {
    return subset_orders_[size_of(clique)][number_of(subset, clique)];
}

std::vector<std::size_t> CliqueOrders::list_subset_orders(std::size_t size,
                                                          VariableMask subset) const {
    std::vector<std::size_t> numbers(orders_[size].size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = i;
        std::size_t left = size;
        for (std::size_t thing = size; thing-- > 0;) {
            if ((subset >> thing & 1) != 0) continue;
            numbers[i] = Orders::without(orders_[left][numbers[i]], thing, orders_[left - 1]);
            --left;
        }
    }
    return numbers;
}

CliqueScores::CliqueScores(const FamilyLists& families, VariableMask clique, const Orders& orders)
    : clique_(clique),
      members_(members_of(clique)),
      n_orders_(orders.size()) {
    const VariableMask n_subsets = VariableMask{1} << members_.size();
    for (VariableMask before = 0; before < n_subsets; ++before)
        for (const VariableId member : members_)
            single_.push_back(families.score(member, chosen(members_, before)));
    for (VariableMask children = 0; children < n_subsets; ++children)
        for (std::size_t i = 0; i < n_orders_; ++i) values_.push_back(sum(orders[i], children));
}

const double* CliqueScores::of(VariableMask children) const {
    return values_.data() + number_of(children, clique_) * n_orders_;
}

double CliqueScores::sum(const Orders::Order& order, VariableMask children) const {
    double score = 0.0;
    VariableMask before = 0;
    for (const std::size_t place : order) {
        if ((children >> place & 1) != 0) score += single_[before * members_.size() + place];
        before |= VariableMask{1} << place;
    }
    return score;
}

CliqueBounds::CliqueBounds(const FamilyLists& families, const SubsetScores& subsets,
                           VariableMask clique, const Orders& orders)
    : scores_(families, clique, orders),
      clique_(clique),
      n_orders_(orders.size()) {
    const std::vector<VariableId> members = members_of(clique);
    const VariableMask n_subsets = VariableMask{1} << members.size();
    for (VariableMask number = 0; number < n_subsets; ++number) {
        const VariableMask children = chosen(members, number);
        for (std::size_t order = 0; order < n_orders_; ++order)
            spare_.push_back(std::max(scores_.of(children)[order], subsets[children]));
    }
    for (VariableMask number = 0; number < n_subsets; ++number)
        least_.push_back(least_of_both(number, n_subsets - 1 - number));
}

const double* CliqueBounds::spare(VariableMask children) const {
    return spare_.data() + number_of(children, clique_) * n_orders_;
}

double CliqueBounds::least_spare(VariableMask children) const {
    return least_[number_of(children, clique_)];
}

double CliqueBounds::least_of_both(std::size_t number, std::size_t others) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t order = 0; order < n_orders_; ++order)
        least = std::min(least,
                         spare_[number * n_orders_ + order] + spare_[others * n_orders_ + order]);
    return least;
}

}  // namespace baytree
