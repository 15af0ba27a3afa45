#include "learning/best_k_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

#include "learning/dag_in_k_tree.hpp"
#include "learning/restarts.hpp"
#include "learning/small_dag.hpp"
#include "learning/usable_parent_sets.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

namespace {

constexpr std::size_t max_partial_trees = 500'000;
constexpr std::size_t n_orders = 1000;

/// Set of variables.
using Mask = std::uint32_t;

Mask bit(VariableId variable) { return Mask{1} << variable; }

/// A k-tree over some of the variables: a smaller one and the variable that joined it last.
struct PartialTree {
    double score;
    double bound;  // no k-tree that extends it scores more
    Mask variables;
    Mask clique;  // that the last variable joined
    VariableId last;
    std::uint32_t before;
    std::uint64_t edges;  // digest, whatever the order in which they came
};

class KTreeSearch {
public:
    KTreeSearch(const PairInformation& information, std::size_t k, const RunControl& control)
        : information_(information),
          k_(k),
          control_(control) {
        for (VariableId variable = 0; variable < n(); ++variable)
            best_join_.push_back(best_join(variable));
    }

    BestKTree run() {
        push_start();
        bool is_proven = true;
        while (!open_.empty()) {
            const std::uint32_t next = open_.top().second;
            open_.pop();
            if (best_ && trees_[next].bound <= trees_[*best_].score) break;
            if (is_over(control_) || trees_.size() > max_partial_trees) {
                is_proven = false;
                break;
            }
            extend(next);
        }
        return {tree_of(*best_), trees_[*best_].score, is_proven};
    }

private:
    std::size_t n() const { return information_.n_variables(); }

    /// Most that a variable can add when it joins.
    double best_join(VariableId variable) const {
        std::vector<double> gains;
        for (VariableId other = 0; other < n(); ++other)
            if (other != variable) gains.push_back(information_(variable, other));
        std::ranges::sort(gains, std::ranges::greater{});
        gains.resize(std::min(gains.size(), k_));
        return std::accumulate(gains.begin(), gains.end(), 0.0);
    }

    /// Any variable is in some clique, so every k-tree can be built from the one with most to tell.
    void push_start() {
        const auto start =
            static_cast<VariableId>(std::ranges::max_element(best_join_) - best_join_.begin());
        const double bound =
            std::accumulate(best_join_.begin(), best_join_.end(), 0.0) - best_join_[start];
        add({0.0, bound, bit(start), 0, start, 0, 0});
        complete_greedily(0);
    }

    std::uint32_t add(const PartialTree& tree) {
        trees_.push_back(tree);
        const auto index = static_cast<std::uint32_t>(trees_.size() - 1);
        if (static_cast<std::size_t>(std::popcount(tree.variables)) < n())
            open_.emplace(tree.bound, index);
        else if (!best_ || tree.score > trees_[*best_].score)
            best_ = index;
        return index;
    }

    void extend(std::uint32_t index) {
        for (const PartialTree& next : extensions(index))
            if ((!best_ || next.bound > trees_[*best_].score) && known_.insert(next.edges).second)
                add(next);
    }

    /// Gives the search a k-tree to beat.
    void complete_greedily(std::uint32_t index) {
        while (static_cast<std::size_t>(std::popcount(trees_[index].variables)) < n())
            index = add(std::ranges::max(extensions(index), {}, &PartialTree::bound));
    }

    std::vector<PartialTree> extensions(std::uint32_t index) const {
        const PartialTree tree = trees_[index];
        const std::vector<Mask> cliques = cliques_of(index);
        std::vector<PartialTree> result;
        for (VariableId variable = 0; variable < n(); ++variable) {
            if ((tree.variables & bit(variable)) != 0) continue;
            for (const Mask clique : cliques)
                result.push_back(extension(tree, index, variable, clique));
        }
        return result;
    }

    PartialTree extension(const PartialTree& tree, std::uint32_t index, VariableId variable,
                          Mask clique) const {
        PartialTree next = tree;
        double gain = 0.0;
        for (Mask left = clique; left != 0; left &= left - 1) {
            const auto member = static_cast<VariableId>(std::countr_zero(left));
            gain += information_(variable, member);
            const auto [low, high] = std::minmax(variable, member);
            next.edges += RandomStream(low, high).next();
        }
        next.score += gain;
        next.bound += gain - best_join_[variable];
        next.variables |= bit(variable);
        next.clique = clique;
        next.last = variable;
        next.before = index;
        return next;
    }

    /// The cliques that a variable can join: all variables while there are at most k, then those of
    /// k members.
    std::vector<Mask> cliques_of(std::uint32_t index) const {
        const Mask all = trees_[index].variables;
        if (static_cast<std::size_t>(std::popcount(all)) <= k_) return {all};
        std::vector<Mask> cliques;
        for (;; index = trees_[index].before) {
            const PartialTree& tree = trees_[index];
            const bool is_start = static_cast<std::size_t>(std::popcount(tree.variables)) == k_ + 1;
            for (Mask left = tree.clique; left != 0; left &= left - 1)
                cliques.push_back((tree.clique | bit(tree.last)) & ~(left & (~left + 1)));
            if (!is_start) continue;
            cliques.push_back(tree.clique);
            return cliques;
        }
    }

    KTree tree_of(std::uint32_t index) const {
        std::vector<std::uint32_t> steps;
        for (; std::popcount(trees_[index].variables) > 1; index = trees_[index].before)
            steps.push_back(index);
        steps.push_back(index);
        KTree tree;
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            std::vector<VariableId> clique;
            for (Mask left = trees_[*step].clique; left != 0; left &= left - 1)
                clique.push_back(static_cast<VariableId>(std::countr_zero(left)));
            tree.join(trees_[*step].last, clique);
        }
        return tree;
    }

    const PairInformation& information_;
    std::size_t k_;
    const RunControl& control_;
    std::vector<double> best_join_;  // by variable
    std::vector<PartialTree> trees_;
    std::priority_queue<std::pair<double, std::uint32_t>> open_;
    std::unordered_set<std::uint64_t> known_;  // digests of edges
    std::optional<std::uint32_t> best_;        // of all variables
};

}  // namespace

BestKTree find_best_k_tree(const PairInformation& information, std::size_t k,
                           const RunControl& control) {
    if (information.n_variables() > max_best_k_tree_variables)
        throw std::invalid_argument("the best k-tree is searched for 32 variables at most");
    if (information.n_variables() == 0) return {{}, 0.0, true};
    return KTreeSearch(information, k, control).run();
}

SearchOutcome search_best_k_tree(const ParentSetCache& cache, const StructureLimits& limits,
                                 const SearchBudget& budget, RunControl& control) {
    const ParentSetLists sets = usable_parent_sets(cache, limits);
    const PairInformation information(sets);
    const KTree tree =
        trimmed(find_best_k_tree(information, limits.max_treewidth, control).tree, limits);
    SearchBudget tries = budget;
    if (sets.size() <= max_small_dag_variables) tries.max_iterations = 1;
    Incumbent incumbent(control);
    const auto make_worker = [&] {
        return [&](std::uint64_t iteration) {
            RandomStream random(budget.seed, iteration);
            incumbent.offer(dag_in_k_tree(tree, sets, n_orders, random), iteration);
            return true;
        };
    };
    const std::uint64_t n_iterations = run_restarts(tries, control, make_worker);
    return std::move(incumbent).outcome(n_iterations);
}

}  // namespace baytree
