#include "learning/k_tree_growth.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "learning/grown_bags.hpp"
#include "learning/inverted_parent_sets.hpp"
#include "learning/order_search.hpp"
#include "learning/restarts.hpp"
#include "learning/small_dag.hpp"
#include "learning/usable_parent_sets.hpp"
#include "learning/variable_queue.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

namespace {

constexpr std::uint32_t no_choice = static_cast<std::uint32_t>(-1);
constexpr std::size_t n_start_orders = 10;

/// sc^W and sc^B of [k-max].
struct ScoreRange {
    double worst = 0.0;
    double best = 0.0;
};

/// What all iterations share.
struct GrowthProblem {
    GrowthProblem(const ParentSetCache& cache, StructureLimits growth_limits,
                  GrowthRule growth_rule);

    std::size_t n_variables() const noexcept { return sets.size(); }

    StructureLimits limits;
    GrowthRule rule;
    ParentSetLists sets;
    InvertedParentSets inverted;
    std::vector<std::uint32_t> empty_choice;  // by variable: where its empty set is
    // For k-MAX, by variable, over all the sets of the cache, also those too large to be used:
    std::vector<ScoreRange> ranges;
    std::vector<std::vector<VariableId>> candidates;  // members of the sets
};

std::uint32_t choice_of_empty_set(const ScoredParentSets& sets) {
    for (std::uint32_t choice = 0; choice < sets.size(); ++choice)
        if (sets.parents(choice).empty()) return choice;
    return no_choice;
}

std::vector<VariableId> members_of(const ScoredParentSets& sets) {
    std::vector<VariableId> members(sets.members().begin(), sets.members().end());
    std::ranges::sort(members);
    const auto repeats = std::ranges::unique(members);
    members.erase(repeats.begin(), repeats.end());
    return members;
}

ScoreRange range_of(const ScoredParentSets& sets) {
    const auto is_finite = [](double score) { return std::isfinite(score); };
    const auto worst_first = std::views::reverse(sets.scores());
    const auto worst = std::ranges::find_if(worst_first, is_finite);
    if (worst == worst_first.end()) return {};
    return {*worst, *std::ranges::find_if(sets.scores(), is_finite)};
}

GrowthProblem::GrowthProblem(const ParentSetCache& cache, StructureLimits growth_limits,
                             GrowthRule growth_rule)
    : limits(std::move(growth_limits)),
      rule(growth_rule),
      sets(usable_parent_sets(cache, limits)),
      inverted(sets) {
    for (VariableId variable = 0; variable < sets.size(); ++variable) {
        empty_choice.push_back(choice_of_empty_set(sets[variable]));
        if (rule != GrowthRule::k_max) continue;
        ranges.push_back(range_of(cache.of(variable)));
        candidates.push_back(members_of(cache.of(variable)));
    }
}

/// Grows one k-tree after the other, in memory of its own.
class KTreeGrower {
public:
    KTreeGrower(const GrowthProblem& problem, const RunControl& control)
        : problem_(problem),
          control_(control),
          bags_(problem.n_variables(), problem.limits.max_treewidth) {}

    /// Grows a network; false if it was broken off because the run is over, which `must_finish`
    /// forbids.
    bool grow(RandomStream random, bool must_finish);

    double score() const noexcept { return score_; }
    const GrownBags& bags() const noexcept { return bags_; }
    Structure structure() const;

private:
    /// What is known of a variable that has not joined yet.
    struct Waiting {
        std::uint32_t n_wanted;  // its first sets, which score at least as much as the choice
        std::uint32_t choice;    // the best feasible set
        std::uint32_t n_equals;  // feasible sets of this score that were met
    };

    void reset(RandomStream& random);
    std::vector<VariableId> start_variables(RandomStream& random);
    std::vector<VariableId> linked_variables(RandomStream& random);
    SmallDag start_dag(RandomStream& random);
    bool add_if_fitting(std::vector<VariableId>& start, VariableId variable) const;
    void place_start(RandomStream& random);

    void join(VariableId variable, RandomStream& random);
    void insert(VariableId variable, std::uint32_t choice);
    void find_new_feasible(VariableId joined, Signature bag, RandomStream& random);
    bool lies_in_bag(VariableSpan parents) const noexcept;
    bool take(VariableId child, std::uint32_t choice, RandomStream& random);
    void choose(VariableId child, std::uint32_t choice);
    void queue(VariableId variable, RandomStream& random);
    double nearness_to_best(VariableId variable) const;
    std::size_t max_bag_size() const noexcept { return problem_.limits.max_treewidth + 1; }

    const GrowthProblem& problem_;
    const RunControl& control_;
    GrownBags bags_;
    std::vector<Waiting> waiting_;         // by variable; nothing wanted once it has joined
    std::vector<std::uint32_t> choice_;    // by variable, of those that have joined
    std::vector<VariableId> joined_;       // in this order
    std::vector<VariableId> order_;        // a random one; k-greedy follows it
    std::vector<std::uint32_t> rank_;      // in the order of k-greedy, by variable
    std::vector<std::uint32_t> bag_mark_;  // by variable: the last bag it was in
    std::vector<VariableId> bag_;          // that a variable is joining
    std::vector<VariableId> others_;
    std::uint32_t bag_number_ = 0;
    VariableQueue turns_;
    double score_ = 0.0;
};

bool KTreeGrower::grow(RandomStream random, bool must_finish) {
    constexpr std::size_t joins_per_check = 64;
    reset(random);
    place_start(random);
    if (!must_finish && is_over(control_)) return false;
    for (std::size_t n_joins = 1; !turns_.is_empty(); ++n_joins) {
        if (n_joins % joins_per_check == 0 && !must_finish && is_over(control_)) return false;
        join(turns_.pop(), random);
    }
    score_ = 0.0;
    for (VariableId variable = 0; variable < problem_.n_variables(); ++variable)
        score_ += choice_[variable] == no_choice ? -std::numeric_limits<double>::infinity()
                                                 : problem_.sets[variable].score(choice_[variable]);
    return true;
}

Structure KTreeGrower::structure() const {
    Structure structure{score_, ParentLists(problem_.n_variables()), {}};
    for (VariableId variable = 0; variable < problem_.n_variables(); ++variable) {
        if (choice_[variable] == no_choice) {
            structure.elimination_order.push_back(variable);
            continue;
        }
        const VariableSpan parents = problem_.sets[variable].parents(choice_[variable]);
        structure.parents[variable].assign(parents.begin(), parents.end());
    }
    structure.elimination_order.insert(structure.elimination_order.end(), joined_.rbegin(),
                                       joined_.rend());
    return structure;
}

void KTreeGrower::reset(RandomStream& random) {
    const std::size_t n = problem_.n_variables();
    bags_.clear();
    joined_.clear();
    turns_.reset(n);
    choice_.assign(n, no_choice);
    bag_mark_.assign(n, 0);
    bag_number_ = 0;
    waiting_.resize(n);
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), VariableId{0});
    random.shuffle(std::span(order_));
    rank_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) rank_[order_[i]] = i;
    for (VariableId variable = 0; variable < n; ++variable) {
        waiting_[variable] = {static_cast<std::uint32_t>(problem_.sets[variable].size()), no_choice,
                              0};
        if (problem_.empty_choice[variable] != no_choice)
            choose(variable, problem_.empty_choice[variable]);
    }
}

std::vector<VariableId> KTreeGrower::start_variables(RandomStream& random) {
    if (problem_.rule == GrowthRule::k_max) return linked_variables(random);
    std::vector<VariableId> start;
    for (const VariableId variable : order_) {
        if (start.size() == max_bag_size()) break;
        add_if_fitting(start, variable);
    }
    return start;
}

/// A random variable, then random candidate parents of those that were taken; another random
/// variable where no candidate is left.
std::vector<VariableId> KTreeGrower::linked_variables(RandomStream& random) {
    std::vector<VariableId> start;
    std::vector<VariableId> candidates;
    std::vector<bool> is_met(problem_.n_variables());
    const auto meet = [&](VariableId variable) {
        if (!is_met[variable]) candidates.push_back(variable);
        is_met[variable] = true;
    };
    for (auto any = order_.begin(); start.size() < max_bag_size();) {
        while (candidates.empty() && any != order_.end()) meet(*any++);
        if (candidates.empty()) break;
        std::swap(candidates[random.below(candidates.size())], candidates.back());
        const VariableId next = candidates.back();
        candidates.pop_back();
        if (add_if_fitting(start, next)) std::ranges::for_each(problem_.candidates[next], meet);
    }
    return start;
}

bool KTreeGrower::add_if_fitting(std::vector<VariableId>& start, VariableId variable) const {
    start.push_back(variable);
    if (fits_in_bag(start, problem_.limits)) return true;
    start.pop_back();
    return false;
}

SmallDag KTreeGrower::start_dag(RandomStream& random) {
    const std::vector<VariableId> variables = start_variables(random);
    return variables.size() <= max_small_dag_variables
               ? best_small_dag(problem_.sets, variables)
               : dag_by_order_search(problem_.sets, variables, n_start_orders, random, control_);
}

void KTreeGrower::place_start(RandomStream& random) {
    const SmallDag start = start_dag(random);
    if (!start.order.empty()) bags_.add_start(start.order);
    for (std::size_t i = 0; i < start.order.size(); ++i) insert(start.order[i], start.choice[i]);
    for (VariableId variable = 0; variable < problem_.n_variables(); ++variable)
        if (waiting_[variable].n_wanted > 0 && waiting_[variable].choice != no_choice)
            queue(variable, random);
    // One after the other, so that a set is met once: with the last of its members.
    ++bag_number_;
    Signature bag = 0;
    for (const VariableId variable : start.order) {
        bag_mark_[variable] = bag_number_;
        bag |= signature_of(variable);
        find_new_feasible(variable, bag, random);
    }
}

/// Adds a variable to a random k-clique that holds its parents, or to as much of it as fits.
void KTreeGrower::join(VariableId variable, RandomStream& random) {
    const std::uint32_t choice = waiting_[variable].choice;
    const VariableSpan parents = problem_.sets[variable].parents(choice);
    bags_.draw_clique_around(parents, random, others_);
    bag_.assign(parents.begin(), parents.end());
    bag_.push_back(variable);
    random.shuffle(std::span(others_));
    for (const VariableId other : others_) add_if_fitting(bag_, other);
    bags_.add(bag_, variable);
    insert(variable, choice);
    ++bag_number_;
    Signature signature = 0;
    for (const VariableId member : bag_) {
        bag_mark_[member] = bag_number_;
        signature |= signature_of(member);
    }
    find_new_feasible(variable, signature, random);
}

void KTreeGrower::insert(VariableId variable, std::uint32_t choice) {
    choice_[variable] = choice;
    waiting_[variable].n_wanted = 0;
    joined_.push_back(variable);
}

/// Goes through the sets that hold the variable that has just joined: all that can have become
/// feasible.
void KTreeGrower::find_new_feasible(VariableId joined, Signature bag, RandomStream& random) {
    const InvertedParentSets& inverted = problem_.inverted;
    for (std::size_t i = 0; i < inverted.n_groups(joined); ++i) {
        const auto group = inverted.group(joined, i);
        const Waiting& waiting = waiting_[group.child];
        bool is_better = false;
        for (std::size_t j = 0; j < group.choices.size(); ++j) {
            if (group.choices[j] >= waiting.n_wanted) break;
            if ((group.signatures[j] & ~bag) != 0) continue;
            if (lies_in_bag(problem_.sets[group.child].parents(group.choices[j])))
                is_better |= take(group.child, group.choices[j], random);
        }
        if (is_better) queue(group.child, random);
    }
}

bool KTreeGrower::lies_in_bag(VariableSpan parents) const noexcept {
    return std::ranges::all_of(parents,
                               [&](VariableId parent) { return bag_mark_[parent] == bag_number_; });
}

/// Makes a feasible set the choice of its child, if need be by lot among equally good ones; whether
/// it is better than the last choice.
bool KTreeGrower::take(VariableId child, std::uint32_t choice, RandomStream& random) {
    Waiting& waiting = waiting_[child];
    const ScoredParentSets& sets = problem_.sets[child];
    if (waiting.choice == no_choice || sets.score(choice) > sets.score(waiting.choice)) {
        choose(child, choice);
        return true;
    }
    if (random.below(++waiting.n_equals) == 0) waiting.choice = choice;
    return false;
}

void KTreeGrower::choose(VariableId child, std::uint32_t choice) {
    const auto scores = problem_.sets[child].scores();
    std::uint32_t n_wanted = choice + 1;
    while (n_wanted < scores.size() && scores[n_wanted] == scores[choice]) ++n_wanted;
    waiting_[child] = {n_wanted, choice, 1};
}

void KTreeGrower::queue(VariableId variable, RandomStream& random) {
    const double priority = problem_.rule == GrowthRule::k_max
                                ? nearness_to_best(variable)
                                : -static_cast<double>(rank_[variable]);
    turns_.raise(variable, {priority, static_cast<std::uint32_t>(random.next())});
}

/// m(X) of [k-max]: 0 for the worst set of the variable in the cache, 1 for the best.
double KTreeGrower::nearness_to_best(VariableId variable) const {
    const auto [worst, best] = problem_.ranges[variable];
    const double current = problem_.sets[variable].score(waiting_[variable].choice);
    return best > worst ? (current - worst) / (best - worst) : 1.0;
}

}  // namespace

SearchOutcome grow_k_trees(const ParentSetCache& cache, const StructureLimits& limits,
                           GrowthRule rule, const SearchBudget& budget, RunControl& control) {
    const GrowthProblem problem(cache, limits, rule);
    Incumbent incumbent(control);
    const auto make_worker = [&] {
        return [&, grower = KTreeGrower(problem, control)](
                   std::uint64_t iteration) mutable -> std::optional<double> {
            if (!grower.grow({budget.seed, iteration}, iteration == 0)) return std::nullopt;
            if (incumbent.would_take(grower.score(), iteration))
                incumbent.offer(grower.structure(), iteration);
            return grower.score();
        };
    };
    RestartsDone done = run_restarts(budget, control, make_worker);
    SearchOutcome outcome = std::move(incumbent).outcome(done.n_iterations, limits);
    outcome.iteration_scores = std::move(done.scores);
    return outcome;
}

GrownKTree grow_one_k_tree(const ParentSetCache& cache, const StructureLimits& limits,
                           GrowthRule rule, std::uint64_t seed) {
    const GrowthProblem problem(cache, limits, rule);
    const RunControl control;
    KTreeGrower grower(problem, control);
    grower.grow({seed, 0}, true);
    GrownKTree grown{grower.structure(), {}};
    for (std::size_t i = 0; i < grower.bags().n_bags(); ++i) {
        const auto bag = grower.bags().bag(i);
        grown.bags.emplace_back(bag.begin(), bag.end());
    }
    return grown;
}

}  // namespace baytree
