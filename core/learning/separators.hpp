#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "learning/clique_bounds.hpp"
#include "learning/part_values.hpp"
#include "structure/variable_mask.hpp"

namespace baytree {

/// A part that hangs on a separator in a bag.
struct Branch {
    Part part;
    VariableMask separator;
    std::vector<double> values;  // by order of the bag
};

/// By number of variables under the bag.
using BranchLists = std::vector<std::vector<Branch>>;
using UnionLists = std::vector<PartValues>;

/// A bag that hangs on its other members by one of them, the top. All that hangs on the bag hangs
/// on the top, among others: else it could hang further up.
struct Joint {
    VariableMask bag;
    VariableMask top;
    UnionLists unions;

    VariableMask separator() const noexcept { return bag & ~top; }
};

/// Connected parts that hang on a separator.
struct Separator {
    Separator(VariableMask members, std::size_t n_orders)
        : mask(members),
          parts(n_orders),
          next(n_orders) {}

    VariableMask mask;
    PartValues parts;
    PartValues next;  // of the size at hand, not yet sifted
    std::mutex mutex;
};

/// Separators by their members.
class Separators {
public:
    /// `orders` must outlive them.
    explicit Separators(const CliqueOrders& orders) : orders_(orders) {}

    void add(VariableMask members);

    /// Null if there is none.
    Separator* find(VariableMask members) const;

    const std::vector<std::vector<std::unique_ptr<Separator>>>& by_size() const noexcept {
        return by_size_;
    }

    /// What hangs on subsets of the bag that hold `top`, or on any if that is empty.
    BranchLists branches_of(VariableMask bag, VariableMask top, std::size_t max_under) const;

private:
    void add_branches_on(const Separator& on, VariableMask bag, BranchLists& branches) const;

    const CliqueOrders& orders_;
    std::vector<std::vector<std::unique_ptr<Separator>>> by_size_;
    std::unordered_map<VariableMask, Separator*> by_members_;
};

}  // namespace baytree
