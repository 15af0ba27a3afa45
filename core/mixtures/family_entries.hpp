#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// Codes of a table row by row; `missing` for a missing cell.
struct RowCodes {
    static constexpr std::uint16_t missing = 0xFFFF;
    std::vector<std::uint16_t> codes;
    std::size_t n_rows = 0;
    std::size_t n_variables = 0;

    const std::uint16_t* row(std::size_t number) const noexcept {
        return codes.data() + number * n_variables;
    }
};

/// Where the probabilities of a structure lie in one array: the tables of the variables one behind
/// the other, with a distribution for each configuration of the parents, of which the last one's
/// state changes fastest. A logit belongs to every state but the first.
class FamilyEntries {
public:
    struct Family {
        VariableId child;
        std::uint32_t arity;
        std::uint32_t n_configurations;
        std::uint32_t first_entry, first_logit;
    };

    /// Throws std::invalid_argument where the entries of all tables are 2^31 or more.
    FamilyEntries(std::vector<std::uint32_t> arities, ParentLists parents);

    std::size_t n_variables() const noexcept { return families_.size(); }
    std::size_t n_entries() const noexcept { return n_entries_; }
    std::size_t n_logits() const noexcept { return n_logits_; }
    const std::vector<Family>& families() const noexcept { return families_; }
    const std::vector<std::uint32_t>& arities() const noexcept { return arities_; }
    const ParentLists& parents() const noexcept { return parents_; }

    /// The entry of each family in a row without missing cells.
    void find(const std::uint16_t* codes, std::uint32_t* entries) const;

private:
    std::vector<std::uint32_t> arities_;
    ParentLists parents_;
    std::vector<Family> families_;
    std::size_t n_entries_ = 0;
    std::size_t n_logits_ = 0;
};

}  // namespace baytree
