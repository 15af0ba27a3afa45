#include "learning/best_k_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <ranges>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "learning/dag_in_k_tree.hpp"
#include "learning/restarts.hpp"
#include "learning/small_dag.hpp"
#include "learning/usable_parent_sets.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/random_stream.hpp"
#include "structure/variable_mask.hpp"

namespace baytree {

namespace {

constexpr std::size_t max_partial_trees = 1'000'000;
constexpr std::size_t n_orders = 1000;

/// A k-tree over some of the variables: a smaller one and the variable that joined it last.
struct PartialTree {
    double score;
    double bound;  // no k-tree that extends it scores more
    VariableMask variables;
    VariableMask clique;  // that the last variable joined
    VariableId last;
    std::uint32_t before;
    std::uint64_t edges;  // digest, whatever the order in which they came
};

/// Most that the variables outside a k-tree can add when they join: each brings k pairs, and no
/// pair is brought twice. The heaviest pairs that their variables can share out so are found
/// greedily, since such sets of pairs form a matroid.
class JoinBound {
public:
    JoinBound(const PairInformation& information, std::size_t k) : k_(k) {
        const auto n = static_cast<VariableId>(information.n_variables());
        for (VariableId a = 0; a < n; ++a)
            for (VariableId b = 0; b < a; ++b)
                if (information(a, b) > 0.0) pairs_.push_back({information(a, b), a, b});
        std::ranges::sort(pairs_, std::ranges::greater{}, &Pair::weight);
    }

    double operator()(VariableMask joined) {
        const auto [known, is_new] = known_.try_emplace(joined, 0.0);
        if (is_new) known->second = sum_of_shared_out(joined);
        return known->second;
    }

private:
    struct Pair {
        double weight;
        VariableId a;
        VariableId b;
    };

    double sum_of_shared_out(VariableMask joined) {
        brought_.assign(std::numeric_limits<VariableMask>::digits, {});
        double sum = 0.0;
        for (const Pair& pair : pairs_) {
            visited_ = joined;
            for (const auto& [bringer, other] :
                 {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
                if (!makes_room(bringer)) continue;
                brought_[bringer].push_back(other);
                sum += pair.weight;
                break;
            }
        }
        return sum;
    }

    /// Whether a variable can bring one pair more, if need be by leaving one to its other half.
    bool makes_room(VariableId variable) {
        if ((visited_ & mask_of(variable)) != 0) return false;
        visited_ |= mask_of(variable);
        if (brought_[variable].size() < k_) return true;
        for (VariableId& other : brought_[variable]) {
            if (!makes_room(other)) continue;
            brought_[other].push_back(variable);
            other = brought_[variable].back();
            brought_[variable].pop_back();
            return true;
        }
        return false;
    }

    std::size_t k_;
    std::vector<Pair> pairs_;                         // heaviest first
    std::unordered_map<VariableMask, double> known_;  // by variables that have joined
    std::vector<std::vector<VariableId>> brought_;    // by variable: the other halves of its pairs
    VariableMask visited_ = 0;
};

class KTreeSearch {
public:
    KTreeSearch(const PairInformation& information, std::size_t k, const RunControl& control)
        : information_(information),
          k_(k),
          control_(control),
          join_bound_(information, k) {}

    BestKTree run() {
        push_start();
        bool is_proven = true;
        while (!open_.empty()) {
            const std::uint32_t next = open_.top().second;
            open_.pop();
            if (best_ && trees_[next].bound <= trees_[*best_].score) break;
            if (is_over(control_) || trees_.size() > max_partial_trees) {
                is_proven = false;
                complete_promising(next);
                break;
            }
            extend(next);
        }
        return {tree_of(*best_), trees_[*best_].score, is_proven};
    }

private:
    std::size_t n() const { return information_.n_variables(); }

    /// Every variable is in some clique, so every k-tree can be built from any of them. The one
    /// that tells most leaves least to guess.
    void push_start() {
        const auto told_by = [&](VariableId variable) {
            double sum = 0.0;
            for (VariableId other = 0; other < n(); ++other)
                if (other != variable) sum += information_(variable, other);
            return sum;
        };
        const VariableId start = std::ranges::max(
            std::views::iota(VariableId{0}, static_cast<VariableId>(n())), {}, told_by);
        add({0.0, join_bound_(mask_of(start)), mask_of(start), 0, start, 0, 0});
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

    /// Completes some of the partial trees that are left, best bound first.
    void complete_promising(std::uint32_t first) {
        constexpr std::size_t n_completed = 200;
        std::vector<std::uint32_t> promising{first};
        for (; !open_.empty() && promising.size() < n_completed; open_.pop())
            promising.push_back(open_.top().second);
        for (const std::uint32_t index : promising)
            if (!is_over(control_)) complete_greedily(index);
    }

    std::vector<PartialTree> extensions(std::uint32_t index) {
        const PartialTree tree = trees_[index];
        const std::vector<VariableMask> cliques = cliques_of(index);
        std::vector<PartialTree> result;
        for (VariableId variable = 0; variable < n(); ++variable) {
            if ((tree.variables & mask_of(variable)) != 0) continue;
            for (const VariableMask clique : cliques)
                result.push_back(extension(tree, index, variable, clique));
        }
        return result;
    }

    PartialTree extension(const PartialTree& tree, std::uint32_t index, VariableId variable,
                          VariableMask clique) {
        PartialTree next = tree;
        for (VariableMask left = clique; left != 0; left &= left - 1) {
            const VariableId member = first_of(left);
            next.score += information_(variable, member);
            const auto [low, high] = std::minmax(variable, member);
            next.edges += RandomStream(low, high).next();
        }
        next.variables |= mask_of(variable);
        next.bound = next.score + join_bound_(next.variables);
        next.clique = clique;
        next.last = variable;
        next.before = index;
        return next;
    }

    /// The cliques that a variable can join: all variables while there are at most k, then those of
    /// k members.
    std::vector<VariableMask> cliques_of(std::uint32_t index) const {
        const VariableMask all = trees_[index].variables;
        if (static_cast<std::size_t>(std::popcount(all)) <= k_) return {all};
        std::vector<VariableMask> cliques;
        for (;; index = trees_[index].before) {
            const PartialTree& tree = trees_[index];
            const bool is_start = static_cast<std::size_t>(std::popcount(tree.variables)) == k_ + 1;
            for (VariableMask left = tree.clique; left != 0; left &= left - 1)
                cliques.push_back((tree.clique | mask_of(tree.last)) & ~(left & (~left + 1)));
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
            for (VariableMask left = trees_[*step].clique; left != 0; left &= left - 1)
                clique.push_back(first_of(left));
            tree.join(trees_[*step].last, clique);
        }
        return tree;
    }

    const PairInformation& information_;
    std::size_t k_;
    const RunControl& control_;
    JoinBound join_bound_;
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
