#include "learning/relaxed_weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace baytree {

namespace {

constexpr std::size_t max_rounds = 600;
constexpr std::size_t max_work = 200'000'000;  // a second or two
constexpr int n_rounds_to_halve = 30;          // the step, if the bound does not fall meanwhile
constexpr int max_new_cuts = 8;                // a round
constexpr double first_step = 1.0;

using Edges = std::vector<std::pair<VariableId, VariableId>>;
using Adjacency = std::vector<WideMask>;

/// Pairs of which one at least is not in any k-tree, and the price of having them all.
struct Cut {
    Edges edges;
    double price = 0.0;
};

Adjacency adjacency_of(const Edges& edges, std::size_t n) {
    Adjacency adjacency(n);
    for (const auto& [a, b] : edges) {
        adjacency[a] |= WideMask{1} << b;
        adjacency[b] |= WideMask{1} << a;
    }
    return adjacency;
}

/// Whether contractions of edges, each of the vertex of least degree, lead to a graph of least
/// degree above k: then its treewidth is above k ([mmd+]).
bool is_proved_too_wide(Adjacency adjacency, std::size_t k) {
    const auto degree = [&](VariableId v) { return std::popcount(adjacency[v]); };
    WideMask left = 0;
    for (VariableId v = 0; v < adjacency.size(); ++v)
        if (adjacency[v] != 0) left |= WideMask{1} << v;
    while (static_cast<std::size_t>(std::popcount(left)) > k + 1) {
        VariableId least = static_cast<VariableId>(std::countr_zero(left));
        for (WideMask rest = left; rest != 0; rest &= rest - 1)
            if (const auto v = static_cast<VariableId>(std::countr_zero(rest));
                degree(v) < degree(least))
                least = v;
        if (static_cast<std::size_t>(degree(least)) > k) return true;
        left &= ~(WideMask{1} << least);
        const WideMask neighbours = adjacency[least];
        if (neighbours == 0) continue;
        VariableId heir = static_cast<VariableId>(std::countr_zero(neighbours));
        const auto n_shared = [&](VariableId v) {
            return std::popcount(adjacency[v] & neighbours);
        };
        for (WideMask rest = neighbours; rest != 0; rest &= rest - 1) {
            const auto v = static_cast<VariableId>(std::countr_zero(rest));
            adjacency[v] &= ~(WideMask{1} << least);
            if (n_shared(v) < n_shared(heir)) heir = v;
        }
        adjacency[heir] |= neighbours & ~(WideMask{1} << heir);
        for (WideMask rest = adjacency[heir]; rest != 0; rest &= rest - 1)
            adjacency[static_cast<std::size_t>(std::countr_zero(rest))] |= WideMask{1} << heir;
    }
    return false;
}

/// Takes out edges as long as what is left is still too wide.
Edges smallest_part(Edges edges, std::size_t n, std::size_t k) {
    for (std::size_t i = edges.size(); i-- > 0;) {
        Edges fewer = edges;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (is_proved_too_wide(adjacency_of(fewer, n), k)) edges = std::move(fewer);
    }
    return edges;
}

class Relaxation {
public:
    Relaxation(const PairWeights& weights, std::size_t k, double to_beat)
        : weights_(weights),
          k_(k),
          to_beat_(to_beat),
          best_{weights, 0.0} {}

    /// Subgradient steps.
    template <class MustEnd>
    RelaxedWeights run(const MustEnd& must_end) {
        const std::size_t n = weights_.n_variables();
        const std::size_t n_rounds = std::min(max_rounds, max_work / (n * n * n * k_));
        double step = first_step;
        int n_in_vain = 0;
        for (std::size_t round = 0; round < n_rounds && !must_end(); ++round) {
            const RelaxedWeights now = priced();
            Edges heaviest;
            const double bound = JoinBound(now.weights, k_).of_all(heaviest) + now.constant;
            if (bound < best_bound_) {
                best_bound_ = bound;
                best_ = now;
                n_in_vain = 0;
            } else if (++n_in_vain % n_rounds_to_halve == 0) {
                step /= 2;
            }
            add_cuts(heaviest, must_end);
            if (!change_prices(heaviest, step * (bound - to_beat_))) break;
        }
        return best_;
    }

private:
    RelaxedWeights priced() const {
        RelaxedWeights relaxed{weights_, 0.0};
        for (const Cut& cut : cuts_) {
            if (cut.price == 0.0) continue;
            relaxed.constant += cut.price * static_cast<double>(cut.edges.size() - 1);
            for (const auto& [a, b] : cut.edges)
                relaxed.weights.set(a, b, relaxed.weights(a, b) - cut.price);
        }
        return relaxed;
    }

    template <class MustEnd>
    void add_cuts(Edges edges, const MustEnd& must_end) {
        for (int i = 0; i < max_new_cuts && !must_end(); ++i) {
            if (!is_proved_too_wide(adjacency_of(edges, weights_.n_variables()), k_)) return;
            Edges part = smallest_part(edges, weights_.n_variables(), k_);
            const auto lightest = std::ranges::min(
                part, {}, [&](const auto& edge) { return weights_(edge.first, edge.second); });
            std::erase(edges, lightest);
            std::ranges::sort(part);
            const auto is_known = [&](const Cut& cut) { return cut.edges == part; };
            if (std::ranges::none_of(cuts_, is_known)) cuts_.push_back({std::move(part), 0.0});
        }
    }

    /// Raises the prices of cuts that the pairs break, and lowers others; false if there is nothing
    /// to change.
    bool change_prices(const Edges& edges, double size) {
        const Adjacency adjacency = adjacency_of(edges, weights_.n_variables());
        std::vector<double> excess;
        double norm = 0.0;
        for (const Cut& cut : cuts_) {
            const auto n_had = std::ranges::count_if(cut.edges, [&](const auto& edge) {
                return (adjacency[edge.first] >> edge.second & 1) != 0;
            });
            double of_cut = static_cast<double>(n_had) - static_cast<double>(cut.edges.size() - 1);
            if (of_cut < 0.0 && cut.price == 0.0) of_cut = 0.0;
            excess.push_back(of_cut);
            norm += of_cut * of_cut;
        }
        if (norm == 0.0 || !(size > 0.0)) return false;
        for (std::size_t i = 0; i < cuts_.size(); ++i)
            cuts_[i].price = std::max(0.0, cuts_[i].price + size / norm * excess[i]);
        return true;
    }

    const PairWeights& weights_;
    std::size_t k_;
    double to_beat_;
    std::vector<Cut> cuts_;
    RelaxedWeights best_;
    double best_bound_ = std::numeric_limits<double>::infinity();
};

}  // namespace

RelaxedWeights relaxed_weights(const PairWeights& weights, std::size_t k, double to_beat,
                               const RunControl& control, Clock::time_point until) {
    return Relaxation(weights, k, to_beat).run([&] { return is_over(control, until); });
}

}  // namespace baytree
