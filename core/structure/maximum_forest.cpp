#include "structure/maximum_forest.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace baytree {

std::vector<std::optional<VariableId>>
maximum_spanning_forest(std::size_t n_variables,
                        const std::function<double(VariableId, VariableId)>& weight) {
    std::vector<std::optional<VariableId>> parents(n_variables);
    std::vector<double> best(n_variables, 0.0);  // heaviest edge to the forest so far
    std::vector<VariableId> outside(n_variables);
    std::iota(outside.begin(), outside.end(), VariableId{0});
    while (!outside.empty()) {
        const auto next = std::ranges::max_element(
            outside, {}, [&](VariableId variable) { return best[variable]; });
        const VariableId joined = *next;
        *next = outside.back();
        outside.pop_back();
        for (const VariableId variable : outside) {
            const double new_weight = weight(joined, variable);
            if (new_weight <= best[variable]) continue;
            best[variable] = new_weight;
            parents[variable] = joined;
        }
    }
    return parents;
}

namespace {

/// Sets of variables that a cycle has drawn together.
class MergedSets {
public:
    explicit MergedSets(std::size_t n) : root_(n) {
        std::iota(root_.begin(), root_.end(), std::size_t{0});
    }
    std::size_t find(std::size_t x) {
        while (root_[x] != x) x = root_[x] = root_[root_[x]];
        return x;
    }
    std::size_t add() {
        root_.push_back(root_.size());
        return root_.size() - 1;
    }
    void merge_into(std::size_t x, std::size_t whole) { root_[x] = whole; }

private:
    std::vector<std::size_t> root_;
};

/// Arcs into each set in skew heaps, heaviest first. All weights of a heap change at once by a
/// number kept at its top.
class ArcHeaps {
public:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    explicit ArcHeaps(std::span<const WeightedArc> arcs) : arcs_(arcs) {
        nodes_.reserve(arcs.size());
        for (const WeightedArc& arc : arcs) nodes_.push_back({arc.weight, 0.0, none, none});
    }

    double weight(std::size_t heap) const { return nodes_[heap].weight; }
    const WeightedArc& arc(std::size_t heap) const { return arcs_[heap]; }

    void add_to_all(std::size_t heap, double change) {
        if (heap == none) return;
        nodes_[heap].weight += change;
        nodes_[heap].pending += change;
    }

    std::size_t merge(std::size_t a, std::size_t b) {
        // Without recursion, which could be as deep as the heap: the right spines are merged from
        // the top, then children are exchanged on the way back.
        spine_.clear();
        while (a != none && b != none) {
            if (nodes_[a].weight < nodes_[b].weight) std::swap(a, b);
            push_down(a);
            spine_.push_back(a);
            a = nodes_[a].right;
        }
        std::size_t rest = a == none ? b : a;
        for (auto node = spine_.rbegin(); node != spine_.rend(); ++node) {
            nodes_[*node].right = nodes_[*node].left;
            nodes_[*node].left = rest;
            rest = *node;
        }
        return rest;
    }

    std::size_t without_top(std::size_t heap) {
        push_down(heap);
        return merge(nodes_[heap].left, nodes_[heap].right);
    }

private:
    struct Node {
        double weight;
        double pending;  // for all below
        std::size_t left, right;
    };

    void push_down(std::size_t node) {
        Node& top = nodes_[node];
        add_to_all(top.left, top.pending);
        add_to_all(top.right, top.pending);
        top.pending = 0.0;
    }

    std::span<const WeightedArc> arcs_;
    std::vector<Node> nodes_;
    std::vector<std::size_t> spine_;
};

/// Contracts the cycles of heaviest arcs, then expands them from the outside in. A root beside the
/// variables has an arc of weight 0 to each, which stands for "no parent".
class Branching {
public:
    Branching(std::size_t n_variables, std::span<const WeightedArc> arcs)
        : n_(n_variables),
          sets_(n_variables + 1),
          heaps_(arcs) {
        heap_of_.assign(n_ + 1, ArcHeaps::none);
        for (std::size_t i = 0; i < arcs.size(); ++i)
            heap_of_[arcs[i].child] = heaps_.merge(heap_of_[arcs[i].child], i);
        chosen_.assign(n_ + 1, ArcHeaps::none);
        outer_.assign(n_ + 1, ArcHeaps::none);
        state_.assign(n_ + 1, State::untouched);
        state_[n_] = State::done;
    }

    void contract() {
        for (std::size_t start = 0; start < n_; ++start) {
            if (state_[sets_.find(start)] == State::done) continue;
            std::vector<std::size_t> path;
            std::size_t set = sets_.find(start);
            while (state_[set] != State::done) {
                if (state_[set] == State::on_path) {
                    set = contract_cycle(path, set);
                    continue;
                }
                state_[set] = State::on_path;
                path.push_back(set);
                chosen_[set] = take_heaviest(set);
                set = sets_.find(heaps_.arc(chosen_[set]).parent);
            }
            for (const std::size_t done : path) state_[done] = State::done;
        }
    }

    std::vector<std::size_t> expand() {
        // Later sets are outer ones: the arc chosen for a set enters the member that holds its
        // head, and so decides for all sets down to it.
        std::vector<std::size_t> arc_of(n_, ArcHeaps::none);
        std::vector<bool> is_decided(chosen_.size());
        for (std::size_t set = chosen_.size(); set-- > 0;) {
            if (set == n_ || is_decided[set]) continue;
            const std::size_t arc = chosen_[set];
            for (std::size_t inner = heaps_.arc(arc).child; inner != outer_[set];
                 inner = outer_[inner])
                is_decided[inner] = true;
            arc_of[heaps_.arc(arc).child] = arc;
        }
        return arc_of;
    }

private:
    enum class State : std::uint8_t { untouched, on_path, done };

    std::size_t take_heaviest(std::size_t set) {
        std::size_t top = heap_of_[set];
        while (sets_.find(heaps_.arc(top).parent) == set) top = heaps_.without_top(top);
        heap_of_[set] = heaps_.without_top(top);
        return top;
    }

    /// One set of all on the path from `first` on; it takes their place at the end of the path.
    std::size_t contract_cycle(std::vector<std::size_t>& path, std::size_t first) {
        const std::size_t whole = sets_.add();
        heap_of_.push_back(ArcHeaps::none);
        chosen_.push_back(ArcHeaps::none);
        outer_.push_back(ArcHeaps::none);
        state_.push_back(State::untouched);
        std::size_t set;
        do {
            set = path.back();
            path.pop_back();
            // An arc into the cycle there replaces the chosen one.
            heaps_.add_to_all(heap_of_[set], -heaps_.weight(chosen_[set]));
            heap_of_[whole] = heaps_.merge(heap_of_[whole], heap_of_[set]);
            sets_.merge_into(set, whole);
            outer_[set] = whole;
        } while (set != first);
        return whole;
    }

    std::size_t n_;
    MergedSets sets_;
    ArcHeaps heaps_;
    std::vector<std::size_t> heap_of_, chosen_, outer_;
    std::vector<State> state_;
};

}  // namespace

std::vector<std::optional<VariableId>> maximum_branching(std::size_t n_variables,
                                                         std::span<const WeightedArc> arcs) {
    const auto root = static_cast<VariableId>(n_variables);
    std::vector<WeightedArc> all;
    all.reserve(arcs.size() + n_variables);
    std::ranges::copy_if(arcs, std::back_inserter(all),
                         [](const WeightedArc& arc) { return arc.weight > 0.0; });
    for (VariableId child = 0; child < n_variables; ++child) all.push_back({root, child, 0.0});
    Branching branching(n_variables, all);
    branching.contract();
    std::vector<std::optional<VariableId>> parents(n_variables);
    const std::vector<std::size_t> arc_of = branching.expand();
    for (VariableId child = 0; child < n_variables; ++child)
        if (all[arc_of[child]].parent != root) parents[child] = all[arc_of[child]].parent;
    return parents;
}

}  // namespace baytree
