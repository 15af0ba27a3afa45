#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/row_blocks.hpp"
#include "mixtures/family_entries.hpp"

namespace baytree {

/// Some rows of a table: those without missing cells as entries, the others by number.
struct Batch {
    std::vector<std::uint32_t> entries;
    std::vector<double> weights;  // of the complete rows
    std::vector<std::size_t> incomplete;
    double total_weight = 0.0;

    std::size_t n_complete() const noexcept { return weights.size(); }
};

/// The rows of a table that have a weight above zero, from which batches are taken.
class BatchRows {
public:
    /// `entries` must live on. Throws std::invalid_argument where weights or columns are not as
    /// many as they should be, or a code is no state.
    BatchRows(const RowTable& table, std::span<const double> weights, const FamilyEntries& entries);

    std::size_t n_rows() const noexcept { return codes_.n_rows; }
    double weight(std::size_t row) const noexcept { return weights_[row]; }
    const std::uint16_t* codes(std::size_t row) const noexcept { return codes_.row(row); }

    void load(std::span<const std::size_t> rows, Batch& batch) const;

    /// Logits of the states of each family as they occur, against those of the first state.
    std::vector<float> base_logits() const;

private:
    const FamilyEntries* entries_;
    RowCodes codes_;
    std::vector<double> weights_;
};

}  // namespace baytree
