#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inference/scopes.hpp"
#include "inference/work_meter.hpp"

namespace baytree {

/// An order of the variables, and the neighbours that each had left when it was eliminated.
struct Elimination {
    std::vector<VariableId> order;
    std::vector<std::vector<VariableId>> later;  // by variable
};

/// What the next variable to eliminate has least of ([koller-friedman], 9.4).
enum class EliminationRule {
    fill,           // pairs of neighbours to join
    weighted_fill,  // the same, each pair weighted by the product of its arities
    size            // joint states of the variable and its neighbours
};

/// Eliminates all variables of the graph in which those of each scope are joined, greedily by a
/// rule. Ties go to the first variable, or at random if there is a seed.
Elimination eliminate_greedily(const Scopes& scopes, std::span<const std::uint32_t> arities,
                               EliminationRule rule, std::optional<std::uint64_t> seed,
                               WorkMeter& meter);

/// Eliminates all variables in a given order.
Elimination eliminate_along(const Scopes& scopes, std::span<const VariableId> order);

/// Whether tables are so large that so many greedy eliminations take little time beside them.
bool is_worth_a_search(const Elimination& elimination, std::span<const std::uint32_t> arities,
                       std::uint64_t n_tries);

/// The best of a known elimination and of several greedy ones, by the size of all tables. The more
/// work inference will be, the more are tried. The same every time.
Elimination best_elimination(const Scopes& scopes, std::span<const std::uint32_t> arities,
                             Elimination known, WorkMeter& meter);

/// Entries of a table for each variable with its later neighbours, all together.
double total_entries(const Elimination& elimination, std::span<const std::uint32_t> arities);

}  // namespace baytree
