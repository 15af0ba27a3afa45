#include "learning/best_k_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "learning/dag_in_k_tree.hpp"
#include "learning/join_bound.hpp"
#include "learning/relaxed_weights.hpp"
#include "learning/restarts.hpp"
#include "learning/small_dag.hpp"
#include "learning/usable_parent_sets.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

namespace {

// Without a deadline, bounds times what one takes: some three seconds.
constexpr std::size_t max_work_without_deadline = 1'000'000'000;
constexpr double share_of_k_tree = 0.9;  // of the time, if there is a deadline
constexpr std::size_t max_greedy_tries = 2'000;
constexpr std::size_t greedy_work = 2'000'000'000;
constexpr double max_noise = 0.4;
constexpr std::size_t n_orders = 1000;

WideMask wide_mask(VariableId variable) { return WideMask{1} << variable; }

/// A variable and the clique that it joins.
struct Join {
    VariableId variable;
    WideMask clique;
};

/// A k-tree over some of the variables, as it grows from one of them.
struct PartialTree {
    explicit PartialTree(VariableId first)
        : start(first),
          variables(wide_mask(first)),
          cliques{wide_mask(first)} {}

    VariableId start;
    double score = 0.0;
    double relaxed_score = 0.0;  // by relaxed weights
    WideMask variables;
    WideMask leaves = 0;            // could have joined last; never the start
    std::vector<WideMask> cliques;  // to join: all variables while they are few, then k of them
    std::vector<Join> joins;
};

/// A way to go on, and what it may lead to.
struct Extension {
    double bound;
    Join join;
};

double gain_by(const Join& join, const PairWeights& weights) {
    double sum = 0.0;
    for (WideMask left = join.clique; left != 0; left &= left - 1)
        sum += weights(join.variable, static_cast<VariableId>(std::countr_zero(left)));
    return sum;
}

/// By a factor of up to e^noise each.
PairWeights changed_weights(const PairWeights& weights, double noise, RandomStream& random) {
    PairWeights changed = weights;
    for (VariableId a = 0; a < weights.n_variables(); ++a)
        for (VariableId b = 0; b < a; ++b)
            changed.set(a, b, weights(a, b) * std::exp(noise * (2.0 * random.uniform() - 1.0)));
    return changed;
}

class KTreeSearch {
public:
    KTreeSearch(const PairWeights& weights, std::size_t k, const RunControl& control)
        : weights_(weights),
          k_(k),
          control_(control),
          until_(share_of_time(control, share_of_k_tree)),
          bound_(weights, k),
          relaxed_{weights, 0.0} {
        best_.score = -1.0;
    }

    /// Gives the proof a k-tree to beat: by the heaviest join at each step, from any variable and
    /// with weights that are changed a little.
    void search_greedily();

    /// Whether the best is proven.
    bool prove_best() {
        relaxed_ = relaxed_weights(weights_, k_, best_.score, control_, until_);
        relaxed_bound_.emplace(relaxed_.weights, k_);
        PartialTree tree(0);
        prove(tree);
        return !is_cut_short_;
    }

    const PartialTree& best() const noexcept { return best_; }

private:
    std::size_t n() const noexcept { return weights_.n_variables(); }
    bool is_complete(const PartialTree& tree) const noexcept {
        return tree.joins.size() + 1 == n();
    }
    bool is_promising(double bound) const noexcept {
        return bound > best_.score * (1.0 + 1e-12);  // sums in another order differ a little
    }

    void extend(PartialTree& tree, const Join& join) const;
    void offer(const PartialTree& tree);
    PartialTree greedy_tree(VariableId start, const PairWeights& weights) const;
    void prove(PartialTree& tree);
    std::vector<Extension> promising_extensions(const PartialTree& tree);
    bool must_end();

    const PairWeights& weights_;
    std::size_t k_;
    const RunControl& control_;
    Clock::time_point until_;
    JoinBound bound_;
    RelaxedWeights relaxed_;
    std::optional<JoinBound> relaxed_bound_;
    PartialTree best_{0};
    bool is_cut_short_ = false;
};

void KTreeSearch::extend(PartialTree& tree, const Join& join) const {
    const WideMask variable = wide_mask(join.variable);
    const std::size_t n_before = tree.joins.size() + 1;
    tree.score += gain_by(join, weights_);
    tree.relaxed_score += gain_by(join, relaxed_.weights);
    tree.variables |= variable;
    // What is joined lies inside, unless all are one clique: there any could have come last.
    tree.leaves = (n_before <= k_ ? tree.leaves : tree.leaves & ~join.clique) | variable;
    if (n_before < k_) {
        tree.cliques.assign(1, tree.variables);
    } else {
        for (WideMask left = join.clique; left != 0; left &= left - 1)
            tree.cliques.push_back((join.clique | variable) & ~(left & (~left + 1)));
    }
    tree.joins.push_back(join);
}

void KTreeSearch::offer(const PartialTree& tree) {
    if (tree.score > best_.score) best_ = tree;
}

void KTreeSearch::search_greedily() {
    const std::size_t work = n() * n() * n() * k_ * k_;
    const std::size_t n_tries = std::clamp<std::size_t>(greedy_work / work, 1, max_greedy_tries);
    const double no_more_than = bound_(1);
    for (std::size_t i = 0; i < n_tries && is_promising(no_more_than); ++i) {
        if (i > 0 && is_over(control_, until_)) return;
        RandomStream random(0, i);
        const auto start = static_cast<VariableId>(random.below(n()));
        const double noise = max_noise * random.uniform();
        offer(greedy_tree(start, changed_weights(weights_, noise, random)));
    }
}

PartialTree KTreeSearch::greedy_tree(VariableId start, const PairWeights& weights) const {
    PartialTree tree(start);
    while (!is_complete(tree)) {
        Join best{0, 0};
        double best_gain = -1.0;
        for (VariableId variable = 0; variable < n(); ++variable) {
            if ((tree.variables & wide_mask(variable)) != 0) continue;
            for (const WideMask clique : tree.cliques) {
                const double gain = gain_by({variable, clique}, weights);
                if (gain <= best_gain) continue;
                best_gain = gain;
                best = {variable, clique};
            }
        }
        extend(tree, best);
    }
    return tree;
}

bool KTreeSearch::must_end() {
    const std::size_t work = (bound_.n_found() + relaxed_bound_->n_found()) * n() * n() * k_;
    const bool is_too_much = !control_.has_deadline() && work > max_work_without_deadline;
    if (is_too_much || is_over(control_, until_)) is_cut_short_ = true;
    return is_cut_short_;
}

/// Goes through all k-trees that extend this one and may beat the best.
void KTreeSearch::prove(PartialTree& tree) {
    if (is_complete(tree)) return offer(tree);
    if (must_end()) return;
    for (const Extension& extension : promising_extensions(tree)) {
        if (!is_promising(extension.bound)) return;  // nor are those that follow
        const double score = tree.score;
        const double relaxed_score = tree.relaxed_score;
        const WideMask leaves = tree.leaves;
        const std::vector<WideMask> cliques = tree.cliques;
        extend(tree, extension.join);
        prove(tree);
        tree.score = score;
        tree.relaxed_score = relaxed_score;
        tree.leaves = leaves;
        tree.cliques = cliques;
        tree.variables &= ~wide_mask(extension.join.variable);
        tree.joins.pop_back();
        if (is_cut_short_) return;
    }
}

/// Each k-tree is built in one order alone: the reverse of that in which the last of the leaves is
/// taken off first. So a variable may join if all later leaves cease to be leaves by that.
std::vector<Extension> KTreeSearch::promising_extensions(const PartialTree& tree) {
    std::vector<Extension> extensions;
    const bool is_one_clique = tree.joins.size() + 1 <= k_;
    for (VariableId variable = 1; variable < n(); ++variable) {
        if ((tree.variables & wide_mask(variable)) != 0) continue;
        const WideMask joined = tree.variables | wide_mask(variable);
        const double others = tree.score + bound_(joined);
        const double relaxed_others =
            tree.relaxed_score + relaxed_.constant + (*relaxed_bound_)(joined);
        for (const WideMask clique : tree.cliques) {
            const WideMask leaves = is_one_clique ? tree.leaves : tree.leaves & ~clique;
            if ((leaves >> variable) != 0) continue;
            const Join join{variable, clique};
            if (must_end() || !is_promising(others + gain_by(join, weights_)) ||
                !is_promising(relaxed_others + gain_by(join, relaxed_.weights)))
                continue;
            PartialTree next = tree;
            extend(next, join);
            const double bound = next.score + bound_(next.variables, next.cliques);
            if (is_promising(bound)) extensions.push_back({bound, join});
        }
    }
    std::ranges::stable_sort(extensions, std::ranges::greater{}, &Extension::bound);
    return extensions;
}

PairWeights weights_among(std::span<const VariableId> variables,
                          const PairInformation& information) {
    PairWeights weights(variables.size());
    for (VariableId a = 0; a < variables.size(); ++a)
        for (VariableId b = 0; b < a; ++b)
            weights.set(a, b, information(variables[a], variables[b]));
    return weights;
}

/// Variables in the order in which a good k-tree grows: built along it, others prove sooner that
/// they are worse.
std::vector<VariableId> promising_order(const PairInformation& information, std::size_t k,
                                        const RunControl& control) {
    std::vector<VariableId> variables(information.n_variables());
    std::iota(variables.begin(), variables.end(), VariableId{0});
    const PairWeights weights = weights_among(variables, information);
    KTreeSearch search(weights, k, control);
    search.search_greedily();
    std::vector<VariableId> order{search.best().start};
    for (const Join& join : search.best().joins) order.push_back(join.variable);
    return order;
}

KTree tree_of(const PartialTree& built, std::span<const VariableId> variables) {
    KTree tree;
    tree.join(variables[built.start], {});
    for (const Join& join : built.joins) {
        std::vector<VariableId> clique;
        for (WideMask left = join.clique; left != 0; left &= left - 1)
            clique.push_back(variables[static_cast<std::size_t>(std::countr_zero(left))]);
        std::ranges::sort(clique);
        tree.join(variables[join.variable], clique);
    }
    return tree;
}

}  // namespace

BestKTree find_best_k_tree(const PairInformation& information, std::size_t k,
                           const RunControl& control) {
    if (information.n_variables() > max_best_k_tree_variables)
        throw std::invalid_argument("the best k-tree is searched for 64 variables at most");
    if (information.n_variables() == 0) return {{}, 0.0, true};
    const std::vector<VariableId> variables = promising_order(information, k, control);
    const PairWeights weights = weights_among(variables, information);
    KTreeSearch search(weights, k, control);
    search.search_greedily();
    const bool is_proven = search.prove_best();
    return {tree_of(search.best(), variables), search.best().score, is_proven};
}

SearchOutcome search_best_k_tree(const ParentSetCache& cache, const StructureLimits& limits,
                                 const SearchBudget& budget, RunControl& control) {
    const ParentSetLists sets = usable_parent_sets(cache, limits);
    const PairInformation information(sets);
    BestKTree found;
    // On a thread of its own, while this one gives the heartbeat.
    parallel_for(1, 1, control, [&](std::size_t) {
        found = find_best_k_tree(information, limits.max_treewidth, control);
    });
    const KTree tree = trimmed(found.tree, limits);
    SearchBudget tries = budget;
    if (sets.size() <= max_small_dag_variables) tries.max_iterations = 1;
    Incumbent incumbent(control);
    const auto make_worker = [&] {
        return [&](std::uint64_t iteration) -> std::optional<double> {
            RandomStream random(budget.seed, iteration);
            Structure structure = dag_in_k_tree(tree, sets, n_orders, random);
            const double score = structure.score;
            incumbent.offer(std::move(structure), iteration);
            return score;
        };
    };
    RestartsDone done = run_restarts(tries, control, make_worker);
    SearchOutcome outcome = std::move(incumbent).outcome(done.n_iterations, limits);
    outcome.iteration_scores = std::move(done.scores);
    outcome.is_proven = found.is_proven;
    return outcome;
}

}  // namespace baytree
