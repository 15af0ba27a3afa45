#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// How the entries of a table over some variables of a scope repeat in the table over the scope.
/// In both, variables are ascending and the last one's state changes fastest.
class TableProjection {
public:
    /// `part` lies inside `scope`; both are ascending.
    TableProjection(VariableSpan scope, VariableSpan part,
                    const std::vector<std::uint32_t>& arities);

    /// Multiplies every entry of the table over the scope by the entry of the part it agrees with.
    void multiply(std::span<double> table, std::span<const double> part) const;

    /// Adds every entry of the table over the scope to the entry of the part it agrees with.
    void add_to(std::span<double> part, std::span<const double> table) const;

private:
    // Neighbouring variables of the scope that are all inside the part, or all outside of it.
    struct Block {
        std::size_t size;
        std::size_t stride;  // in the part; 0 outside of it
    };

    template <class Visit>
    void for_each_run(Visit visit) const;

    std::vector<Block> outer_;  // the last one changes fastest
    std::size_t run_ = 1;       // entries of the innermost block
    bool is_run_inside_ = false;
};

/// Number of entries of a table over some variables, as a double because it may be huge.
double n_table_entries(VariableSpan scope, const std::vector<std::uint32_t>& arities);

}  // namespace baytree
