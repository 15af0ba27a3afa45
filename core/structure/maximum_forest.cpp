#include "structure/maximum_forest.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace baytree {

std::vector<std::optional<VariableId>>
maximum_spanning_forest(std::size_t n_variables,
                        const std::function<double(VariableId, VariableId)>& weight,
                        const RunControl& control) {
    std::vector<std::optional<VariableId>> parents(n_variables);
    std::vector<double> best(n_variables, 0.0);  // heaviest edge to the forest so far
    std::vector<VariableId> outside(n_variables);
    std::iota(outside.begin(), outside.end(), VariableId{0});
    // Whoever is outside has its parent in the forest, so it can be left as it is at any time.
    while (!outside.empty() && !control.stop_requested()) {
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

/// Contracts the cycles of heaviest arcs, then expands them from the outside in. A root beside the
/// variables has an arc of weight 0 to each, which stands for "no parent".
class Branching {
public:
    Branching(std::size_t n_variables, const ArcsInto& arcs_into)
        : n_(n_variables),
          arcs_into_(arcs_into),
          merged_(n_variables + 1),
          sets_(n_variables + 1),
          place_(2 * n_variables + 1, none) {
        sets_[n_].state = State::done;
    }

    void contract() {
        for (std::size_t start = 0; start < n_; ++start) {
            std::vector<std::size_t> path;
            std::size_t set = merged_.find(start);
            while (sets_[set].state != State::done) {
                if (sets_[set].state == State::on_path) {
                    set = contract_cycle(path, set);
                    continue;
                }
                sets_[set].state = State::on_path;
                path.push_back(set);
                sets_[set].chosen = heaviest_arc(set);
                set = merged_.find(sets_[set].chosen.parent);
            }
            for (const std::size_t done : path) {
                sets_[done].state = State::done;
                sets_[done].arcs = {};  // nothing is merged with it any more
            }
        }
    }

    std::vector<std::optional<VariableId>> expand() const {
        // Later sets are outer ones: the arc chosen for a set enters the member that holds its
        // head, and so decides for all sets down to it.
        std::vector<std::optional<VariableId>> parents(n_);
        std::vector<bool> is_decided(sets_.size());
        for (std::size_t set = sets_.size(); set-- > 0;) {
            if (set == n_ || is_decided[set]) continue;
            const WeightedArc& arc = sets_[set].chosen;
            for (std::size_t inner = arc.child; inner != sets_[set].outer;
                 inner = sets_[inner].outer)
                is_decided[inner] = true;
            if (arc.parent != n_) parents[arc.child] = arc.parent;
        }
        return parents;
    }

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    enum class State : std::uint8_t { untouched, on_path, done };

    /// A variable, the root, or the sets of a cycle.
    struct Set {
        State state = State::untouched;
        std::size_t outer = none;       // the set that it was drawn into
        WeightedArc chosen{};           // as the set sees its weight
        std::vector<WeightedArc> arcs;  // into a cycle; those into a variable are asked for
    };

    std::vector<WeightedArc> arcs_into_variable(std::size_t variable) const {
        const auto child = static_cast<VariableId>(variable);
        std::vector<WeightedArc> arcs = arcs_into_(child);
        std::erase_if(arcs, [](const WeightedArc& arc) { return !(arc.weight > 0.0); });
        arcs.push_back({static_cast<VariableId>(n_), child, 0.0});
        return arcs;
    }

    WeightedArc heaviest_arc(std::size_t set) const {
        const auto heaviest = [](const std::vector<WeightedArc>& arcs) {
            return *std::ranges::max_element(arcs, {}, &WeightedArc::weight);
        };
        return set < n_ ? heaviest(arcs_into_variable(set)) : heaviest(sets_[set].arcs);
    }

    /// One set of all on the path from `first` on; to take their place at the end of the path.
    std::size_t contract_cycle(std::vector<std::size_t>& path, std::size_t first) {
        const auto begin = std::ranges::find(path, first);
        const std::vector<std::size_t> cycle(begin, path.end());
        path.erase(begin, path.end());
        const std::size_t whole = merged_.add();
        sets_.emplace_back();
        for (const std::size_t set : cycle) {
            merged_.merge_into(set, whole);
            sets_[set].outer = whole;
        }
        sets_[whole].arcs = arcs_into_cycle(cycle, whole);
        return whole;
    }

    /// The heaviest from every other set. An arc into the cycle replaces the one chosen there.
    std::vector<WeightedArc> arcs_into_cycle(const std::vector<std::size_t>& cycle,
                                             std::size_t whole) {
        std::vector<WeightedArc> heaviest;
        for (const std::size_t set : cycle)
            for (WeightedArc arc :
                 set < n_ ? arcs_into_variable(set) : std::exchange(sets_[set].arcs, {})) {
                const std::size_t source = merged_.find(arc.parent);
                if (source == whole) continue;
                arc.weight -= sets_[set].chosen.weight;
                if (place_[source] == none) {
                    place_[source] = heaviest.size();
                    heaviest.push_back(arc);
                } else if (arc.weight > heaviest[place_[source]].weight) {
                    heaviest[place_[source]] = arc;
                }
            }
        for (const WeightedArc& arc : heaviest) place_[merged_.find(arc.parent)] = none;
        return heaviest;
    }

    std::size_t n_;
    const ArcsInto& arcs_into_;
    MergedSets merged_;
    std::vector<Set> sets_;
    std::vector<std::size_t> place_;  // by source, while the arcs into a cycle are collected
};

}  // namespace

std::vector<std::optional<VariableId>> maximum_branching(std::size_t n_variables,
                                                         const ArcsInto& arcs_into) {
    Branching branching(n_variables, arcs_into);
    branching.contract();
    return branching.expand();
}

}  // namespace baytree
