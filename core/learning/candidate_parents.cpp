#include "learning/candidate_parents.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "learning/forward_selection.hpp"

namespace baytree {

namespace {

constexpr std::size_t n_few_variables = 40;

/// How many candidates a variable has, even if none of them is a good parent alone. Among few
/// variables all are.
std::size_t least_candidates(std::size_t n_variables) {
    return n_variables <= n_few_variables ? n_variables : 5;
}

/// The length of the list of best single parents from which a variable is offered one. Where
/// columns are nearly copies of each other, they fill the first places of every list: with 40 the
/// search never met others that would have added to them. But of a hundred variables, 80 are no
/// choice any more.
std::size_t most_candidates(std::size_t n_variables) {
    return std::clamp<std::size_t>(n_variables / 2, 40, 80);
}

// Lists of candidates are for later searches too where there are so many pairs in all, counted
// without direction, for each that is listed. On three tables of 500 to 1058 variables, with 5 to
// 70 % of their cells missing, about as many hidden cells were restored as by scoring all pairs.
constexpr std::size_t fewest_pairs_a_listed_one = 2;

// Of a search: for the pairs of parents, and as much again for forward selection.
constexpr double joint_scoring_share = 0.1;
constexpr double seconds_a_step = 4e-7;
constexpr double seconds_without_budget = 10.0;
constexpr double steps_of_selection = 4.0;
// A look at a few rows takes little time even beside a short search.
constexpr double least_seconds_of_samples = 0.15;

/// Seconds of work, of all threads together, for each kind of joint scores. Does not depend on
/// times or threads where the result must not.
double seconds_for_joint_scores(const SearchBudget& budget, const RunControl& control) {
    if (budget.max_iterations) {
        const auto n_steps = static_cast<double>(*budget.max_iterations);
        return joint_scoring_share * seconds_a_step * n_steps;
    }
    if (!control.has_deadline()) return seconds_without_budget;
    const std::chrono::duration<double> left = control.deadline() - Clock::now();
    return joint_scoring_share * left.count() * budget.n_threads;
}

/// Those of the first lists, and then what else the second ones have.
ParentLists joined(ParentLists first, const ParentLists& second) {
    for (VariableId child = 0; child < first.size(); ++child)
        for (const VariableId parent : second[child])
            if (std::ranges::find(first[child], parent) == first[child].end())
                first[child].push_back(parent);
    return first;
}

void add_joint_ones(CandidateParents& candidates, const SingleGains& gains,
                    const SearchProblem& problem, const SearchBudget& budget, RunControl& control) {
    const double seconds = seconds_for_joint_scores(budget, control);
    const bool is_timed = control.has_deadline() && !budget.max_iterations;
    const auto until = [&] {
        return is_timed ? share_of_time(control, joint_scoring_share) : Clock::time_point::max();
    };
    candidates.pairs = surplus_pairs(problem, gains, budget.n_threads, control, seconds, until());
    if (candidates.pairs.empty())
        candidates.pairs = sampled_pairs(problem, gains, budget.n_threads, control,
                                         std::max(seconds, least_seconds_of_samples), until());
    const auto n = static_cast<double>(problem.n_variables());
    const double selection_seconds = steps_of_selection * n * n * seconds_a_score(problem, 3);
    // Under a time limit, some children are better than none; but few are not worth the time.
    if (selection_seconds > seconds * (is_timed ? 4.0 : 1.0)) return;
    candidates.lists = joined(forward_selected(problem, candidates.lists, candidates.pairs,
                                               budget.n_threads, control, until()),
                              candidates.lists);
}

}  // namespace

CandidateParents candidates_among(const GainLists& lists, const SearchProblem& problem) {
    return {promising_parents(lists, least_candidates(problem.n_variables()))};
}

CandidateParents candidates_among_all(const SingleGains& gains, const SearchProblem& problem,
                                      bool adds_joint_ones, const SearchBudget& budget,
                                      RunControl& control) {
    const std::size_t n_most = most_candidates(problem.n_variables());
    const GainLists lists = highest_gains(gains, problem, n_most, budget.n_threads, control);
    CandidateParents candidates = candidates_among(lists, problem);
    candidates.n_unscored_pairs = gains.n_unknown();
    const bool are_few = (problem.n_variables() - 1) / 2 >= fewest_pairs_a_listed_one * n_most;
    if (are_few && candidates.n_unscored_pairs == 0 && !is_over(control))
        candidates.likely = std::make_shared<ParentLists>(promising_parents(lists, n_most));
    if (adds_joint_ones && !is_over(control))
        add_joint_ones(candidates, gains, problem, budget, control);
    return candidates;
}

}  // namespace baytree
