#include "structure/random_dag.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>

namespace baytree {

RandomDag::RandomDag(std::size_t n_variables, std::size_t max_degree, std::uint64_t seed)
    : max_degree_(max_degree),
      random_(seed, 0),
      dag_(n_variables, max_degree),
      degree_(n_variables),
      open_(n_variables),
      place_in_open_(n_variables),
      side_(n_variables) {
    if (n_variables == 0) throw std::invalid_argument("a random DAG needs a variable");
    if (max_degree < std::min<std::size_t>(n_variables - 1, 2))
        throw std::invalid_argument("a connected DAG of so many variables needs a larger degree");
    std::iota(open_.begin(), open_.end(), VariableId{0});
    std::iota(place_in_open_.begin(), place_in_open_.end(), std::size_t{0});
    if (max_degree == 0) open_.clear();
    std::vector<VariableId> path(n_variables);
    std::iota(path.begin(), path.end(), VariableId{0});
    random_.shuffle(std::span(path));
    for (std::size_t i = 1; i < n_variables; ++i) add(path[i - 1], path[i]);
}

void RandomDag::run(std::uint64_t n_steps) {
    if (n_pairs() == 0) return;
    while (n_steps > 0) {
        // Where few pairs can change anything, the steps that pick others are skipped at once.
        const bool is_sparse = n_promising() < n_pairs() / 2;
        const std::uint64_t n_idle = is_sparse ? idle_steps() : 0;
        if (n_idle >= n_steps) return;
        n_steps -= n_idle + 1;
        if (is_sparse)
            promising_step();
        else
            step();
    }
}

std::uint64_t RandomDag::n_pairs() const noexcept {
    const std::uint64_t n = dag_.n_variables();
    return n * (n - 1);
}

/// Arcs, and ordered pairs of open variables. A pair that is both counts twice: once to remove the
/// arc, and once for nothing.
std::uint64_t RandomDag::n_promising() const noexcept {
    const std::uint64_t n_open = open_.size();
    return arcs_.size() + (n_open == 0 ? 0 : n_open * (n_open - 1));
}

/// How many steps pass before one that picks a promising pair.
std::uint64_t RandomDag::idle_steps() {
    if (n_promising() == 0) return std::numeric_limits<std::uint64_t>::max();
    const double share = static_cast<double>(n_promising()) / static_cast<double>(n_pairs());
    const double n_idle = std::floor(std::log1p(-random_.uniform()) / std::log1p(-share));
    return static_cast<std::uint64_t>(std::min(n_idle, 1e18));
}

/// An arc is picked from the list of arcs, which spares the search for it there.
void RandomDag::step() {
    if (const std::uint64_t pair = random_.below(n_pairs()); pair < arcs_.size()) {
        remove(pair);
        return;
    }
    VariableId parent = 0;
    VariableId child = 0;
    do {
        parent = static_cast<VariableId>(random_.below(dag_.n_variables()));
        child = static_cast<VariableId>(random_.below(dag_.n_variables()));
    } while (parent == child || dag_.has_arc(parent, child));
    if (degree_[parent] < max_degree_ && degree_[child] < max_degree_) add(parent, child);
}

void RandomDag::promising_step() {
    const std::size_t choice = random_.below(n_promising());
    if (choice < arcs_.size()) {
        remove(choice);
        return;
    }
    const std::size_t pair = choice - arcs_.size();
    const std::size_t first = pair / (open_.size() - 1);
    std::size_t second = pair % (open_.size() - 1);
    if (second >= first) ++second;
    if (!dag_.has_arc(open_[first], open_[second])) add(open_[first], open_[second]);
}

void RandomDag::add(VariableId parent, VariableId child) {
    // The DAG would find out as well, but by a search from one end.
    if (has_path(child, parent)) return;
    dag_.add(parent, child);
    arcs_.emplace_back(parent, child);
    count_end(parent);
    count_end(child);
}

void RandomDag::remove(std::size_t arc) {
    const auto [parent, child] = arcs_[arc];
    if (is_bridge(parent, child)) return;
    dag_.remove(parent, child);
    arcs_[arc] = arcs_.back();
    arcs_.pop_back();
    uncount_end(parent);
    uncount_end(child);
}

void RandomDag::count_end(VariableId variable) {
    if (++degree_[variable] < max_degree_) return;
    const std::size_t place = place_in_open_[variable];
    open_[place] = open_.back();
    place_in_open_[open_[place]] = place;
    open_.pop_back();
}

void RandomDag::uncount_end(VariableId variable) {
    if (degree_[variable]-- < max_degree_) return;
    place_in_open_[variable] = open_.size();
    open_.push_back(variable);
}

/// Whether the arc between two variables is their only connection.
bool RandomDag::is_bridge(VariableId a, VariableId b) {
    const auto neighbours = [&](VariableId from, const auto& visit) {
        const auto is_other = [&](VariableId to) {
            return (from == a && to == b) || (from == b && to == a);
        };
        const auto visit_other = [&](VariableId to) { return !is_other(to) && visit(to); };
        return std::ranges::any_of(dag_.parents(from), visit_other) ||
               std::ranges::any_of(dag_.children(from), visit_other);
    };
    return !do_meet(a, b, neighbours, neighbours);
}

/// Paths never go back in the topological order, which keeps the search between its ends.
bool RandomDag::has_path(VariableId from, VariableId to) {
    if (!dag_.precedes(from, to)) return false;
    const auto later = [&](VariableId variable, const auto& visit) {
        return std::ranges::any_of(dag_.children(variable), [&](VariableId child) {
            return !dag_.precedes(to, child) && visit(child);
        });
    };
    const auto earlier = [&](VariableId variable, const auto& visit) {
        return std::ranges::any_of(dag_.parents(variable), [&](VariableId parent) {
            return !dag_.precedes(parent, from) && visit(parent);
        });
    };
    return do_meet(from, to, later, earlier);
}

/// Searches from both ends in turn, so that it ends soon if they are near, or if one end leads to
/// few others. `steps_*(variable, visit)` visits neighbours until one visit returns true.
template <class StepsFromA, class StepsFromB>
bool RandomDag::do_meet(VariableId a, VariableId b, const StepsFromA& steps_from_a,
                        const StepsFromB& steps_from_b) {
    auto& [from_a, from_b] = reached_;
    from_a.assign(1, a);
    from_b.assign(1, b);
    side_[a] = 1;
    side_[b] = 2;
    const auto visit = [this](std::vector<VariableId>& reached, std::uint8_t side) {
        return [this, &reached, side](VariableId variable) {
            if (side_[variable] == 0) {
                side_[variable] = side;
                reached.push_back(variable);
            }
            return side_[variable] != side;
        };
    };
    bool have_met = false;
    for (std::size_t i = 0; !have_met && i < from_a.size() && i < from_b.size(); ++i)
        have_met =
            steps_from_a(from_a[i], visit(from_a, 1)) || steps_from_b(from_b[i], visit(from_b, 2));
    for (const auto* reached : {&from_a, &from_b})
        for (const VariableId variable : *reached) side_[variable] = 0;
    return have_met;
}

}  // namespace baytree
