#include "learning/decomposition_search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "learning/orders.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

/// Values for the orders of some sets of variables, and below each for all sets of variables that
/// must get their parents there.
class ValueTable {
public:
    explicit ValueTable(std::size_t n_variables)
        : n_variables_(n_variables),
          blocks_(std::size_t{1} << n_variables) {}

    void add_set(VariableMask set, std::size_t n_orders) {
        blocks_[set].assign(n_orders << n_variables_, impossible);
        sets_.push_back(set);
    }
    /// In the order of their addition.
    const std::vector<VariableMask>& sets() const noexcept { return sets_; }
    bool has(VariableMask set) const noexcept { return !blocks_[set].empty(); }
    double* values(VariableMask set, std::size_t order) noexcept {
        return blocks_[set].data() + (order << n_variables_);
    }
    const double* values(VariableMask set, std::size_t order) const noexcept {
        return blocks_[set].data() + (order << n_variables_);
    }

private:
    std::size_t n_variables_;
    std::vector<std::vector<double>> blocks_;  // by set
    std::vector<VariableMask> sets_;
};

/// A value is named by a set of variables (a bag or a separator), an order of it, and the set
/// `below` of all variables that get their parents in the bag or under it: those of the set that do
/// not get them above, and all that are under it. So a bag and the separator that it hangs on have
/// the same `below`.
class DecompositionSearch {
public:
    DecompositionSearch(const BestFamilies& families, std::size_t max_bag_size,
                        bool needs_small_bags, const BagTest& is_bag, int n_threads,
                        RunControl& control)
        : families_(families),
          n_variables_(families.n_variables()),
          n_threads_(n_threads),
          control_(control),
          bags_(n_variables_),
          separators_(n_variables_) {
        for (std::size_t size = 0; size <= max_bag_size; ++size) orders_.emplace_back(size);
        for (std::size_t size = needs_small_bags ? 1 : max_bag_size; size <= max_bag_size; ++size)
            add_sets(size, is_bag);
        list_shorter_orders();
    }

    std::optional<Structure> run() {
        control_.set_total(n_variables_);
        for (std::size_t n_under = 0; n_under < n_variables_; ++n_under) {
            fill(bags_.sets(),
                 [&](VariableMask bag, std::size_t order) { fill_bag(bag, order, n_under); });
            // A separator may pass on to a smaller one, which must be filled before it.
            for (std::size_t size = 0; size < orders_.size(); ++size)
                fill(sets_of_size(separators_, size), [&](VariableMask set, std::size_t order) {
                    fill_separator(set, order, n_under + 1);
                });
            if (is_cut_short_) return std::nullopt;
            control_.add_done(1);
        }
        control_.beat();  // for whoever watches, all is done
        return best_structure();
    }

private:
    std::size_t n_orders(VariableMask set) const { return orders_[size_of(set)].size(); }

    VariableMask all() const { return (VariableMask{1} << n_variables_) - 1; }

    void add_sets(std::size_t bag_size, const BagTest& is_bag) {
        for (VariableMask set = 0; set <= all(); ++set) {
            if (size_of(set) + 1 == bag_size) separators_.add_set(set, n_orders(set));
            if (size_of(set) == bag_size && is_bag(set)) bags_.add_set(set, n_orders(set));
        }
    }

    void list_shorter_orders() {
        shorter_.resize(orders_.size());
        for (std::size_t size = 1; size < orders_.size(); ++size)
            for (std::size_t order = 0; order < orders_[size].size(); ++order)
                for (std::size_t thing = 0; thing < size; ++thing)
                    shorter_[size].push_back(
                        Orders::without(orders_[size][order], thing, orders_[size - 1]));
    }

    /// The order of the set without one of its members.
    std::size_t order_without(VariableMask set, std::size_t order, VariableId member) const {
        const std::size_t thing = size_of(set & (mask_of(member) - 1));
        return shorter_[size_of(set)][order * size_of(set) + thing];
    }

    static std::vector<VariableMask> sets_of_size(const ValueTable& table, std::size_t size) {
        std::vector<VariableMask> sets;
        std::ranges::copy_if(table.sets(), std::back_inserter(sets),
                             [&](VariableMask set) { return size_of(set) == size; });
        return sets;
    }

    template <class FillOne>
    void fill(const std::vector<VariableMask>& sets, const FillOne& fill_one) {
        if (sets.empty()) return;
        parallel_for(sets.size(), n_threads_, control_, [&](std::size_t i) {
            for (std::size_t order = 0; order < n_orders(sets[i]); ++order) {
                if (is_over(control_)) {
                    is_cut_short_ = true;
                    return;
                }
                fill_one(sets[i], order);
            }
        });
    }

    /// Calls `visit` with every `below` that has so many variables outside the set.
    template <class Visit>
    void for_each_below(VariableMask set, std::size_t n_under, const Visit& visit) const {
        const VariableMask outside = all() & ~set;
        for (VariableMask under = outside;; under = (under - 1) & outside) {
            if (size_of(under) == n_under)
                for (VariableMask inside = set;; inside = (inside - 1) & set) {
                    visit(under | inside);
                    if (inside == 0) break;
                }
            if (under == 0) break;
        }
    }

    void fill_bag(VariableMask bag, std::size_t order, std::size_t n_under) {
        double* const values = bags_.values(bag, order);
        for_each_below(bag, n_under, [&](VariableMask below) {
            values[below] =
                n_under == 0 ? score_inside(bag, order, below) : best_split(bag, order, below);
        });
    }

    /// Of families inside the bag.
    double score_inside(VariableMask bag, std::size_t order, VariableMask children) const {
        double score = 0.0;
        VariableMask before = 0;
        const std::vector<VariableId> members = members_of(bag);
        for (const std::size_t place : orders_[members.size()][order]) {
            const VariableId variable = members[place];
            if ((children & mask_of(variable)) != 0) score += families_.score(variable, before);
            before |= mask_of(variable);
        }
        return score;
    }

    /// One separator takes the first variable under the bag, with others; the bag keeps the rest.
    double best_split(VariableMask bag, std::size_t order, VariableMask below) const {
        const VariableMask first = mask_of(first_of(below & ~bag));
        const double* const rest = bags_.values(bag, order);
        double best = impossible;
        for_each_separator_of(bag, order, [&](VariableMask separator, std::size_t shorter) {
            const double* const hung = separators_.values(separator, shorter);
            const VariableMask free = below & ~first & ~(bag & ~separator);
            for (VariableMask more = free;; more = (more - 1) & free) {
                const VariableMask part = more | first;
                best = std::max(best, hung[part] + rest[below ^ part]);
                if (more == 0) break;
            }
        });
        return best;
    }

    /// Those that lack one member of the bag, and where bags differ in size the bag itself, since
    /// a larger one may hang on it.
    template <class Visit>
    void for_each_separator_of(VariableMask bag, std::size_t order, const Visit& visit) const {
        for (VariableMask left = bag; left != 0; left &= left - 1)
            visit(bag & ~mask_of(first_of(left)), order_without(bag, order, first_of(left)));
        if (separators_.has(bag)) visit(bag, order);
    }

    void fill_separator(VariableMask separator, std::size_t order, std::size_t n_under) {
        double* const values = separators_.values(separator, order);
        for_each_bag_on(separator, order, [&](VariableMask bag, std::size_t bag_order) {
            const double* const bag_values = bags_.values(bag, bag_order);
            for_each_below(separator, n_under, [&](VariableMask below) {
                if ((bag & ~separator & below) != 0)
                    values[below] = std::max(values[below], bag_values[below]);
            });
        });
        for_each_smaller(separator, order, [&](VariableMask smaller, std::size_t smaller_order) {
            const double* const smaller_values = separators_.values(smaller, smaller_order);
            for_each_below(separator, n_under, [&](VariableMask below) {
                if ((separator & ~smaller & below) == 0)
                    values[below] = std::max(values[below], smaller_values[below]);
            });
        });
    }

    /// The bags of one more variable, with the orders that agree with that of the separator.
    template <class Visit>
    void for_each_bag_on(VariableMask separator, std::size_t order, const Visit& visit) const {
        for (VariableId top = 0; top < n_variables_; ++top) {
            const VariableMask bag = separator | mask_of(top);
            if (bag == separator || !bags_.has(bag)) continue;
            for (std::size_t i = 0; i < n_orders(bag); ++i)
                if (order_without(bag, i, top) == order) visit(bag, i);
        }
    }

    template <class Visit>
    void for_each_smaller(VariableMask separator, std::size_t order, const Visit& visit) const {
        for (VariableMask left = separator; left != 0; left &= left - 1) {
            const VariableMask smaller = separator & ~mask_of(first_of(left));
            if (separators_.has(smaller))
                visit(smaller, order_without(separator, order, first_of(left)));
        }
    }

    /// Any variable is in some bag, which may be the root.
    Structure best_structure() {
        double best = impossible;
        std::pair<VariableMask, std::size_t> root;
        for (const VariableMask bag : bags_.sets())
            for (std::size_t order = 0; order < n_orders(bag); ++order)
                if ((bag & 1) != 0 && bags_.values(bag, order)[all()] > best) {
                    best = bags_.values(bag, order)[all()];
                    root = {bag, order};
                }
        Structure structure{best, ParentLists(n_variables_), {}};
        if (best == impossible) return structure;
        structure.elimination_order = members_of(root.first);
        trace_bag(root.first, root.second, all(), structure);
        std::ranges::reverse(structure.elimination_order);
        return structure;
    }

    // The way back: the same sums in the same order, so the choice is found by equality.

    void trace_bag(VariableMask bag, std::size_t order, VariableMask below,
                   Structure& structure) const {
        while ((below & ~bag) != 0) {
            const Split split = split_of(bag, order, below);
            trace_separator(split.separator, split.order, split.part, structure);
            below ^= split.part;
        }
        VariableMask before = 0;
        const std::vector<VariableId> members = members_of(bag);
        for (const std::size_t place : orders_[members.size()][order]) {
            const VariableId variable = members[place];
            if ((below & mask_of(variable)) != 0)
                structure.parents[variable] = members_of(families_.parents(variable, before));
            before |= mask_of(variable);
        }
    }

    struct Split {
        VariableMask separator;
        std::size_t order;
        VariableMask part;  // that hangs on the separator
    };

    Split split_of(VariableMask bag, std::size_t order, VariableMask below) const {
        const VariableMask first = mask_of(first_of(below & ~bag));
        const double* const values = bags_.values(bag, order);
        Split found{};
        for_each_separator_of(bag, order, [&](VariableMask separator, std::size_t shorter) {
            const double* const hung = separators_.values(separator, shorter);
            const VariableMask free = below & ~first & ~(bag & ~separator);
            for (VariableMask more = free;; more = (more - 1) & free) {
                const VariableMask part = more | first;
                if (hung[part] + values[below ^ part] == values[below])
                    found = {separator, shorter, part};
                if (more == 0) break;
            }
        });
        return found;
    }

    void trace_separator(VariableMask separator, std::size_t order, VariableMask below,
                         Structure& structure) const {
        const double value = separators_.values(separator, order)[below];
        std::pair<VariableMask, std::size_t> next;
        for_each_bag_on(separator, order, [&](VariableMask bag, std::size_t bag_order) {
            if ((bag & ~separator & below) != 0 && bags_.values(bag, bag_order)[below] == value)
                next = {bag, bag_order};
        });
        if (next.first != 0) {
            structure.elimination_order.push_back(first_of(next.first & ~separator));
            trace_bag(next.first, next.second, below, structure);
            return;
        }
        for_each_smaller(separator, order, [&](VariableMask smaller, std::size_t smaller_order) {
            if ((separator & ~smaller & below) == 0 &&
                separators_.values(smaller, smaller_order)[below] == value)
                next = {smaller, smaller_order};
        });
        trace_separator(next.first, next.second, below, structure);
    }

    const BestFamilies& families_;
    std::size_t n_variables_;
    int n_threads_;
    RunControl& control_;
    std::atomic<bool> is_cut_short_{false};
    ValueTable bags_;
    ValueTable separators_;
    std::vector<Orders> orders_;                     // by size of the set
    std::vector<std::vector<std::size_t>> shorter_;  // by size, order and thing that it loses
};

double n_ordered_subsets(std::size_t n_variables, std::size_t size) {
    double product = 1.0;
    for (std::size_t i = 0; i < size; ++i) product *= static_cast<double>(n_variables - i);
    return product;
}

}  // namespace

double decomposition_search_cost(std::size_t n_variables, std::size_t max_bag_size) {
    // Of the variables that are not dropped, each is below, above or in the part that is split off,
    // but one that is in the part; the dropped one is above or below.
    const double n_splits = 2.0 * std::pow(3.0, static_cast<double>(n_variables) - 2.0);
    return n_ordered_subsets(n_variables, max_bag_size) * static_cast<double>(max_bag_size) *
           n_splits;
}

double decomposition_search_size(std::size_t n_variables, std::size_t max_bag_size) {
    return (n_ordered_subsets(n_variables, max_bag_size) +
            n_ordered_subsets(n_variables, max_bag_size - 1)) *
           std::exp2(n_variables);
}

std::optional<Structure> best_decomposed_structure(const BestFamilies& families,
                                                   std::size_t max_bag_size, bool needs_small_bags,
                                                   const BagTest& is_bag, int n_threads,
                                                   RunControl& control) {
    return DecompositionSearch(families, max_bag_size, needs_small_bags, is_bag, n_threads, control)
        .run();
}

}  // namespace baytree
