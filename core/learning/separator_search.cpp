#include "learning/separator_search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "learning/clique_bounds.hpp"
#include "learning/part_values.hpp"
#include "learning/separator_trace.hpp"
#include "learning/separators.hpp"
#include "runtime/bounded_memory.hpp"
#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
// Sums of the same scores in another order differ by less, as a share of them.
constexpr double rounding = 1e-13;

/// Whether the first variable under `a` comes before all those under `b`.
bool comes_first(const Part& a, const Part& b) {
    return b.under == 0 || first_of(a.under) < first_of(b.under);
}

/// Of one variable at least.
std::vector<VariableMask> subsets_of_size(std::size_t n_variables, std::size_t size) {
    std::vector<VariableMask> subsets;
    const std::uint64_t end = std::uint64_t{1} << n_variables;
    // The next larger number of as many bits: the lowest run of ones carries, the rest of it falls.
    for (std::uint64_t subset = (std::uint64_t{1} << size) - 1; subset < end;) {
        subsets.push_back(static_cast<VariableMask>(subset));
        const std::uint64_t carried = subset + (subset & -subset);
        subset = carried | (((subset ^ carried) / (subset & -subset)) >> 2);
    }
    return subsets;
}

}  // namespace

class SeparatorSearch::Tables {
public:
    Tables(const SeparatorSearch& search, double threshold)
        : families_(search.families_),
          bounds_(search.bounds_),
          n_variables_(families_.n_variables()),
          all_(static_cast<VariableMask>((std::uint64_t{1} << n_variables_) - 1)),
          max_under_(search.bags_.all_fit ? (n_variables_ - search.bags_.largest + 1) / 2
                                          : n_variables_ / 2),
          threshold_(threshold),
          n_threads_(search.n_threads_),
          control_(search.control_),
          memory_(search.max_bytes_),
          orders_(search.bags_.largest),
          separators_(orders_, &memory_),
          joints_(&memory_) {
        for (std::size_t size = 0; size <= search.bags_.largest; ++size)
            nothing_under_.push_back(nothing_under((VariableMask{1} << size) - 1));
        // On a thread of its own, while this one gives the heartbeat.
        for_each(1, [&](std::size_t) { add_bags(search.bags_); });
    }

    bool is_out_of_memory() const noexcept { return is_out_of_memory_; }

    /// Whether it came to its end.
    bool fill() {
        control_.set_total(control_.done() + max_under_ + 1);
        for (std::size_t n_under = 1; n_under <= max_under_ && !is_cut_short_; ++n_under) {
            for_each(joints_.size(), [&](std::size_t i) { extend(joints_[i], n_under - 1); });
            for (const auto& separators : separators_.by_size())  // small ones first
                for_each(separators.size(), [&](std::size_t i) { sift(*separators[i]); });
            control_.add_done(1);
        }
        roots_.resize(root_bags_.size());
        for_each(root_bags_.size(), [&](std::size_t i) { roots_[i] = find_root(root_bags_[i]); });
        control_.add_done(1);
        return !is_cut_short_;
    }

    std::optional<Structure> best_structure() {
        const auto root = std::ranges::max_element(roots_, {}, &Root::score);
        if (root == roots_.end() || root->score < threshold_) return std::nullopt;
        return SeparatorTrace(families_, orders_, separators_, joints_)
            .structure_of(*root, separators_.branches_of(root->bag, 0, max_under_),
                          root_unions(root->bag));
    }

private:
    /// Runs a task for each number below `n`, on several threads, until memory ends.
    template <class Task>
    void for_each(std::size_t n, const Task& task) {
        parallel_for(n, n_threads_, control_, [&](std::size_t i) {
            try {
                task(i);
            } catch (const std::bad_alloc&) {
                is_out_of_memory_ = true;
                is_cut_short_ = true;
            }
        });
    }

    void add_bags(const Bags& bags) {
        for (std::size_t size = 1; size <= bags.largest; ++size)
            for (const VariableMask bag : subsets_of_size(n_variables_, size)) {
                if (is_stopped()) return;
                if (bags.is_bag(bag)) add_bag(bag, bags);
            }
    }

    void add_bag(VariableMask bag, const Bags& bags) {
        if (!bags.all_fit || size_of(bag) == bags.largest) root_bags_.push_back(bag);
        for (VariableMask left = bag; left != 0; left &= left - 1) {
            joints_.push_back(
                {bag, mask_of(first_of(left)), UnionLists(nothing_under_[size_of(bag)], &memory_)});
            separators_.add(joints_.back().separator());
        }
    }

    bool is_stopped() {
        if (is_over(control_)) is_cut_short_ = true;
        return is_cut_short_;
    }

    CliqueBounds bounds_of(VariableMask clique) const {
        return CliqueBounds(families_, bounds_, clique, orders_.of(clique));
    }

    /// Whether no network above the threshold has the part, whatever its value may be.
    bool is_hopeless(VariableMask clique, const CliqueBounds& bounds, const Part& part) const {
        return bounds_[clique | part.under] + bounds_[all_ & ~part.under] -
                   bounds.least_spare(part.children) <
               threshold_;
    }

    /// What the value of a part and `CliqueBounds::spare` must differ by.
    double needed(const Part& part) const { return threshold_ - bounds_[all_ & ~part.under]; }

    PartValues values_of(VariableMask clique) {
        return PartValues(orders_.count(clique), &memory_);
    }

    PartValues nothing_under(VariableMask bag) {
        PartValues values = values_of(bag);
        std::fill_n(values.find_or_add({}), orders_.count(bag), 0.0);
        return values;
    }

    void extend(Joint& joint, std::size_t n_under) {
        if (is_stopped()) return;
        const CliqueBounds bounds = bounds_of(joint.bag);
        if (n_under > 0) {
            PartValues unions = unions_of_size(joint, bounds, n_under);
            unions.freeze();
            joint.unions.add(n_under, std::move(unions));
        }
        hand_up(joint, bounds, joint.unions[n_under]);
    }

    PartValues unions_of_size(const Joint& joint, const CliqueBounds& bounds, std::size_t n_under) {
        const BranchLists branches = separators_.branches_of(joint.bag, joint.top, n_under);
        PartValues unions = values_of(joint.bag);
        for (std::size_t size = 1; size <= n_under; ++size)
            for (const Branch& branch : branches[size]) {
                if (is_stopped()) return unions;
                const PartValues& others = joint.unions[n_under - size];
                for (std::size_t i = 0; i < others.size(); ++i)
                    if (go_together(branch.part, others.part(i)) &&
                        comes_first(branch.part, others.part(i)))
                        join(joint.bag, bounds, branch, others.part(i), others.values(i), unions);
            }
        return unions;
    }

    void join(VariableMask bag, const CliqueBounds& bounds, const Branch& branch, const Part& part,
              const double* values, PartValues& unions) const {
        const Part both = united(branch.part, part);
        if (is_hopeless(bag, bounds, both)) return;
        const std::size_t n_orders = branch.values.size();
        const double* const spare = bounds.spare(both.children);
        double* best = unions.find(both);
        if (best == nullptr) {
            const double least = needed(both);
            std::size_t i = 0;
            while (i < n_orders && branch.values[i] + values[i] - spare[i] < least) ++i;
            if (i == n_orders) return;
            best = unions.find_or_add(both);
        }
        for (std::size_t i = 0; i < n_orders; ++i)
            best[i] = std::max(best[i], branch.values[i] + values[i]);
    }

    /// Adds families inside the bag, and hangs it on its separator.
    void hand_up(const Joint& joint, const CliqueBounds& bounds, const PartValues& unions) {
        const CliqueBounds on_separator = bounds_of(joint.separator());
        for (std::size_t i = 0; i < unions.size() && !is_stopped(); ++i) {
            const Part& part = unions.part(i);
            const VariableMask must = joint.top & ~part.children;
            const VariableMask free = joint.separator() & ~part.children;
            for (VariableMask more = free;; more = (more - 1) & free) {
                hang(joint, on_separator, {part.under, part.children | more | must},
                     unions.values(i), bounds.scores().of(more | must));
                if (more == 0) break;
            }
        }
    }

    void hang(const Joint& joint, const CliqueBounds& bounds, const Part& part, const double* under,
              const double* inside) {
        const Part larger{part.under | joint.top, part.children & ~joint.top};
        if (is_hopeless(joint.separator(), bounds, larger)) return;
        Separator& on = *separators_.find(joint.separator());
        const std::vector<std::size_t>& orders = orders_.of_subset(on.mask, joint.bag);
        std::vector<double> best(orders_.count(on.mask), impossible);
        for (std::size_t i = 0; i < orders.size(); ++i)
            best[orders[i]] = std::max(best[orders[i]], under[i] + inside[i]);
        const double* const spare = bounds.spare(larger.children);
        const double least = needed(larger);
        for (std::size_t i = 0; i < best.size(); ++i)
            if (best[i] - spare[i] < least) best[i] = impossible;
        if (std::ranges::max(best) == impossible) return;
        const std::scoped_lock lock(on.mutex);
        double* const values = on.next.find_or_add(larger);
        for (std::size_t i = 0; i < best.size(); ++i) values[i] = std::max(values[i], best[i]);
    }

    /// Keeps the new parts that are not as good in another place.
    void sift(Separator& on) {
        if (is_stopped()) return;
        const CliqueScores inside(families_, on.mask, orders_.of(on.mask));
        std::vector<std::size_t> numbers(on.next.size());
        std::iota(numbers.begin(), numbers.end(), std::size_t{0});
        // Threads came in any order.
        std::ranges::sort(numbers, {}, [&](std::size_t i) { return on.next.part(i); });
        for (const std::size_t i : numbers) {
            const Part& part = on.next.part(i);
            std::vector<double> values(on.next.values(i),
                                       on.next.values(i) + orders_.count(on.mask));
            drop_if_fed_above(on, part, inside, values);
            drop_if_narrower(on, part, values);
            if (std::ranges::max(values) > impossible)
                std::ranges::copy(values, on.parts.find_or_add(part));
        }
        on.next = values_of(on.mask);
    }

    /// A member that gets its parents in the separator can as well get them above it.
    static void drop_if_fed_above(const Separator& on, const Part& part, const CliqueScores& inside,
                                  std::vector<double>& values) {
        for (VariableMask left = part.children; left != 0; left &= left - 1) {
            const VariableMask child = mask_of(first_of(left));
            const double* const others = on.next.find({part.under, part.children & ~child});
            if (others == nullptr) continue;
            const double* const family = inside.of(child);
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i] <= others[i] + family[i] + tolerance(values[i]))
                    values[i] = impossible;
        }
    }

    /// A part that hangs on fewer variables can hang wherever it can hang on more.
    void drop_if_narrower(const Separator& on, const Part& part,
                          std::vector<double>& values) const {
        const VariableMask free = on.mask & ~part.children;
        for (VariableMask left = (free - 1) & free; free != 0; left = (left - 1) & free) {
            const Separator* const fewer = separators_.find(part.children | left);
            const double* const others = fewer == nullptr ? nullptr : fewer->parts.find(part);
            if (others != nullptr) drop_if_reached(on.mask, fewer->mask, others, values);
            if (left == 0) break;
        }
    }

    void drop_if_reached(VariableMask separator, VariableMask fewer, const double* others,
                         std::vector<double>& values) const {
        const std::vector<std::size_t>& orders = orders_.of_subset(fewer, separator);
        for (std::size_t i = 0; i < values.size(); ++i)
            if (values[i] <= others[orders[i]] + tolerance(values[i])) values[i] = impossible;
    }

    static double tolerance(double value) { return rounding * std::abs(value); }

    /// Unions of branches that hold the first variables, by number of variables.
    std::pmr::vector<PartValues> unions_from_first(VariableMask bag) {
        const std::size_t n_others = n_variables_ - size_of(bag);
        const CliqueBounds bounds = bounds_of(bag);
        const BranchLists branches =
            separators_.branches_of(bag, 0, std::min(max_under_, n_others));
        std::pmr::vector<PartValues> unions(&memory_);
        unions.push_back(nothing_under(bag));
        while (unions.size() <= n_others) unions.push_back(values_of(bag));
        for (std::size_t n_under = 0; n_under < n_others; ++n_under)
            for (std::size_t i = 0; i < unions[n_under].size() && !is_stopped(); ++i)
                add_branches(bag, bounds, branches, n_under, i, unions);
        return unions;
    }

    void add_branches(VariableMask bag, const CliqueBounds& bounds, const BranchLists& branches,
                      std::size_t n_under, std::size_t number,
                      std::pmr::vector<PartValues>& unions) const {
        const Part& part = unions[n_under].part(number);
        const VariableMask first = mask_of(first_of(all_ & ~bag & ~part.under));
        for (std::size_t size = 1; size < branches.size() && n_under + size < unions.size(); ++size)
            for (const Branch& branch : branches[size])
                if ((branch.part.under & first) != 0 && go_together(branch.part, part))
                    join(bag, bounds, branch, part, unions[n_under].values(number),
                         unions[n_under + size]);
    }

    UnionLists root_unions(VariableMask bag) {
        std::pmr::vector<PartValues> unions = unions_from_first(bag);
        UnionLists lists(nothing_under_[size_of(bag)], &memory_);
        for (std::size_t size = 1; size < unions.size(); ++size)
            lists.add(size, std::move(unions[size]));
        return lists;
    }

    Root find_root(VariableMask bag) {
        Root root;
        if (is_stopped()) return root;
        const CliqueScores inside(families_, bag, orders_.of(bag));
        const PartValues whole = std::move(unions_from_first(bag).back());
        for (std::size_t i = 0; i < whole.size(); ++i) {
            const double* const scores = inside.of(bag & ~whole.part(i).children);
            for (std::size_t order = 0; order < orders_.count(bag); ++order) {
                const double score = whole.values(i)[order] + scores[order];
                const bool is_better =
                    score > root.score || (score == root.score && whole.part(i) < root.part);
                if (is_better) root = {score, bag, order, whole.part(i)};
            }
        }
        return root;
    }

    const FamilyLists& families_;
    const SubsetScores& bounds_;
    std::size_t n_variables_;
    VariableMask all_;
    std::size_t max_under_;
    double threshold_;
    int n_threads_;
    RunControl& control_;
    BoundedMemory memory_;  // outlives all that is in it
    CliqueOrders orders_;
    std::vector<PartValues> nothing_under_;  // by size of the bag
    Separators separators_;
    std::pmr::vector<Joint> joints_;
    std::vector<VariableMask> root_bags_;
    std::vector<Root> roots_;
    std::atomic<bool> is_out_of_memory_{false};
    std::atomic<bool> is_cut_short_{false};
};

SeparatorSearch::SeparatorSearch(const FamilyLists& families, const SubsetScores& bounds, Bags bags,
                                 int n_threads, std::size_t max_bytes, RunControl& control)
    : families_(families),
      bounds_(bounds),
      bags_(std::move(bags)),
      n_threads_(n_threads),
      max_bytes_(max_bytes),
      control_(control) {}

std::optional<Structure> SeparatorSearch::best_above(double threshold) {
    try {
        Tables tables(*this, threshold);
        is_cut_short_ = !tables.fill();
        is_out_of_memory_ = tables.is_out_of_memory();
        if (is_cut_short_) return std::nullopt;
        return tables.best_structure();
    } catch (const std::bad_alloc&) {
        is_cut_short_ = is_out_of_memory_ = true;
        return std::nullopt;
    }
}

}  // namespace baytree
