#include "learning/k_tree_sampling.hpp"

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

// Drawing and assessing a k-tree costs about as much as trying an order in it.
constexpr std::size_t n_draws = 100;
constexpr std::size_t n_orders = 100;

/// The most informative of many random k-trees; nothing once the run is over, unless `must_finish`.
std::optional<KTree> informative_k_tree(const PairInformation& information,
                                        const StructureLimits& limits, bool must_finish,
                                        const RunControl& control, RandomStream& random) {
    std::optional<KTree> best;
    double best_score = 0.0;
    for (std::size_t i = 0; i < n_draws; ++i) {
        if (is_over(control)) {
            if (!must_finish) return std::nullopt;
            if (best) break;
        }
        KTree tree = random_k_tree(information.n_variables(), limits.max_treewidth, random);
        if (!limits.arities.empty()) tree = trimmed(tree, limits);
        const double score = informative_score(tree, information);
        if (best && score <= best_score) continue;
        best_score = score;
        best = std::move(tree);
    }
    return best;
}

}  // namespace

SearchOutcome sample_k_trees(const ParentSetCache& cache, const StructureLimits& limits,
                             const SearchBudget& budget, RunControl& control) {
    const ParentSetLists sets = usable_parent_sets(cache, limits);
    const PairInformation information(sets);
    Incumbent incumbent(control);
    const auto make_worker = [&] {
        return [&](std::uint64_t iteration) -> std::optional<double> {
            RandomStream random(budget.seed, iteration);
            const auto tree =
                informative_k_tree(information, limits, iteration == 0, control, random);
            if (!tree) return std::nullopt;
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
