#pragma once

#include <cstddef>
#include <vector>

#include "learning/family_lists.hpp"
#include "learning/orders.hpp"
#include "learning/subset_scores.hpp"
#include "structure/variable_mask.hpp"

namespace baytree {

/// Orders of cliques by size, and of their subsets.
class CliqueOrders {
public:
    explicit CliqueOrders(std::size_t max_size);

    const Orders& of(VariableMask clique) const;
    std::size_t count(VariableMask clique) const { return of(clique).size(); }

    /// The order of the subset that agrees with each order of the clique.
    const std::vector<std::size_t>& of_subset(VariableMask subset, VariableMask clique) const;

private:
    std::vector<std::size_t> list_subset_orders(std::size_t size, VariableMask subset) const;

    std::vector<Orders> orders_;                                        // by size
    std::vector<std::vector<std::vector<std::size_t>>> subset_orders_;  // by size and subset
};

/// Scores of families inside a clique, for each set of children and each order of the clique.
class CliqueScores {
public:
    CliqueScores(const FamilyLists& families, VariableMask clique, const Orders& orders);

    /// By order.
    const double* of(VariableMask children) const;

private:
    double sum(const Orders::Order& order, VariableMask children) const;

    VariableMask clique_;
    std::vector<VariableId> members_;
    std::size_t n_orders_;
    std::vector<double> single_;  // by set before and member
    std::vector<double> values_;  // by children and order
};

/// What families inside a clique say of networks outside of a part that hangs on it, or inside.
class CliqueBounds {
public:
    CliqueBounds(const FamilyLists& families, const SubsetScores& subsets, VariableMask clique,
                 const Orders& orders);

    const CliqueScores& scores() const noexcept { return scores_; }

    /// By order of the clique: what the children could have among its members, or the best of them
    /// without others. A network that leaves them without parents can have that in addition, so it
    /// scores so much less than the best network can.
    const double* spare(VariableMask children) const;
    /// The least, over all orders, for some children and the others together.
    double least_spare(VariableMask children) const;

private:
    double least_of_both(std::size_t number, std::size_t others) const;

    CliqueScores scores_;
    VariableMask clique_;
    std::size_t n_orders_;
    std::vector<double> spare_;  // by children and order
    std::vector<double> least_;  // by children
};

}  // namespace baytree
