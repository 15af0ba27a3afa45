#include "learning/dag_in_k_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "learning/small_dag.hpp"

namespace baytree {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr std::uint32_t no_choice = static_cast<std::uint32_t>(-1);

std::vector<std::size_t> positions_of(const std::vector<VariableId>& order) {
    std::vector<std::size_t> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    return position;
}

/// Whether a family is a clique of a graph: the last of it to join is connected with the others.
class CliqueTest {
public:
    explicit CliqueTest(const KTree& tree) : tree_(tree), position_(positions_of(tree.order)) {}

    bool operator()(VariableId child, VariableSpan parents) const {
        std::size_t last = position_[child];
        for (const VariableId parent : parents) last = std::max(last, position_[parent]);
        const VariableSpan clique = tree_.clique(last);
        const auto is_in = [&](VariableId variable) {
            return position_[variable] == last ||
                   std::ranges::find(clique, variable) != clique.end();
        };
        return is_in(child) && std::ranges::all_of(parents, is_in);
    }

private:
    const KTree& tree_;
    std::vector<std::size_t> position_;
};

ParentSetLists sets_in(const KTree& tree, const ParentSetLists& sets) {
    const CliqueTest is_clique(tree);
    ParentSetLists inside(sets.size());
    for (VariableId child = 0; child < sets.size(); ++child)
        for (std::size_t i = 0; i < sets[child].size(); ++i)
            if (is_clique(child, sets[child].parents(i)))
                inside[child].add(sets[child].score(i), sets[child].parents(i));
    return inside;
}

using Choices = std::vector<std::uint32_t>;  // by variable

double sum_of_scores(const ParentSetLists& sets, const Choices& choices) {
    double sum = 0.0;
    for (VariableId child = 0; child < sets.size(); ++child)
        sum += choices[child] == no_choice ? impossible : sets[child].score(choices[child]);
    return sum;
}

/// The best parents of each variable among those before it.
void choose_along(std::span<const VariableId> order, const ParentSetLists& sets,
                  std::vector<bool>& is_before, Choices& choices) {
    is_before.assign(sets.size(), false);
    for (const VariableId child : order) {
        choices[child] = no_choice;
        for (std::uint32_t i = 0; i < sets[child].size() && choices[child] == no_choice; ++i)
            if (std::ranges::all_of(sets[child].parents(i),
                                    [&](VariableId parent) { return is_before[parent]; }))
                choices[child] = i;
        is_before[child] = true;
    }
}

Choices best_along_random_orders(const ParentSetLists& sets, std::size_t n_orders,
                                 RandomStream& random) {
    std::vector<VariableId> order(sets.size());
    std::iota(order.begin(), order.end(), VariableId{0});
    std::vector<bool> is_before;
    Choices choices(sets.size(), no_choice);
    Choices best = choices;
    double best_score = impossible;
    for (std::size_t i = 0; i < n_orders; ++i) {
        random.shuffle(std::span(order));
        choose_along(order, sets, is_before, choices);
        const double score = sum_of_scores(sets, choices);
        if (score <= best_score) continue;
        best_score = score;
        best = choices;
    }
    return best;
}

Choices best_of_all(const ParentSetLists& sets) {
    std::vector<VariableId> variables(sets.size());
    std::iota(variables.begin(), variables.end(), VariableId{0});
    const SmallDag dag = best_small_dag(sets, variables);
    Choices choices(sets.size(), no_choice);
    for (std::size_t i = 0; i < dag.order.size(); ++i) choices[dag.order[i]] = dag.choice[i];
    return choices;
}

}  // namespace

KTree trimmed(const KTree& tree, const StructureLimits& limits) {
    if (limits.arities.empty()) return tree;
    const std::vector<std::size_t> position = positions_of(tree.order);
    KTree result;
    std::vector<VariableId> bag;
    for (std::size_t i = 0; i < tree.order.size(); ++i) {
        const VariableSpan wanted = tree.clique(i);
        bag.assign(1, tree.order[i]);
        // The last to join of the wanted clique decides which of the others still go with it.
        const auto last = std::ranges::max_element(
            wanted, {}, [&](VariableId member) { return position[member]; });
        if (last != wanted.end()) bag.push_back(*last);
        if (!fits_in_bag(bag, limits)) bag.pop_back();
        if (bag.size() == 2)
            for (const VariableId member : result.clique(position[*last])) {
                if (!std::ranges::binary_search(wanted, member)) continue;
                bag.push_back(member);
                if (!fits_in_bag(bag, limits)) bag.pop_back();
            }
        bag.erase(bag.begin());
        std::ranges::sort(bag);
        result.join(tree.order[i], bag);
    }
    return result;
}

double best_score_with_cycles(const KTree& tree, const ParentSetLists& sets) {
    const CliqueTest is_clique(tree);
    double sum = 0.0;
    for (VariableId child = 0; child < sets.size(); ++child) {
        std::size_t i = 0;  // best first
        while (i < sets[child].size() && !is_clique(child, sets[child].parents(i))) ++i;
        sum += i < sets[child].size() ? sets[child].score(i) : impossible;
    }
    return sum;
}

Structure dag_in_k_tree(const KTree& tree, const ParentSetLists& sets, std::size_t n_orders,
                        RandomStream& random) {
    const ParentSetLists inside = sets_in(tree, sets);
    const Choices choices = sets.size() <= max_small_dag_variables
                                ? best_of_all(inside)
                                : best_along_random_orders(inside, n_orders, random);
    Structure structure{sum_of_scores(inside, choices), ParentLists(sets.size()), {}};
    for (VariableId child = 0; child < sets.size(); ++child)
        if (choices[child] != no_choice) {
            const VariableSpan parents = inside[child].parents(choices[child]);
            structure.parents[child].assign(parents.begin(), parents.end());
        }
    structure.elimination_order.assign(tree.order.rbegin(), tree.order.rend());
    return structure;
}

}  // namespace baytree
