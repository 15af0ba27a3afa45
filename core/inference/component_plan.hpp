#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "data/variable.hpp"
#include "inference/row_network.hpp"

namespace baytree {

/// Thrown before anything is allocated where tables would take more memory than allowed.
class RowsTooLarge : public std::runtime_error {
public:
    RowsTooLarge(double bytes_needed, double bytes_allowed)
        : std::runtime_error("the cliques of a row are too large"),
          n_bytes(bytes_needed),
          max_bytes(bytes_allowed) {}
    double n_bytes;
    double max_bytes;
};

/// How to eliminate one component of a row: missing variables that hang together given what is
/// observed. Depends on which cells are missing alone, never on states.
struct ComponentPlan {
    /// A table that is multiplied into a clique. Entry `i` of the clique, cut into a high and a low
    /// part, meets entry `base + offsets[high_at + high] + offsets[low_at + low]`.
    struct Operand {
        std::uint32_t source;  // the variable whose family it is, or the clique that sends it
        std::uint32_t first_term, last_term;  // observed members of the family, for `base`
        std::uint32_t base_at;                // of a family: the place of `base` among the bases
        std::uint32_t high_at, low_at;
    };

    /// One variable with those that it shares a table with when it is eliminated.
    struct Clique {
        VariableId variable;
        std::uint32_t arity;
        std::uint32_t n_rows;  // joint states of the separator; the variable's own are innermost
        std::uint32_t n_high, n_low;                // n_high * n_low = n_rows * arity
        std::uint32_t first_family, last_family;    // among `operands`
        std::uint32_t first_message, last_message;  // among `operands`
        std::uint32_t first_term, last_term;        // separator, among `terms`
        std::size_t table_at, message_at;           // in the memory of a solver
    };

    std::vector<Clique> cliques;  // in the order of elimination
    std::vector<Operand> operands;
    std::vector<FamilyTerm> terms;
    std::vector<std::uint32_t> offsets;
    std::size_t n_table_entries = 0;
    std::size_t n_message_entries = 0;
    std::uint32_t n_bases = 0;

    /// What the observed cells of a row, by variable, say: the base of every family.
    void find_bases(const std::int32_t* cells, std::vector<std::uint32_t>& bases) const;
};

/// Makes plans; keeps its memory between them.
class ComponentPlanner {
public:
    explicit ComponentPlanner(const RowNetwork& network);

    /// The plan for `members`, ascending by rank, of which `families` are all that count. A family
    /// is named by its child and may have members that are observed. Throws RowsTooLarge if
    /// solving it would take more than `max_bytes`.
    void plan(VariableSpan members, VariableSpan families, double max_bytes, ComponentPlan& made);

private:
    struct Bucket {
        std::vector<VariableId> families;
        std::vector<std::uint32_t> messages;   // cliques that send one
        std::vector<std::uint32_t> separator;  // places in `members`, ascending
    };

    void sort_into_buckets(VariableSpan members, VariableSpan families);
    void find_separator(std::uint32_t place);
    void lay_out(VariableSpan members, double max_bytes, ComponentPlan& made);
    void add_clique(VariableSpan members, std::uint32_t place, ComponentPlan& made);
    void add_family(VariableId child, ComponentPlan& made);
    void add_message(std::uint32_t sender, VariableSpan members, ComponentPlan& made);
    void add_offsets(ComponentPlan& made, ComponentPlan::Operand& operand);
    void append_part(std::size_t begin, std::size_t end, ComponentPlan& made);

    const RowNetwork* network_;
    std::vector<std::uint32_t> place_;  // of each variable among the members
    std::vector<Bucket> buckets_;
    std::vector<std::uint32_t> seen_;    // the last clique that a member was seen for
    std::vector<VariableId> scope_;      // of the clique at hand, as it is laid out
    std::vector<std::uint32_t> stride_;  // of the operand at hand, by variable
    std::size_t first_low_ = 0;          // place in `scope_` where the low part begins
};

}  // namespace baytree
