#include "learning/join_bound.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace baytree {

namespace {

constexpr std::size_t max_known_bounds = 1'000'000;  // some 50 MB

bool holds(WideMask set, VariableId variable) { return (set >> variable & 1) != 0; }

VariableId first_of(WideMask set) { return static_cast<VariableId>(std::countr_zero(set)); }

/// Makes differences of successive sums descend, by making some of the sums larger.
void level_rises(std::vector<double>& sums) {
    for (std::size_t from = 0; from + 1 < sums.size();) {
        std::size_t steepest = from + 1;
        const auto slope = [&](std::size_t to) {
            return (sums[to] - sums[from]) / static_cast<double>(to - from);
        };
        for (std::size_t to = from + 2; to < sums.size(); ++to)
            if (slope(to) >= slope(steepest)) steepest = to;
        const double step = slope(steepest);
        for (std::size_t i = from + 1; i < steepest; ++i) sums[i] = sums[i - 1] + step;
        from = steepest;
    }
}

}  // namespace

JoinBound::JoinBound(const PairWeights& weights, std::size_t k)
    : weights_(weights),
      k_(k),
      n_too_many_(std::min(k * (k + 1) / 2, 2 * k - 1)),
      brought_(weights.n_variables()),
      brought_outside_(weights.n_variables()) {
    for (VariableId a = 0; a < n(); ++a)
        for (VariableId b = 0; b < a; ++b)
            if (weights(a, b) > 0.0) pairs_.push_back({weights(a, b), a, b});
    std::ranges::sort(pairs_, std::ranges::greater{}, &Pair::weight);
}

double JoinBound::operator()(WideMask joined) {
    if (known_.size() >= max_known_bounds) known_.clear();
    const auto [known, is_new] = known_.try_emplace(joined, 0.0);
    if (!is_new) return known->second;
    find_links_to_any(joined);
    return known->second = heaviest_sum(joined);
}

double JoinBound::operator()(WideMask joined, std::span<const WideMask> cliques) {
    find_links_to_one_of(joined, cliques);
    return heaviest_sum(joined);
}

double JoinBound::of_all(std::vector<std::pair<VariableId, VariableId>>& taken) {
    find_links_to_any(1);
    const double sum = heaviest_sum(1);
    for (VariableId variable = 0; variable < n(); ++variable)
        for (const VariableId other : brought_[variable])
            taken.emplace_back(std::minmax(variable, other == inside ? VariableId{0} : other));
    return sum;
}

void JoinBound::find_links_to_any(WideMask joined) {
    links_.clear();
    for (VariableId variable = 0; variable < n(); ++variable) {
        if (holds(joined, variable)) continue;
        row_.clear();
        for (WideMask left = joined; left != 0; left &= left - 1)
            row_.push_back(std::max(weights_(variable, first_of(left)), 0.0));
        const std::size_t n_links = std::min(k_, row_.size());
        std::ranges::partial_sort(row_, row_.begin() + static_cast<std::ptrdiff_t>(n_links),
                                  std::ranges::greater{});
        for (std::size_t i = 0; i < n_links && row_[i] > 0.0; ++i)
            links_.push_back({row_[i], variable});
    }
    std::ranges::sort(links_, std::ranges::greater{}, &Link::weight);
}

void JoinBound::find_links_to_one_of(WideMask joined, std::span<const WideMask> cliques) {
    links_.clear();
    for (VariableId variable = 0; variable < n(); ++variable) {
        if (holds(joined, variable)) continue;
        sums_.assign(k_ + 1, 0.0);
        for (const WideMask clique : cliques) {
            row_.clear();
            for (WideMask left = clique; left != 0; left &= left - 1)
                row_.push_back(std::max(weights_(variable, first_of(left)), 0.0));
            std::ranges::sort(row_, std::ranges::greater{});
            double sum = 0.0;
            for (std::size_t i = 0; i < k_; ++i) {
                sum += i < row_.size() ? row_[i] : 0.0;
                sums_[i + 1] = std::max(sums_[i + 1], sum);
            }
        }
        add_links(variable, sums_);
    }
    std::ranges::sort(links_, std::ranges::greater{}, &Link::weight);
}

void JoinBound::add_links(VariableId variable, std::vector<double>& sums) {
    level_rises(sums);
    for (std::size_t i = 1; i < sums.size(); ++i)
        links_.push_back({sums[i] - sums[i - 1], variable});
}

double JoinBound::heaviest_sum(WideMask joined) {
    ++n_found_;
    for (auto& brought : brought_) brought.clear();
    for (auto& brought : brought_outside_) brought.clear();
    std::size_t n_left = k_ * (n() - static_cast<std::size_t>(std::popcount(joined)));
    double sum = 0.0;
    const auto take = [&](const auto& item) {
        if (!takes(item)) return;
        sum += item.weight;
        --n_left;
    };
    auto link = links_.begin();
    for (const Pair& pair : pairs_) {
        if (n_left == 0) return sum;
        if (holds(joined, pair.a) || holds(joined, pair.b)) continue;
        while (link != links_.end() && link->weight >= pair.weight && n_left > 0) take(*link++);
        if (n_left > 0) take(pair);
    }
    while (link != links_.end() && n_left > 0) take(*link++);
    return sum;
}

bool JoinBound::takes(const Link& link) {
    WideMask visited = 0;
    if (!makes_room(brought_, link.variable, visited)) return false;
    brought_[link.variable].push_back(inside);
    return true;
}

bool JoinBound::takes(const Pair& pair) {
    WideMask visited = 0;
    const bool is_of_a = makes_room(brought_, pair.a, visited);
    if (!is_of_a && !makes_room(brought_, pair.b, visited)) return false;
    if (!gathers_room(pair.a, pair.b)) return false;
    (is_of_a ? brought_[pair.a] : brought_[pair.b]).push_back(is_of_a ? pair.b : pair.a);
    auto& outside = brought_outside_;
    const bool has_room_of_a = outside[pair.a].size() < k_;
    (has_room_of_a ? outside[pair.a] : outside[pair.b]).push_back(has_room_of_a ? pair.b : pair.a);
    return true;
}

/// Whether two variables can bring l + 1 more pairs together: then one more keeps to the counts.
bool JoinBound::gathers_room(VariableId a, VariableId b) {
    const auto room = [&] {
        return 2 * k_ - brought_outside_[a].size() - brought_outside_[b].size();
    };
    while (room() <= n_too_many_) {
        WideMask visited = WideMask{1} << a | WideMask{1} << b;
        const auto frees_one = [&](VariableId variable) {
            for (VariableId& other : brought_outside_[variable]) {
                if (!makes_room(brought_outside_, other, visited)) continue;
                brought_outside_[other].push_back(variable);
                other = brought_outside_[variable].back();
                brought_outside_[variable].pop_back();
                return true;
            }
            return false;
        };
        if (!frees_one(a) && !frees_one(b)) return false;
    }
    return true;
}

/// Whether a variable can bring one pair more, if need be by leaving one to its other half.
bool JoinBound::makes_room(Brought& brought, VariableId variable, WideMask& visited) const {
    if (variable == inside || holds(visited, variable)) return false;
    visited |= WideMask{1} << variable;
    if (brought[variable].size() < k_) return true;
    for (VariableId& other : brought[variable]) {
        if (!makes_room(brought, other, visited)) continue;
        brought[other].push_back(variable);
        other = brought[variable].back();
        brought[variable].pop_back();
        return true;
    }
    return false;
}

}  // namespace baytree
