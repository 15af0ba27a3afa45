#include "learning/parent_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <mutex>
#include <tuple>

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
    explicit PairLists(std::size_t n_variables) : lists_(n_variables) {}

    void offer(VariableId child, SurplusPair pair) {
        auto& list = lists_[child];
        if (list.size() == n_pairs_a_child && !(pair < list.back())) return;
        if (list.size() == n_pairs_a_child) list.pop_back();
        list.insert(std::ranges::upper_bound(list, pair, std::less{}), pair);
    }

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
    std::vector<std::vector<SurplusPair>> lists_;
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
    const auto offer = [&](PairLists& lists, VariableId child, SurplusPair pair) {
        if (problem.allows(pair.a, child) && problem.allows(pair.b, child))
            lists.offer(child, pair);
    };
    PairLists all(n_variables);
    std::mutex mutex;
    parallel_for(n_variables, n_threads, control, [&](std::size_t task) {
        const auto child = static_cast<VariableId>(n_variables - 1 - task);
        if (problem.is_constant(child)) return;
        PairLists own(n_variables);
        const double alone = problem.scores.score(child, {});
        for (VariableId b = 1; b < child && !is_over(control, until); ++b) {
            if (problem.is_constant(b)) continue;
            for (VariableId a = 0; a < b && !control.stop_requested(); ++a) {
                if (problem.is_constant(a)) continue;
                const std::array<VariableId, 2> parents{a, b};
                const double surplus = problem.scores.score_once(child, parents) - alone -
                                       gains.gain(a, child) - gains.gain(b, child);
                if (!(surplus > 0.0 && std::isfinite(surplus))) continue;
                offer(own, child, {surplus, a, b});
                offer(own, b, {surplus, a, child});
                offer(own, a, {surplus, b, child});
            }
        }
        const std::lock_guard lock(mutex);
        all.offer_all(own);
    });
    return all.pairs();
}

}  // namespace baytree
