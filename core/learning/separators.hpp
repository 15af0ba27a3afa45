#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
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
    std::pmr::vector<double> values;  // by order of the bag
};

/// By number of variables under the bag.
using BranchLists = std::pmr::vector<std::pmr::vector<Branch>>;

/// Unions of branches, by number of variables under the bag. Only those of one variable or more are
/// kept, and no empty lists: there are many bags.
class UnionLists {
public:
    /// `nothing` is the union of no branches. Both must outlive the lists.
    UnionLists(const PartValues& nothing, std::pmr::memory_resource* memory)
        : nothing_(&nothing),
          lists_(memory) {}

    const PartValues& operator[](std::size_t n_under) const noexcept;
    void add(std::size_t n_under, PartValues unions);

private:
    struct OfSize {
        std::size_t n_under;
        PartValues unions;
    };

    const PartValues* nothing_;
    std::pmr::vector<OfSize> lists_;
};

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
    Separator(VariableMask members, std::size_t n_orders, std::pmr::memory_resource* memory)
        : mask(members),
          parts(n_orders, memory),
          next(n_orders, memory) {}

    VariableMask mask;
    PartValues parts;
    PartValues next;  // of the size at hand, not yet sifted
    std::mutex mutex;
};

/// Separators by their members.
class Separators {
public:
    /// Both must outlive them.
    Separators(const CliqueOrders& orders, std::pmr::memory_resource* memory)
        : orders_(orders),
          memory_(memory) {}

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
    std::pmr::memory_resource* memory_;
    std::vector<std::vector<std::unique_ptr<Separator>>> by_size_;
    std::unordered_map<VariableMask, Separator*> by_members_;
};

}  // namespace baytree
