#include "inference/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "runtime/random_stream.hpp"

namespace baytree {

namespace {

using Neighbours = std::vector<VariableId>;  // ascending

std::vector<Neighbours> joined(const Scopes& scopes, std::size_t n_variables) {
    std::vector<Neighbours> adjacent(n_variables);
    for (std::size_t i = 0; i < scopes.size(); ++i)
        for (const VariableId a : scopes[i])
            for (const VariableId b : scopes[i])
                if (a != b) adjacent[a].push_back(b);
    for (auto& others : adjacent) {
        std::ranges::sort(others);
        const auto repeats = std::ranges::unique(others);
        others.erase(repeats.begin(), repeats.end());
    }
    return adjacent;
}

void insert_sorted(Neighbours& set, VariableId variable) {
    set.insert(std::ranges::lower_bound(set, variable), variable);
}

void erase_sorted(Neighbours& set, VariableId variable) {
    set.erase(std::ranges::lower_bound(set, variable));
}

/// A graph from which variables go one by one, with the price of each kept up to date.
class GreedyElimination {
public:
    GreedyElimination(const Scopes& scopes, std::span<const std::uint32_t> arities,
                      EliminationRule rule, std::optional<std::uint64_t> seed)
        : adjacent_(joined(scopes, arities.size())),
          rule_(rule),
          weights_(arities.size(), 1.0),
          price_(arities.size()),
          is_gone_(arities.size()),
          random_(seed.value_or(0), 0),
          has_random_ties_(seed.has_value()) {
        if (rule == EliminationRule::weighted_fill) weights_.assign(arities.begin(), arities.end());
        if (rule == EliminationRule::size)
            for (std::size_t v = 0; v < arities.size(); ++v)
                weights_[v] = std::log2(static_cast<double>(arities[v]));
    }

    Elimination run(WorkMeter& meter) {
        for (VariableId v = 0; v < adjacent_.size(); ++v) set_price(v, first_price(v));
        Elimination result;
        result.later.resize(adjacent_.size());
        result.order.reserve(adjacent_.size());
        while (!queue_.empty()) {
            const auto [price, tie, variable] = queue_.top();
            queue_.pop();
            if (is_gone_[variable] || price != price_[variable]) continue;
            meter.add(50 * (adjacent_[variable].size() + 1));
            eliminate(variable);
            result.order.push_back(variable);
            result.later[variable] = std::move(adjacent_[variable]);
        }
        return result;
    }

private:
    using Entry = std::tuple<double, std::uint64_t, VariableId>;

    void set_price(VariableId variable, double price) {
        price_[variable] = price;
        queue_.emplace(price, has_random_ties_ ? random_.next() : variable, variable);
    }

    double first_price(VariableId v) const {
        return rule_ == EliminationRule::size ? log_size(v) : fill(v);
    }

    double log_size(VariableId v) const {
        double sum = weights_[v];
        for (const VariableId other : adjacent_[v]) sum += weights_[other];
        return sum;
    }

    /// Weight of the pairs of neighbours that are not joined.
    double fill(VariableId v) const {
        double sum = 0.0;
        for (const VariableId other : adjacent_[v])
            sum += weights_[other] * weight_apart(adjacent_[v], other);
        return sum / 2.0;
    }

    /// Weight of the members of a set that are neither `v` nor a neighbour of it.
    double weight_apart(const Neighbours& set, VariableId v) const {
        double sum = 0.0;
        auto other = adjacent_[v].begin();
        for (const VariableId member : set) {
            while (other != adjacent_[v].end() && *other < member) ++other;
            const bool is_neighbour = other != adjacent_[v].end() && *other == member;
            if (!is_neighbour && member != v) sum += weights_[member];
        }
        return sum;
    }

    void eliminate(VariableId variable) {
        is_gone_[variable] = true;
        const Neighbours& neighbours = adjacent_[variable];
        changed_.assign(neighbours.begin(), neighbours.end());
        if (rule_ != EliminationRule::size)
            for (const VariableId other : neighbours)
                price_[other] -= weights_[variable] * weight_apart(adjacent_[other], variable);
        for (const VariableId other : neighbours) erase_sorted(adjacent_[other], variable);
        join_all(neighbours);
        std::ranges::sort(changed_);
        const auto repeats = std::ranges::unique(changed_);
        changed_.erase(repeats.begin(), repeats.end());
        for (const VariableId other : changed_)
            set_price(other, rule_ == EliminationRule::size ? log_size(other) : price_[other]);
    }

    void join_all(const Neighbours& set) {
        for (std::size_t i = 0; i < set.size(); ++i) {
            const VariableId a = set[i];
            apart_.clear();
            std::set_difference(set.begin() + static_cast<std::ptrdiff_t>(i) + 1, set.end(),
                                adjacent_[a].begin(), adjacent_[a].end(),
                                std::back_inserter(apart_));
            for (const VariableId b : apart_) join(a, b);
        }
    }

    void join(VariableId a, VariableId b) {
        if (rule_ != EliminationRule::size) {
            const double weight = weights_[a] * weights_[b];
            price_[a] += weights_[b] * weight_apart(adjacent_[a], b);
            price_[b] += weights_[a] * weight_apart(adjacent_[b], a);
            const std::size_t n_before = changed_.size();
            std::ranges::set_intersection(adjacent_[a], adjacent_[b], std::back_inserter(changed_));
            for (std::size_t i = n_before; i < changed_.size(); ++i) price_[changed_[i]] -= weight;
        }
        insert_sorted(adjacent_[a], b);
        insert_sorted(adjacent_[b], a);
    }

    std::vector<Neighbours> adjacent_;
    EliminationRule rule_;
    std::vector<double> weights_;  // whole numbers for fill, so that prices stay exact
    std::vector<double> price_;
    std::vector<bool> is_gone_;
    RandomStream random_;
    bool has_random_ties_;
    Neighbours apart_;
    Neighbours changed_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;  // some are outdated
};

// The one that takes least time on dense graphs first.
constexpr EliminationRule rules[] = {EliminationRule::size, EliminationRule::fill,
                                     EliminationRule::weighted_fill};

constexpr std::uint64_t max_random_tries = 20;

// No machine holds tables near this, and no other greedy order would bring them within reach.
constexpr double most_entries = 1e30;

std::vector<std::size_t> positions_in(std::span<const VariableId> order) {
    std::vector<std::size_t> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    return position;
}

}  // namespace

Elimination eliminate_greedily(const Scopes& scopes, std::span<const std::uint32_t> arities,
                               EliminationRule rule, std::optional<std::uint64_t> seed,
                               WorkMeter& meter) {
    return GreedyElimination(scopes, arities, rule, seed).run(meter);
}

Elimination eliminate_along(const Scopes& scopes, std::span<const VariableId> order) {
    const auto position = positions_in(order);
    Elimination result;
    result.order.assign(order.begin(), order.end());
    result.later.resize(order.size());
    const auto is_earlier = [&](VariableId a, VariableId b) { return position[a] < position[b]; };
    // The first variable of a set takes the others along, and hands them on to the next when it
    // goes.
    const auto hand_on = [&](std::span<const VariableId> set) {
        if (set.size() < 2) return;
        const VariableId first = *std::ranges::min_element(set, is_earlier);
        for (const VariableId member : set)
            if (member != first) result.later[first].push_back(member);
    };
    for (std::size_t i = 0; i < scopes.size(); ++i) hand_on(scopes[i]);
    for (const VariableId variable : order) {
        auto& later = result.later[variable];
        std::ranges::sort(later);
        const auto repeats = std::ranges::unique(later);
        later.erase(repeats.begin(), repeats.end());
        hand_on(later);
    }
    return result;
}

bool is_worth_a_search(const Elimination& elimination, std::span<const std::uint32_t> arities,
                       std::uint64_t n_tries) {
    double work = 0.0;  // of a greedy elimination, in table entries that take as long
    for (const auto& later : elimination.later)
        work += 20.0 * static_cast<double>(later.size() * later.size() + 1);
    return static_cast<double>(n_tries) * work < total_entries(elimination, arities) / 4.0;
}

Elimination best_elimination(const Scopes& scopes, std::span<const std::uint32_t> arities,
                             Elimination known, WorkMeter& meter) {
    Elimination best = std::move(known);
    double least = total_entries(best, arities);
    const auto attempt = [&](EliminationRule rule, std::optional<std::uint64_t> seed) {
        Elimination other = eliminate_greedily(scopes, arities, rule, seed, meter);
        const double entries = total_entries(other, arities);
        if (entries >= least) return;
        least = entries;
        best = std::move(other);
    };
    for (const EliminationRule rule : rules)
        if (rule == rules[0] || least <= most_entries) attempt(rule, std::nullopt);
    for (std::uint64_t i = 0;
         i < max_random_tries && least <= most_entries && is_worth_a_search(best, arities, i + 4);
         ++i)
        attempt(rules[i % std::size(rules)], i);
    return best;
}

double total_entries(const Elimination& elimination, std::span<const std::uint32_t> arities) {
    double total = 0.0;
    for (const VariableId variable : elimination.order) {
        double entries = arities[variable];
        for (const VariableId other : elimination.later[variable]) entries *= arities[other];
        total += entries;
    }
    return total;
}

}  // namespace baytree
