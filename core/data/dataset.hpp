#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// State codes of one variable, one per distinct row, in the narrowest type that holds them. The
/// largest value of the type stands for a missing cell.
struct VariableCodes {
    std::vector<std::uint8_t> narrow;  // arity up to 255
    std::vector<std::uint16_t> wide;   // arity up to 65,535
    std::uint32_t arity = 0;
    std::uint64_t n_missing = 0;  // cells of the original rows

    static constexpr std::uint8_t narrow_missing = 0xFF;
    static constexpr std::uint16_t wide_missing = 0xFFFF;

    bool is_narrow() const noexcept { return arity <= narrow_missing; }
    bool is_missing(std::size_t row) const noexcept {
        return is_narrow() ? narrow[row] == narrow_missing : wide[row] == wide_missing;
    }
    std::uint32_t code(std::size_t row) const noexcept {
        return is_narrow() ? narrow[row] : wide[row];
    }
};

/// A categorical table in memory: equal rows are stored once with their weight. Immutable, so
/// threads share one dataset without locks.
class Dataset {
public:
    static constexpr std::uint32_t max_arity = 65'535;

    /// `codes` is column by column, `n_rows` values a variable, -1 for a missing cell. `weights` is
    /// empty (every row counts once) or holds one finite, non-negative number a row. Throws
    /// std::invalid_argument where a code, an arity, a weight or a size is out of bounds.
    Dataset(std::span<const std::int32_t> codes, std::size_t n_rows,
            std::span<const std::int32_t> arities, std::span<const double> weights = {},
            int n_threads = 1);

    std::size_t n_variables() const noexcept { return codes_.size(); }
    std::size_t n_rows() const noexcept { return n_rows_; }
    std::size_t n_distinct_rows() const noexcept { return weights_.size(); }

    /// Sum of the weights: the N of every score.
    double total_weight() const noexcept { return total_weight_; }

    /// Whether all weights are whole numbers, so that counts are integers below 2^32.
    bool has_integer_weights() const noexcept { return has_integer_weights_; }

    const VariableCodes& codes(VariableId variable) const noexcept { return codes_[variable]; }
    std::uint32_t arity(VariableId variable) const noexcept { return codes_[variable].arity; }
    bool has_missing(VariableId variable) const noexcept { return codes_[variable].n_missing > 0; }

    /// Weight of every distinct row; the integer form is empty unless `has_integer_weights`.
    std::span<const double> weights() const noexcept { return weights_; }
    std::span<const std::uint32_t> integer_weights() const noexcept { return integer_weights_; }

private:
    /// Fills the weights and returns the first row of every group of equal rows.
    std::vector<std::uint32_t> merge_equal_rows(std::span<const std::int32_t> codes,
                                                std::span<const double> weights, int n_threads);
    void store_codes(std::span<const std::int32_t> codes, std::span<const std::int32_t> arities,
                     std::span<const std::uint32_t> rows, int n_threads);

    std::size_t n_rows_;
    double total_weight_ = 0.0;
    bool has_integer_weights_ = true;
    std::vector<VariableCodes> codes_;
    std::vector<double> weights_;
    std::vector<std::uint32_t> integer_weights_;
};

}  // namespace baytree
