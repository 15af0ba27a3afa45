#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// Subset of the first 64 variables.
using WideMask = std::uint64_t;

/// Symmetric weights of pairs of variables. Pairs of negative weight are never needed in a bound.
class PairWeights {
public:
    explicit PairWeights(std::size_t n_variables)
        : n_(n_variables),
          weights_(n_variables * n_variables) {}

    std::size_t n_variables() const noexcept { return n_; }
    void set(VariableId a, VariableId b, double weight) {
        weights_[a * n_ + b] = weights_[b * n_ + a] = weight;
    }
    double operator()(VariableId a, VariableId b) const noexcept { return weights_[a * n_ + b]; }

private:
    std::size_t n_;
    std::vector<double> weights_;
};

/// Upper bounds of the weight that variables can add by joining a k-tree one after the other.
///
/// Each brings k pairs, and no pair is brought twice. Among j variables outside there are at most
/// k j - l pairs, where l = k (k + 1) / 2 in a k-tree, and a smaller l where only that makes a
/// matroid, as sets of pairs that keep to such counts do for l < 2 k ([pebble-game]). So the
/// heaviest pairs are found greedily.
class JoinBound {
public:
    JoinBound(const PairWeights& weights, std::size_t k);

    /// For any k-tree over the variables in `joined`.
    double operator()(WideMask joined);

    /// For a k-tree over all variables; adds the pairs that make it up.
    double of_all(std::vector<std::pair<VariableId, VariableId>>& taken);

    /// For the k-tree with these k-cliques: a newcomer has its neighbours there in one of them.
    double operator()(WideMask joined, std::span<const WideMask> cliques);

    /// Bounds that had to be found, not remembered.
    std::size_t n_found() const noexcept { return n_found_; }

private:
    struct Pair {
        double weight;
        VariableId a;
        VariableId b;
    };
    struct Link {  // of a variable outside with the k-tree
        double weight;
        VariableId variable;
    };
    /// Pairs given to one of their variables: other halves, and `inside` for the k-tree.
    using Brought = std::vector<std::vector<VariableId>>;
    static constexpr VariableId inside = static_cast<VariableId>(-1);

    std::size_t n() const noexcept { return weights_.n_variables(); }
    void find_links_to_any(WideMask joined);
    void find_links_to_one_of(WideMask joined, std::span<const WideMask> cliques);
    void add_links(VariableId variable, std::vector<double>& sums);
    double heaviest_sum(WideMask joined);
    bool takes(const Pair& pair);
    bool takes(const Link& link);
    bool makes_room(Brought& brought, VariableId variable, WideMask& visited) const;
    bool gathers_room(VariableId a, VariableId b);

    const PairWeights& weights_;
    std::size_t k_;
    std::size_t n_too_many_;    // l
    std::vector<Pair> pairs_;   // heaviest first
    std::vector<Link> links_;   // heaviest first
    Brought brought_;           // of all pairs
    Brought brought_outside_;   // of those without the k-tree, shared out anew
    std::vector<double> sums_;  // of the 0, 1, ... k heaviest links of a variable
    std::vector<double> row_;
    std::unordered_map<WideMask, double> known_;
    std::size_t n_found_ = 0;
};

}  // namespace baytree
