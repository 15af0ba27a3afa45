#include "learning/exact_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "learning/best_families.hpp"
#include "learning/dag_search.hpp"
#include "learning/decomposition_search.hpp"
#include "learning/family_lists.hpp"
#include "learning/k_tree_enumeration.hpp"
#include "learning/separator_search.hpp"
#include "learning/subset_scores.hpp"
#include "learning/usable_parent_sets.hpp"
#include "runtime/run_control.hpp"
#include "structure/narrow_order.hpp"

namespace baytree {

namespace {

// Tables hold values for all orders of a bag.
constexpr std::size_t max_ordered_bag = 6;
// Larger bags: so many variables, steps (one or two minutes on one core) and doubles.
constexpr std::size_t max_variables_of_large_bags = 12;
constexpr double max_cost = 2e10;
constexpr double max_table_size = 7e7;
constexpr double infinity = std::numeric_limits<double>::infinity();

// The threshold sinks from the bound to the best known score, or on and on if there is none.
constexpr double first_share = 0.125;  // of the gap
constexpr double growth = 2.0;
constexpr double first_share_of_all = 1e-4;  // of the magnitude of scores
constexpr double growth_of_all = 4.0;
constexpr double rounding = 1e-11;  // of scores, as a share of them

constexpr std::size_t n_few_variables = 8;  // are not worth annealing
constexpr std::uint64_t steps_per_variable = 50'000;
constexpr std::size_t n_soon_proven = 12;  // variables, whatever network there is to begin with
constexpr std::uint64_t more_steps_per_variable = 400'000;

Bags bags_within(std::size_t n_variables, const StructureLimits& limits) {
    std::size_t largest = std::min(limits.max_treewidth, n_variables - 1) + 1;
    const auto is_bag = [&limits](VariableMask mask) {
        return fits_in_bag(members_of(mask), limits);
    };
    if (limits.arities.empty()) return {largest, true, is_bag};
    std::vector<std::uint32_t> arities = limits.arities;
    std::ranges::sort(arities);
    const auto fits = [&](auto first, std::size_t size) {
        double n_states = 1.0;
        for (std::size_t i = 0; i < size; ++i) n_states *= *first++;
        return size <= 1 || n_states <= limits.max_clique_states;
    };
    while (!fits(arities.begin(), largest)) --largest;
    return {largest, fits(arities.rbegin(), largest), is_bag};
}

double enumeration_cost(std::size_t n_variables, const Bags& bags) {
    if (!bags.all_fit) return infinity;
    const auto n_bags = static_cast<double>(n_variables - bags.largest + 1);
    return number_of_k_trees(n_variables, bags.largest - 1) * n_bags *
           static_cast<double>(bags.largest) * std::exp2(n_variables);
}

double decomposition_size(std::size_t n_variables, const Bags& bags) {
    double table_size = 0.0;
    for (std::size_t size = bags.all_fit ? bags.largest : 1; size <= bags.largest; ++size)
        table_size += decomposition_search_size(n_variables, size);
    return table_size;
}

double decomposition_cost(std::size_t n_variables, const Bags& bags) {
    double cost = 0.0;
    for (std::size_t size = bags.all_fit ? bags.largest : 1; size <= bags.largest; ++size)
        cost += decomposition_search_cost(n_variables, size);
    return decomposition_size(n_variables, bags) <= max_table_size ? cost : infinity;
}

void check_request(const FamilyScores& scores, const ArcConstraints& constraints,
                   const StructureLimits& limits) {
    check_constraints(constraints, scores.n_variables());
    if (!limits.arities.empty() && limits.arities.size() != scores.n_variables())
        throw std::invalid_argument("arities must hold one number a variable");
    if (!can_search_exactly(scores.n_variables(), limits))
        throw std::invalid_argument("an exact search over so many variables costs too much");
}

ArcConstraints no_constraints(std::size_t n_variables) {
    return {ParentLists(n_variables), ParentLists(n_variables), {}};
}

/// What there is to be had at once, before all families have their scores.
std::optional<Structure> hill_climbed(const FamilyScores& scores, const ArcConstraints& constraints,
                                      const StructureLimits& limits, int n_threads,
                                      RunControl& control) {
    try {
        return search_dags(scores, constraints, limits, {DagSearch::hill_climb_once, {}},
                           {std::nullopt, 0, n_threads}, control)
            .best;
    } catch (const std::invalid_argument&) {  // required arcs that do not fit at once
        return std::nullopt;
    }
}

/// One search, from the first network to the proof.
class ExactSearch {
public:
    ExactSearch(const FamilyScores& scores, const ArcConstraints& constraints,
                const StructureLimits& limits, int n_threads, std::size_t max_bytes,
                RunControl& control)
        : scores_(scores),
          constraints_(constraints),
          limits_(limits),
          n_threads_(n_threads),
          max_bytes_(max_bytes),
          control_(control),
          bags_(bags_within(scores.n_variables(), limits)),
          families_(scores, constraints, limits, n_threads, control),
          incumbent_(control) {}

    /// From a network to begin with, if there is one.
    SearchOutcome run(std::optional<Structure> first) && {
        if (first && first->score > -infinity) offer(std::move(*first));
        if (families_.is_complete()) {
            offer_annealed(steps_per_variable);
            is_proven_ = prove();
        }
        if (best_score() == -infinity) throw_without_network();
        SearchOutcome outcome = std::move(incumbent_).outcome(1, limits_);
        outcome.is_proven = is_proven_;
        outcome.is_out_of_memory = is_out_of_memory_;
        outcome.score_bound =
            is_proven_ ? outcome.best.score : std::max(bound_, outcome.best.score);
        return outcome;
    }

private:
    void offer(Structure structure) { incumbent_.offer(std::move(structure), 0); }

    /// Minus infinity if there is no network yet.
    double best_score() const { return incumbent_.score().value_or(-infinity); }

    /// Nearly always a network of the highest score in the end: the rest is proof.
    void offer_annealed(std::uint64_t n_steps_per_variable) {
        const std::size_t n = families_.n_variables();
        const DagSearch search = n <= n_few_variables ? DagSearch::hill_climb : DagSearch::anneal;
        StructureLimits limits = limits_;  // the lists keep to that of parents
        limits.max_parents = limits.max_treewidth;
        const SearchBudget budget{n_steps_per_variable * n, 0, n_threads_};
        Structure found = search_dags(families_.to_cache(), no_constraints(n), limits, {search, {}},
                                      budget, control_)
                              .best;
        if (families_.allows(found)) offer(std::move(found));
    }

    /// Whether it came to its end.
    bool prove() {
        bound_ = 0.0;
        for (VariableId child = 0; child < families_.n_variables(); ++child)
            bound_ += families_.score(child, ~VariableMask{0});
        const std::size_t n_bytes = sizeof(double) << families_.n_variables();
        if (takes_too_much(static_cast<double>(n_bytes))) return false;
        max_bytes_ -= n_bytes;
        const SubsetScores bounds(families_, n_threads_, control_);
        if (!bounds.is_complete()) return false;
        bound_ =
            bounds[static_cast<VariableMask>((std::uint64_t{1} << families_.n_variables()) - 1)];
        if (is_reached(bound_) || is_unbounded_within(bounds)) return true;
        if (families_.n_variables() > n_soon_proven) offer_annealed(more_steps_per_variable);
        if (is_reached(bound_)) return true;
        return bags_.largest <= max_ordered_bag ? lower_threshold(bounds) : search_large_bags();
    }

    bool takes_too_much(double n_bytes) {
        is_out_of_memory_ = n_bytes > static_cast<double>(max_bytes_);
        return is_out_of_memory_;
    }

    /// Whether the best known network scores as much.
    bool is_reached(double score) const { return best_score() >= score - slack(); }

    double slack() const { return rounding * families_.magnitude(); }

    /// Whether the best network of any treewidth happens to keep to the bound; then none is better.
    bool is_unbounded_within(const SubsetScores& bounds) {
        if (!bags_.all_fit || families_.n_variables() > max_variables_of_large_bags) return false;
        Structure unbounded = bounds.best_structure();
        const auto order = narrow_order(unbounded.parents, bags_.largest - 1);
        if (!order || !families_.allows(unbounded)) return false;
        unbounded.elimination_order = *order;
        offer(std::move(unbounded));
        return true;
    }

    /// Looks for networks above one threshold after the other. Low ones take long, but each that is
    /// not reached is a bound. Returns whether it came to its end.
    bool lower_threshold(const SubsetScores& bounds) {
        SeparatorSearch search(families_, bounds, bags_, n_threads_, max_bytes_, control_);
        const double highest = bound_;
        const bool has_network = best_score() > -infinity;
        const double lowest = has_network ? best_score() : -2.0 * families_.magnitude() - 1.0;
        double step = has_network ? first_share * (highest - lowest)
                                  : first_share_of_all * families_.magnitude() + slack();
        for (;; step *= has_network ? growth : growth_of_all) {
            const double threshold = std::max(highest - step, lowest);
            auto found = search.best_above(threshold - slack());
            is_out_of_memory_ = search.is_out_of_memory();
            if (search.is_cut_short()) return false;
            if (found && families_.allows(*found)) offer(std::move(*found));
            if (found || threshold == lowest) return true;
            bound_ = threshold;
        }
    }

    /// Whether it came to its end.
    bool search_large_bags() {
        const std::size_t n = families_.n_variables();
        const BestFamilies families(scores_, constraints_, limits_, n_threads_, control_);
        if (!families.is_complete()) return false;
        if (enumeration_cost(n, bags_) < decomposition_cost(n, bags_))
            return search_all_k_trees(families, bags_.largest - 1, n_threads_, control_,
                                      incumbent_);
        if (takes_too_much(sizeof(double) * decomposition_size(n, bags_))) return false;
        auto best = best_decomposed_structure(families, bags_.largest, !bags_.all_fit, bags_.is_bag,
                                              n_threads_, control_);
        if (best && best->score > -infinity) offer(std::move(*best));
        return best.has_value();
    }

    [[noreturn]] void throw_without_network() const {
        if (!is_proven_) throw SearchStopped();
        throw std::invalid_argument("no network meets the constraints");
    }

    const FamilyScores& scores_;
    const ArcConstraints& constraints_;
    const StructureLimits& limits_;
    int n_threads_;
    std::size_t max_bytes_;  // left for tables
    RunControl& control_;
    Bags bags_;
    FamilyLists families_;
    Incumbent incumbent_;
    double bound_ = infinity;
    bool is_proven_ = false;
    bool is_out_of_memory_ = false;
};

}  // namespace

bool can_search_exactly(std::size_t n_variables, const StructureLimits& limits) {
    if (n_variables > max_exact_search_variables) return false;
    if (n_variables == 0) return true;
    const Bags bags = bags_within(n_variables, limits);
    if (bags.largest <= max_ordered_bag) return true;
    return n_variables <= max_variables_of_large_bags &&
           std::min(enumeration_cost(n_variables, bags), decomposition_cost(n_variables, bags)) <=
               max_cost;
}

SearchOutcome exact_structure(const FamilyScores& scores, const ArcConstraints& constraints,
                              const StructureLimits& limits, int n_threads, std::size_t max_bytes,
                              RunControl& control) {
    check_request(scores, constraints, limits);
    if (scores.n_variables() > 0) {
        auto first = hill_climbed(scores, constraints, limits, n_threads, control);
        return ExactSearch(scores, constraints, limits, n_threads, max_bytes, control)
            .run(std::move(first));
    }
    Incumbent incumbent(control);
    incumbent.offer({0.0, {}, {}}, 0);
    SearchOutcome outcome = std::move(incumbent).outcome(1, limits);
    outcome.is_proven = true;
    outcome.score_bound = 0.0;
    return outcome;
}

}  // namespace baytree
