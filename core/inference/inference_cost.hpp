#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace baytree {

/// What a query takes, known before anything is allocated. Doubles, for it may be astronomic.
struct InferenceCost {
    std::size_t clique_variables = 0;  // in the largest table
    double clique_entries = 0.0;       // of the largest table
    double total_entries = 0.0;        // of all cliques
    double n_cliques = 0.0;
    double bytes = 0.0;           // held at the same time, at most
    double filled_entries = 0.0;  // by which time goes: also those of a tree that is kept

    void add_clique(std::size_t n_variables, double n_entries) noexcept {
        if (n_entries > clique_entries) clique_variables = n_variables;
        clique_entries = std::max(clique_entries, n_entries);
        total_entries += n_entries;
        filled_entries += n_entries;
        n_cliques += 1.0;
    }
};

/// A query that needs more memory than it may have.
class InferenceTooLarge : public std::runtime_error {
public:
    explicit InferenceTooLarge(const InferenceCost& cost)
        : std::runtime_error("inference needs more memory than allowed"),
          cost_(cost) {}

    const InferenceCost& cost() const noexcept { return cost_; }

private:
    InferenceCost cost_;
};

inline void check_memory(const InferenceCost& cost, double max_bytes) {
    if (!(cost.bytes <= max_bytes)) throw InferenceTooLarge(cost);
}

}  // namespace baytree
