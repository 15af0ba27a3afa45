#include "learning/dag_search.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "learning/annealing_chain.hpp"
#include "learning/best_subset_scores.hpp"
#include "learning/candidate_parents.hpp"
#include "learning/chow_liu.hpp"
#include "learning/gain_lists.hpp"
#include "learning/hill_climb.hpp"
#include "learning/islands.hpp"
#include "learning/search_problem.hpp"
#include "learning/single_gains.hpp"
#include "learning/usable_parent_sets.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

// Shares of the time that is left, at most.
constexpr double scoring_share = 0.4;
constexpr double forest_scoring_share = 0.8;  // where nothing but the forest comes after
constexpr double climbing_share = 0.2;
constexpr double cooling_share = 0.98;  // the rest is for the last climb

// Without a budget: steps of the first pass, when more of them stop paying, and how many there are
// at most, which take about a minute on two cores with 100 variables.
constexpr std::uint64_t steps_a_variable = 10'000;
constexpr std::uint64_t n_least_steps = 3'000'000;
constexpr std::uint64_t steps_a_variable_of_few = 300'000;
constexpr std::uint64_t most_steps_a_variable = 2'000'000;
constexpr std::uint64_t n_most_steps = 2'000'000'000;
constexpr double worthwhile_share = 5e-4;  // of what the best gains over no arcs at all
constexpr double least_worthwhile = 0.01;  // nats

/// Passes of annealing without a budget, each twice as long as the one before.
struct Passes {
    explicit Passes(std::uint64_t n_variables)
        : n_first_steps(std::max(steps_a_variable * n_variables,
                                 std::min(n_least_steps, steps_a_variable_of_few * n_variables))) {
        const std::uint64_t n_all = std::min(n_most_steps, most_steps_a_variable * n_variables);
        while (n_most == 0 || n_steps_of_all() + n_steps(n_most) <= n_all) ++n_most;
    }

    std::uint64_t n_steps(std::size_t number) const { return n_first_steps << number; }
    std::uint64_t n_steps_of_all() const { return n_steps(n_most) - n_first_steps; }

    std::uint64_t n_first_steps;
    std::size_t n_most = 0;
};

/// One search, from its starts to its end.
class Search {
public:
    /// Turns a structure of the search into one to return.
    using Finish = std::function<Structure(Structure)>;

    Search(const SearchProblem& problem, const DagSearchOptions& options,
           const SearchBudget& budget, RunControl& control, Finish finish)
        : problem_(problem),
          options_(options),
          budget_(budget),
          control_(control),
          finish_(std::move(finish)),
          random_(budget.seed, 0),
          incumbent_(control),
          state_(required_state(problem, random_)),
          score_without_arcs_(state_.total_score()) {
        if (options.start) state_ = state_with(problem, *options.start, random_);
        offer(state_);
    }

    /// Makes the forest the start, if that is better than the one there is.
    void take(const Structure& forest) {
        if (!(forest.score > state_.total_score())) return;
        state_ = state_with(problem_, {forest.parents, forest.elimination_order}, random_);
        offer(state_);
    }

    void run(const Proposals& proposals) {
        const bool is_last = options_.search != DagSearch::anneal;
        const std::uint64_t n_changes =
            is_last ? climb(proposals, state_, control_.deadline(),
                            budget_.max_iterations.value_or(no_limit))
                    : climb(proposals, state_, share_of_time(control_, climbing_share), no_limit);
        if (is_last) n_iterations_ = n_accepted_ = n_changes;  // those of annealing are steps
        offer(state_);
        if (!is_last && !proposals.children.empty() && !is_over(control_)) anneal(proposals);
    }

    SearchOutcome outcome() && {
        return std::move(incumbent_).outcome(n_iterations_, problem_.limits, n_accepted_);
    }

private:
    /// On a thread of its own, while this one gives the heartbeat.
    std::uint64_t climb(const Proposals& proposals, StructureState& state, Clock::time_point until,
                        std::uint64_t max_changes) {
        std::uint64_t n_changes = 0;
        parallel_for(1, 1, control_, [&](std::size_t) {
            const bool tries_again = options_.search != DagSearch::hill_climb_once;
            n_changes = hill_climb(problem_, proposals.candidates, proposals.pairs, state, random_,
                                   control_, {until, max_changes, tries_again});
        });
        return n_changes;
    }

    void anneal(const Proposals& proposals) {
        if (budget_.max_iterations) control_.set_total(*budget_.max_iterations);
        if (budget_.max_iterations || control_.has_deadline())
            cool(proposals, budget_.max_iterations, 0);
        else
            anneal_while_it_pays(proposals);
    }

    void anneal_while_it_pays(const Proposals& proposals) {
        const Passes passes(problem_.n_variables());
        control_.set_total(passes.n_steps_of_all());
        for (std::size_t number = 0; number < passes.n_most && !control_.stop_requested();
             ++number) {
            const double before = best_score_;
            cool(proposals, passes.n_steps(number), number);
            const double gained = best_score_ - before;
            const double worthwhile =
                std::max(worthwhile_share * (best_score_ - score_without_arcs_), least_worthwhile);
            if (number > 0 && gained <= worthwhile) return;
        }
    }

    void cool(const Proposals& proposals, std::optional<std::uint64_t> n_steps,
              std::uint64_t number) {
        const CoolingPass pass{number, n_steps, share_of_time(control_, cooling_share)};
        Islands islands(problem_, proposals, state_, budget_, pass, control_);
        const std::uint64_t n_before = n_iterations_;
        islands.cool(control_, [&](const Snapshot& best, std::uint64_t n_done) {
            n_iterations_ = n_before + n_done;
            offer(best);
        });
        n_accepted_ += islands.n_accepted();
        if (is_over(control_)) return;
        const Structure best = islands.best().structure();
        StructureState last = state_with(problem_, {best.parents, best.elimination_order}, random_);
        climb(proposals, last, control_.deadline(), no_limit);
        offer(last);
    }

    void offer(const StructureState& state) {
        if (state.total_score() > best_score_) offer(state.snapshot());
    }

    void offer(const Snapshot& snapshot) {
        if (!(snapshot.score > best_score_)) return;
        best_score_ = snapshot.score;
        incumbent_.offer(finish_(snapshot.structure()), n_iterations_);
    }

    const SearchProblem& problem_;
    const DagSearchOptions& options_;
    const SearchBudget& budget_;
    RunControl& control_;
    Finish finish_;
    RandomStream random_;
    Incumbent incumbent_;
    StructureState state_;  // the best start
    double score_without_arcs_;
    double best_score_ = -std::numeric_limits<double>::infinity();
    std::uint64_t n_iterations_ = 0;
    std::uint64_t n_accepted_ = 0;
};

/// Whether a forest is to be looked for: always if asked for, else if there can be one.
bool wants_forest(const ArcConstraints& constraints, const DagSearchOptions& options) {
    const auto is_tree_like = [](const auto& required) { return required.size() <= 1; };
    return options.search == DagSearch::chow_liu ||
           std::ranges::all_of(constraints.required, is_tree_like);
}

Clock::time_point time_for_scoring(const DagSearchOptions& options, const RunControl& control) {
    const bool is_last = options.search == DagSearch::chow_liu;
    return share_of_time(control, is_last ? forest_scoring_share : scoring_share);
}

/// Lets the search start from the forest of scored pairs, if there can be one.
template <class Gains>
void take_forest(const SearchProblem& problem, const DagSearchOptions& options, const Gains& gains,
                 Search& search, RunControl& control) {
    // On a thread of its own, while this one gives the heartbeat.
    parallel_for(1, 1, control, [&](std::size_t) {
        if (wants_forest(problem.constraints, options))
            search.take(chow_liu_forest(problem, gains, control));
    });
}

CandidateParents parents_among_all(const SearchProblem& problem, const DagSearchOptions& options,
                                   const SearchBudget& budget, Search& search,
                                   RunControl& control) {
    const SingleGains gains(problem.scores, budget.n_threads, control,
                            time_for_scoring(options, control));
    take_forest(problem, options, gains, search, control);
    // A climb is to be quick.
    const bool adds_joint_ones = options.search == DagSearch::anneal;
    return candidates_among_all(gains, problem, adds_joint_ones, budget, control);
}

CandidateParents parents_among_likely(const SearchProblem& problem, const DagSearchOptions& options,
                                      const SearchBudget& budget, Search& search,
                                      RunControl& control) {
    if (options.likely_parents->size() != problem.n_variables())
        throw std::invalid_argument("there must be a list of likely parents for each variable");
    const auto [lists, n_unscored] =
        scored_lists(*options.likely_parents, problem, budget.n_threads, control,
                     time_for_scoring(options, control));
    take_forest(problem, options, lists, search, control);
    CandidateParents candidates = candidates_among(lists, problem);
    candidates.n_unscored_pairs = n_unscored;
    candidates.likely = options.likely_parents;
    return candidates;
}

Proposals proposals_of(ParentLists candidates, ParentPairs pairs,
                       const ParentSetCache* whole_sets) {
    Proposals proposals{std::move(candidates), std::move(pairs), {}, whole_sets};
    for (VariableId child = 0; child < proposals.candidates.size(); ++child)
        if (!proposals.candidates[child].empty()) proposals.children.push_back(child);
    return proposals;
}

/// The sets of a cache that keep to constraints and limits. A variable that has none is given its
/// required parents at a score that no network would choose.
ParentSetCache usable_sets(const ParentSetCache& cache, const ArcConstraints& constraints,
                           const StructureLimits& limits) {
    std::vector<ScoredParentSets> usable = usable_parent_sets(cache, limits);
    for (VariableId child = 0; child < usable.size(); ++child) {
        ScoredParentSets kept;
        for (std::size_t i = 0; i < usable[child].size(); ++i) {
            const VariableSpan parents = usable[child].parents(i);
            if (constraints.accept(parents, child)) kept.add(usable[child].score(i), parents);
        }
        if (kept.size() == 0) kept.add(score_of_no_set, constraints.required[child]);
        usable[child] = std::move(kept);
    }
    return ParentSetCache(std::move(usable));
}

/// Sets of one parent as arcs, by what the score of the child alone gains from them.
std::vector<WeightedArc> single_parents(const ParentSetCache& cache, VariableId child) {
    const ScoredParentSets& sets = cache.of(child);
    double alone = score_of_no_set;  // so a variable without the empty set wants any parent
    for (std::size_t i = 0; i < sets.size(); ++i)
        if (sets.parents(i).empty()) alone = sets.score(i);
    std::vector<WeightedArc> arcs;
    for (std::size_t i = 0; i < sets.size(); ++i)
        if (sets.parents(i).size() == 1)
            arcs.push_back({sets.parents(i)[0], child, sets.score(i) - alone});
    return arcs;
}

/// All parents that occur in the sets of each child, those of the best sets first.
ParentLists members_of(const ParentSetCache& cache) {
    ParentLists members(cache.n_variables());
    std::vector<VariableId> last_child(cache.n_variables(), std::numeric_limits<VariableId>::max());
    for (VariableId child = 0; child < cache.n_variables(); ++child)
        for (const VariableId parent : cache.of(child).members()) {
            if (last_child[parent] == child) continue;
            last_child[parent] = child;
            members[child].push_back(parent);
        }
    return members;
}

}  // namespace

SearchOutcome search_dags(const FamilyScores& scores, const ArcConstraints& constraints,
                          const StructureLimits& limits, const DagSearchOptions& options,
                          const SearchBudget& budget, RunControl& control) {
    check_problem(scores, constraints, limits);
    const SearchProblem problem{scores, constraints, limits};
    Search search(problem, options, budget, control, [](Structure structure) { return structure; });
    if (is_over(control)) return std::move(search).outcome();  // before large tables are made
    CandidateParents known = options.likely_parents
                                 ? parents_among_likely(problem, options, budget, search, control)
                                 : parents_among_all(problem, options, budget, search, control);
    if (options.search != DagSearch::chow_liu)
        search.run(proposals_of(std::move(known.lists), std::move(known.pairs), nullptr));
    SearchOutcome outcome = std::move(search).outcome();
    outcome.n_unscored_pairs = known.n_unscored_pairs;
    outcome.likely_parents = known.likely;
    return outcome;
}

SearchOutcome search_dags(const ParentSetCache& cache, const ArcConstraints& constraints,
                          const StructureLimits& limits, const DagSearchOptions& options,
                          const SearchBudget& budget, RunControl& control) {
    check_constraints(constraints, cache.n_variables());
    const ParentSetCache usable = usable_sets(cache, constraints, limits);
    const BestSubsetScores scores(usable);
    check_problem(scores, constraints, limits);
    const SearchProblem problem{scores, constraints, limits};
    Search search(problem, options, budget, control, [&](Structure structure) {
        return scores.without_idle_parents(std::move(structure));
    });
    if (wants_forest(constraints, options))
        search.take(chow_liu_forest(
            problem, [&](VariableId child) { return single_parents(usable, child); }, control));
    if (options.search != DagSearch::chow_liu)
        search.run(proposals_of(members_of(usable), {}, &usable));
    SearchOutcome outcome = std::move(search).outcome();
    if (outcome.best.score <= score_of_no_set / 2)
        throw std::invalid_argument("no network has sets of the cache and all required arcs");
    return outcome;
}

}  // namespace baytree
