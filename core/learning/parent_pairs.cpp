#include "learning/parent_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <mutex>
#include <tuple>

#include "data/row_sample.hpp"
#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr std::size_t n_pairs_a_child = 8;

struct SurplusPair {
    double surplus;
    VariableId a, b;

    auto key() const { return std::tuple(-surplus, a, b); }
    bool operator<(const SurplusPair& other) const { return key() < other.key(); }
};

/// The best pairs of each child, whatever the order they are met in.
class PairLists {
public:
    explicit PairLists(const SearchProblem& problem)
        : problem_(problem),
          lists_(problem.n_variables()) {}

    /// Offers each of the three the two others.
    void offer_triple(double surplus, VariableId a, VariableId b, VariableId c) {
        if (!(surplus > 0.0)) return;
        offer(c, {surplus, a, b});
        offer(b, {surplus, a, c});
        offer(a, {surplus, b, c});
    }

    void offer(VariableId child, SurplusPair pair) {
        if (!(pair.surplus > 0.0) || std::isinf(pair.surplus)) return;
        if (!problem_.allows(pair.a, child) || !problem_.allows(pair.b, child)) return;
        auto& list = lists_[child];
        if (list.size() == n_pairs_a_child && !(pair < list.back())) return;
        if (list.size() == n_pairs_a_child) list.pop_back();
        list.insert(std::ranges::upper_bound(list, pair, std::less{}), pair);
    }

    const std::vector<SurplusPair>& of(VariableId child) const { return lists_[child]; }

    void offer_all(const PairLists& others) {
        for (VariableId child = 0; child < lists_.size(); ++child)
            for (const SurplusPair& pair : others.lists_[child]) offer(child, pair);
    }

    ParentPairs pairs() const {
        ParentPairs pairs(lists_.size());
        for (VariableId child = 0; child < lists_.size(); ++child)
            for (const SurplusPair& pair : lists_[child]) pairs[child].push_back({pair.a, pair.b});
        return pairs;
    }

private:
    const SearchProblem& problem_;
    std::vector<std::vector<SurplusPair>> lists_;
};

/// What the lists of all tasks have; `fill` fills those of one.
template <class Fill>
PairLists filled_lists(const SearchProblem& problem, std::size_t n_tasks, int n_threads,
                       RunControl& control, const Fill& fill) {
    PairLists all(problem);
    std::mutex mutex;
    parallel_for(n_tasks, n_threads, control, [&](std::size_t task) {
        PairLists own(problem);
        fill(n_tasks - 1 - task, own);  // the last ones have the most triples: threads end together
        const std::lock_guard lock(mutex);
        all.offer_all(own);
    });
    return all;
}

/// What pairs tell of one child together, beyond the sum of what each tells alone.
class Surplus {
public:
    Surplus(const SearchProblem& problem, const SingleGains& gains, VariableId child)
        : problem_(problem),
          gains_(gains),
          child_(child),
          alone_(problem.scores.score(child, {})) {}

    double operator()(VariableId a, VariableId b) const {
        const std::array<VariableId, 2> parents{a, b};
        return problem_.scores.score_once(child_, parents) - alone_ - gains_.gain(a, child_) -
               gains_.gain(b, child_);
    }

private:
    const SearchProblem& problem_;
    const SingleGains& gains_;
    VariableId child_;
    double alone_;
};

double seconds_of_all(const SearchProblem& problem) {
    const auto n = static_cast<double>(problem.n_variables());
    return n * n * n / 6.0 * seconds_a_score(problem, 2);
}

}  // namespace

ParentPairs surplus_pairs(const SearchProblem& problem, const SingleGains& gains, int n_threads,
                          RunControl& control, double most_seconds, Clock::time_point until) {
    const std::size_t n_variables = problem.n_variables();
    if (problem.limits.max_parents < 2 || seconds_of_all(problem) > most_seconds) return {};
    const auto fill = [&](std::size_t last, PairLists& lists) {
        const auto child = static_cast<VariableId>(last);
        if (problem.is_constant(child)) return;
        const Surplus surplus(problem, gains, child);
        for (VariableId b = 1; b < child && !is_over(control, until); ++b) {
            if (problem.is_constant(b)) continue;
            for (VariableId a = 0; a < b && !control.stop_requested(); ++a)
                if (!problem.is_constant(a)) lists.offer_triple(surplus(a, b), a, b, child);
        }
    };
    return filled_lists(problem, n_variables, n_threads, control, fill).pairs();
}

ParentPairs sampled_pairs(const SearchProblem& problem, const SingleGains& gains, int n_threads,
                          RunControl& control, double most_seconds, Clock::time_point until) {
    if (problem.limits.max_parents < 2 || problem.scores.rows() == nullptr) return {};
    if (RowSample::seconds_of_triples(*problem.scores.rows()) > most_seconds) return {};
    const RowSample sample(*problem.scores.rows(), n_threads);
    const std::vector<VariableId>& variables = sample.variables();
    const auto fill = [&](std::size_t c, PairLists& lists) {
        RowSample::Pair pair(sample);
        for (std::size_t b = 1; b < c && !is_over(control, until); ++b) {
            pair.set(b, c);
            for (std::size_t a = 0; a < b; ++a)
                lists.offer_triple(pair.surplus(a), variables[a], variables[b], variables[c]);
        }
    };
    const PairLists likely = filled_lists(problem, variables.size(), n_threads, control, fill);
    const auto weigh = [&](std::size_t task, PairLists& lists) {
        const auto child = static_cast<VariableId>(task);
        const Surplus surplus(problem, gains, child);
        for (const auto& [_, a, b] : likely.of(child)) lists.offer(child, {surplus(a, b), a, b});
    };
    return filled_lists(problem, problem.n_variables(), n_threads, control, weigh).pairs();
}

}  // namespace baytree
