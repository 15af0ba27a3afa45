#include "learning/k_tree_enumeration.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/parallel_for.hpp"
#include "runtime/run_control.hpp"
#include "structure/k_tree.hpp"

namespace baytree {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

/// Maximal cliques by member.
using BagsOf = std::vector<std::vector<VariableMask>>;

BagsOf bags_of(const KTree& tree, std::size_t k) {
    BagsOf bags(tree.order.size());
    for (std::size_t i = k; i < tree.order.size(); ++i) {
        const VariableMask bag = mask_of_set(tree.clique(i)) | mask_of(tree.order[i]);
        for (const VariableId member : members_of(bag)) bags[member].push_back(bag);
    }
    return bags;
}

double best_in_bags(const BestFamilies& families, const BagsOf& bags, VariableId child,
                    VariableMask inside) {
    double best = impossible;
    for (const VariableMask bag : bags[child])
        best = std::max(best, families.score(child, bag & inside));
    return best;
}

/// No network inside the bags scores more: the sum of the best families, cycles or not.
double bound_in_bags(const BestFamilies& families, const BagsOf& bags) {
    double bound = 0.0;
    for (VariableId child = 0; child < bags.size(); ++child)
        bound += best_in_bags(families, bags, child, ~VariableMask{0});
    // Sums in another order may come out a little higher.
    return bound + 1e-12 * std::abs(bound);
}

/// Dynamic programming over the subsets of variables that come first in a network ([silander]).
class DagInBags {
public:
    DagInBags(const BestFamilies& families, const BagsOf& bags)
        : families_(families),
          bags_(bags),
          score_(std::size_t{1} << bags.size(), impossible),
          last_(score_.size()) {
        score_[0] = 0.0;
        for (VariableMask subset = 1; subset < score_.size(); ++subset) choose_last(subset);
    }

    double score() const { return score_.back(); }

    ParentLists parents() const {
        ParentLists parents(bags_.size());
        for (auto subset = static_cast<VariableMask>(score_.size() - 1); subset != 0;) {
            const VariableId child = last_[subset];
            subset &= ~mask_of(child);
            const auto bag = std::ranges::max(bags_[child], {}, [&](VariableMask candidate) {
                return families_.score(child, candidate & subset);
            });
            parents[child] = members_of(families_.parents(child, bag & subset));
        }
        return parents;
    }

private:
    void choose_last(VariableMask subset) {
        for (VariableMask left = subset; left != 0; left &= left - 1) {
            const VariableId child = first_of(left);
            const VariableMask before = subset & ~mask_of(child);
            const double score = score_[before] + best_in_bags(families_, bags_, child, before);
            if (score <= score_[subset]) continue;
            score_[subset] = score;
            last_[subset] = static_cast<std::uint8_t>(child);
        }
    }

    const BestFamilies& families_;
    const BagsOf& bags_;
    std::vector<double> score_;       // of the best network over each subset
    std::vector<std::uint8_t> last_;  // in its order
};

void search_k_tree(const KTree& tree, std::size_t k, const BestFamilies& families,
                   std::uint64_t number, Incumbent& incumbent) {
    const BagsOf bags = bags_of(tree, k);
    if (!incumbent.would_take(bound_in_bags(families, bags), number)) return;
    const DagInBags dag(families, bags);
    if (dag.score() > impossible && incumbent.would_take(dag.score(), number))
        incumbent.offer({dag.score(), dag.parents(), {tree.order.rbegin(), tree.order.rend()}},
                        number);
}

std::vector<VariableMask> subsets_of_size(std::size_t n_variables, std::size_t size) {
    std::vector<VariableMask> subsets;
    for (VariableMask subset = 0; subset < VariableMask{1} << n_variables; ++subset)
        if (static_cast<std::size_t>(std::popcount(subset)) == size) subsets.push_back(subset);
    return subsets;
}

/// The next word over 0 ... `largest`, or false after the last.
bool advance(std::vector<std::uint32_t>& word, std::size_t largest) {
    for (std::uint32_t& letter : word) {
        if (letter++ < largest) return true;
        letter = 0;
    }
    return false;
}

}  // namespace

double number_of_k_trees(std::size_t n_variables, std::size_t k) {
    if (n_variables <= k + 1) return 1.0;
    const auto n = static_cast<double>(n_variables);
    const auto n_members = static_cast<double>(k);
    double n_roots = 1.0;
    for (std::size_t i = 0; i < k; ++i)
        n_roots = n_roots * static_cast<double>(n_variables - i) / static_cast<double>(i + 1);
    return n_roots * std::pow(n_members * (n - n_members) + 1, n - n_members - 2);
}

Structure best_unbounded_structure(const BestFamilies& families) {
    const std::size_t n = families.n_variables();
    const auto all = static_cast<VariableMask>((std::uint64_t{1} << n) - 1);
    const BagsOf one_bag(n, {all});
    const DagInBags dag(families, one_bag);
    if (dag.score() == impossible) return {impossible, ParentLists(n), members_of(all)};
    return {dag.score(), dag.parents(), members_of(all)};
}

bool search_all_k_trees(const BestFamilies& families, std::size_t k, int n_threads,
                        RunControl& control, Incumbent& incumbent) {
    const std::size_t n = families.n_variables();
    const std::vector<VariableMask> roots = subsets_of_size(n, k);
    control.set_total(roots.size());
    std::atomic<bool> is_cut_short{false};
    parallel_for(roots.size(), n_threads, control, [&](std::size_t i) {
        DandelionCode code{members_of(roots[i]), std::vector<std::uint32_t>(n - k - 2)};
        std::uint64_t number = i << 32;
        do {
            search_k_tree(decode_k_tree(n, k, code), k, families, number++, incumbent);
            if (!advance(code.word, k * (n - k))) {
                control.add_done(1);
                return;
            }
        } while (!is_over(control));
        is_cut_short = true;
    });
    return !is_cut_short;
}

}  // namespace baytree
