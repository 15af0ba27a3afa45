#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "inference/component_solver.hpp"
#include "inference/row_components.hpp"
#include "inference/row_network.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// State codes column by column, -1 for a missing cell.
struct RowTable {
    std::span<const std::int32_t> codes;
    std::size_t n_rows = 0;

    const std::int32_t* column(VariableId variable) const noexcept {
        return codes.data() + variable * n_rows;
    }
};

struct RowLimits {
    int n_threads = 1;
    double max_bytes = std::numeric_limits<double>::infinity();  // of all threads together
};

/// Some rows of a table, of which those with missing cells are at hand cell by cell.
class RowBlock {
public:
    /// Throws std::invalid_argument where a code is not a state.
    void load(const RowNetwork& network, const RowTable& table, std::size_t number,
              std::size_t rows_per_block, VariableSpan hidden);

    std::size_t first() const noexcept { return first_; }
    /// How many blocks come before this one.
    std::size_t number() const noexcept { return number_; }
    std::size_t size() const noexcept { return n_rows_; }

    /// Rows with missing cells, counted within the block; rows with the same missing cells follow
    /// each other.
    std::size_t n_incomplete() const noexcept { return incomplete_.size(); }
    std::size_t row(std::size_t i) const noexcept { return incomplete_[i]; }
    std::int32_t* cells(std::size_t i) noexcept { return cells_.data() + slot_[i] * n_variables_; }

    /// Copies the codes of its rows to a table of the same shape.
    void copy_columns(std::span<std::int32_t> codes) const;

    /// Calls `visit(row, entry)` for every row whose family of `child` has no missing cell.
    template <class Visit>
    void for_each_complete(const RowNetwork& network, VariableId child, const Visit& visit) {
        const bool has_missing = find_entries(network, child);
        for (std::size_t row = 0; row < n_rows_; ++row)
            if (!has_missing || !has_missing_[row]) visit(row, entries_[row]);
    }

private:
    void find_incomplete(const RowNetwork& network);
    void copy_cells();
    void copy_cells_of(VariableId variable, std::size_t begin, std::size_t end);
    void sort_by_missing_cells();
    /// Puts the entries of a family into `entries_`, and whether a row has a missing cell there
    /// into `has_missing_` unless it returns false: then none has.
    bool find_entries(const RowNetwork& network, VariableId child);
    const std::int32_t* column(VariableId variable) const noexcept {
        return table_.column(variable) + first_;
    }

    RowTable table_;
    std::size_t number_ = 0;
    std::size_t first_ = 0;
    std::size_t n_rows_ = 0;
    std::size_t n_variables_ = 0;
    std::vector<bool> is_hidden_, is_whole_;  // by variable: in all rows, in none missing
    std::vector<std::uint8_t> has_missing_;
    std::vector<std::uint32_t> incomplete_, slot_;
    std::vector<std::int32_t> cells_;
    std::vector<std::uint64_t> missing_hashes_;  // of the missing cells of each incomplete row
    std::vector<std::uint32_t> entries_;
};

/// What a thread needs for block after block.
struct RowWorker {
    RowWorker(const RowNetwork& network, const RowQuestion& question, double max_bytes)
        : components(network, question, max_bytes),
          solver(network) {}

    RowBlock block;
    RowComponents components;
    ComponentSolver solver;
};

/// Rows of a block whose sums are added; depends on the number of variables alone, as sums do.
std::size_t rows_per_block(const RowNetwork& network);
/// Rows of a block whose rows have nothing to do with each other: so few that threads end together.
std::size_t rows_per_answer(const RowNetwork& network);

/// Calls `body` for every block of `rows_per_answer` rows, on several threads. After a stop
/// request, what is left is not done. Throws std::invalid_argument unless the table has a column
/// for every variable.
void for_each_block(const RowNetwork& network, const RowTable& table, const RowQuestion& question,
                    const RowLimits& limits, RunControl& control,
                    const std::function<void(RowWorker&)>& body);

/// Blocks in parts of about equal size, each of which is one task.
struct BlockParts {
    std::size_t n_parts;
    std::span<const std::size_t> first_blocks = {};  // by part: those before it are left out
};

/// The same for blocks of `rows_per_block` rows, with the number of the part. The blocks of a part
/// come in order.
void for_each_block_in_parts(const RowNetwork& network, const RowTable& table,
                             const RowQuestion& question, const BlockParts& parts,
                             const RowLimits& limits, RunControl& control,
                             const std::function<void(RowWorker&, std::size_t)>& body);

}  // namespace baytree
