#include "learning/exact_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "learning/best_families.hpp"
#include "learning/decomposition_search.hpp"
#include "learning/k_tree_enumeration.hpp"
#include "learning/usable_parent_sets.hpp"
#include "runtime/run_control.hpp"
#include "structure/narrow_order.hpp"

namespace baytree {

namespace {

constexpr double max_table_size = 7e7;  // doubles
constexpr double forbidden = std::numeric_limits<double>::infinity();
constexpr double impossible = -std::numeric_limits<double>::infinity();

/// How large bags can be, and whether all sets of that size are bags.
struct BagSizes {
    std::size_t largest;
    bool all_fit;
};

BagSizes bag_sizes(std::size_t n_variables, const StructureLimits& limits) {
    std::size_t largest = std::min(limits.max_treewidth, n_variables - 1) + 1;
    if (limits.arities.empty()) return {largest, true};
    std::vector<std::uint32_t> arities = limits.arities;
    std::ranges::sort(arities);
    const auto fits = [&](auto first, std::size_t size) {
        double n_states = 1.0;
        for (std::size_t i = 0; i < size; ++i) n_states *= *first++;
        return size <= 1 || n_states <= limits.max_clique_states;
    };
    while (!fits(arities.begin(), largest)) --largest;
    return {largest, fits(arities.rbegin(), largest)};
}

double enumeration_cost(std::size_t n_variables, std::size_t max_bag_size) {
    const auto n_bags = static_cast<double>(n_variables - max_bag_size + 1);
    return number_of_k_trees(n_variables, max_bag_size - 1) * n_bags *
           static_cast<double>(max_bag_size) * std::exp2(n_variables);
}

double decomposition_cost(std::size_t n_variables, const BagSizes& bags) {
    double cost = 0.0;
    double table_size = 0.0;
    for (std::size_t size = bags.all_fit ? bags.largest : 1; size <= bags.largest; ++size) {
        cost += decomposition_search_cost(n_variables, size);
        table_size += decomposition_search_size(n_variables, size);
    }
    return table_size <= max_table_size ? cost : forbidden;
}

bool is_enumeration_cheaper(std::size_t n_variables, const BagSizes& bags) {
    return bags.all_fit &&
           enumeration_cost(n_variables, bags.largest) < decomposition_cost(n_variables, bags);
}

void check_request(const FamilyScores& scores, const ArcConstraints& constraints,
                   const StructureLimits& limits) {
    check_constraints(constraints, scores.n_variables());
    if (!limits.arities.empty() && limits.arities.size() != scores.n_variables())
        throw std::invalid_argument("arities must hold one number a variable");
    if (exact_search_cost(scores.n_variables(), limits) > max_exact_search_cost)
        throw std::invalid_argument("an exact search over so many variables costs too much");
}

/// The best network of any treewidth, if that happens to keep to the bound; then none is better.
std::optional<Structure> unbounded_within(const BagSizes& bags, const BestFamilies& families) {
    Structure unbounded = best_unbounded_structure(families);
    if (unbounded.score == impossible)
        throw std::invalid_argument("no network meets the constraints");
    const auto order = narrow_order(unbounded.parents, bags.largest - 1);
    if (!bags.all_fit || !order) return std::nullopt;
    unbounded.elimination_order = *order;
    return unbounded;
}

/// Offers a network of the highest score, if there is any; whether the search came to its end.
bool search_families(const BestFamilies& families, const StructureLimits& limits, int n_threads,
                     RunControl& control, Incumbent& incumbent) {
    const BagSizes bags = bag_sizes(families.n_variables(), limits);
    if (auto unbounded = unbounded_within(bags, families)) {
        incumbent.offer(std::move(*unbounded), 0);
        return true;
    }
    if (is_enumeration_cheaper(families.n_variables(), bags))
        return search_all_k_trees(families, bags.largest - 1, n_threads, control, incumbent);
    const auto is_bag = [&](VariableMask mask) { return fits_in_bag(members_of(mask), limits); };
    auto best = best_decomposed_structure(families, bags.largest, !bags.all_fit, is_bag, n_threads,
                                          control);
    if (best && best->score > impossible) incumbent.offer(std::move(*best), 0);
    return best.has_value();
}

SearchOutcome proven_outcome(Incumbent&& incumbent, const StructureLimits& limits) {
    SearchOutcome outcome = std::move(incumbent).outcome(1, limits);
    outcome.is_proven = true;
    return outcome;
}

}  // namespace

double exact_search_cost(std::size_t n_variables, const StructureLimits& limits) {
    if (n_variables > max_exact_search_variables) return forbidden;
    if (n_variables == 0) return 0.0;
    const BagSizes bags = bag_sizes(n_variables, limits);
    const double cost = decomposition_cost(n_variables, bags);
    return bags.all_fit ? std::min(cost, enumeration_cost(n_variables, bags.largest)) : cost;
}

SearchOutcome exact_structure(const FamilyScores& scores, const ArcConstraints& constraints,
                              const StructureLimits& limits, int n_threads, RunControl& control) {
    check_request(scores, constraints, limits);
    const std::size_t n_variables = scores.n_variables();
    Incumbent incumbent(control);
    if (n_variables == 0) {
        incumbent.offer({0.0, {}, {}}, 0);
        return proven_outcome(std::move(incumbent), limits);
    }
    const BestFamilies families(scores, constraints, limits, n_threads, control);
    if (!families.is_complete()) throw SearchStopped();
    if (!search_families(families, limits, n_threads, control, incumbent)) throw SearchStopped();
    const bool is_empty = incumbent.would_take(impossible, 0);
    if (is_empty) throw std::invalid_argument("no network meets the constraints");
    return proven_outcome(std::move(incumbent), limits);
}

}  // namespace baytree
