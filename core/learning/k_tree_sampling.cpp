#include "learning/k_tree_sampling.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "learning/dag_in_k_tree.hpp"
#include "learning/informative_score.hpp"
#include "learning/restarts.hpp"
#include "learning/usable_parent_sets.hpp"
#include "runtime/random_stream.hpp"
#include "structure/k_tree.hpp"

namespace baytree {

namespace {

constexpr std::size_t n_orders = 100;
constexpr std::uint64_t stream_of_draws = std::numeric_limits<std::uint64_t>::max();

/// The sequence of accepted k-trees. Threads may ask at once, in any order.
class KTreeSampler {
public:
    KTreeSampler(const ParentSetLists& sets, const StructureLimits& limits, std::uint64_t seed)
        : sets_(sets),
          limits_(limits),
          information_(sets),
          random_(seed, stream_of_draws) {}

    /// The k-tree of this number, which is asked for once; nothing if the run is over before it,
    /// unless it is the first.
    std::optional<KTree> accepted(std::uint64_t number, const RunControl& control) {
        const std::scoped_lock lock(mutex_);
        while (n_accepted_ <= number) {
            if (number > 0 && is_over(control)) return std::nullopt;
            draw();
        }
        return std::move(accepted_.extract(number).mapped());
    }

private:
    /// The first k-tree is accepted whatever it is.
    void draw() {
        KTree tree = trimmed(random_k_tree(sets_.size(), limits_.max_treewidth, random_), limits_);
        const double score = informativeness(tree, information_, sets_);
        const bool is_accepted = random_.uniform() * best_score_ < score || best_score_ == 0.0;
        best_score_ = std::max(best_score_, score);
        if (is_accepted) accepted_.emplace(n_accepted_++, std::move(tree));
    }

    const ParentSetLists& sets_;
    const StructureLimits& limits_;
    PairInformation information_;
    std::mutex mutex_;
    RandomStream random_;
    double best_score_ = 0.0;
    std::uint64_t n_accepted_ = 0;
    std::map<std::uint64_t, KTree> accepted_;  // those that were not asked for yet
};

}  // namespace

SearchOutcome sample_k_trees(const ParentSetCache& cache, const StructureLimits& limits,
                             const SearchBudget& budget, RunControl& control) {
    const ParentSetLists sets = usable_parent_sets(cache, limits);
    KTreeSampler sampler(sets, limits, budget.seed);
    Incumbent incumbent(control);
    const auto make_worker = [&] {
        return [&](std::uint64_t iteration) -> std::optional<double> {
            const auto tree = sampler.accepted(iteration, control);
            if (!tree) return std::nullopt;
            RandomStream random(budget.seed, iteration);
            Structure structure = dag_in_k_tree(*tree, sets, n_orders, random);
            const double score = structure.score;
            incumbent.offer(std::move(structure), iteration);
            return score;
        };
    };
    RestartsDone done = run_restarts(budget, control, make_worker);
    SearchOutcome outcome = std::move(incumbent).outcome(done.n_iterations, limits);
    outcome.iteration_scores = std::move(done.scores);
    return outcome;
}

}  // namespace baytree
