#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/counting_kernels.hpp"
#include "runtime/instruction_set.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Rows that are copies of others with errors: each cell is kept, or with some probability drawn
/// anew from the distribution of its variable. A cell that the other row lacks is drawn anew.
struct CopyModel {
    std::vector<std::uint32_t> arities;
    std::vector<double> probabilities;  // of all states, variable after variable; positive
    std::vector<double> error_rates;    // between 0 and 1; each makes a model of its own
};

/// State codes column by column, -1 for a missing cell.
struct DonorTable {
    std::span<const std::int32_t> codes;
    std::size_t n_rows = 0;
};

struct DonorRequest {
    std::size_t n_donors = 1;  // of each row, or all there are
    bool must_help = false;    // whether donors need to have a cell that the row lacks
    std::span<const std::int32_t> own = {};  // if given, by row: the donor that it is itself
    int n_threads = 1;
};

/// For each row the donors that are most like it, best first.
struct RowDonors {
    std::vector<std::int32_t> donors;   // row after row; -1 where there are no more
    std::vector<double> log_densities;  // of a row as a copy, by donor, then by error rate
};

/// Rows that others may be copies of. Immutable, so threads may share it.
class DonorSearch {
public:
    /// Throws std::invalid_argument if a code is not a state, or the sizes do not fit.
    DonorSearch(const CopyModel& model, const DonorTable& donors,
                InstructionSet instructions = best_instruction_set());

    /// The best donors of each row but itself; of equal ones the first. They are ranked by weights
    /// that are rounded to some thousandths of the largest, at one rate of errors. After a stop
    /// request, what is left has no donors. Throws as the constructor does.
    RowDonors find(const DonorTable& rows, const DonorRequest& request, RunControl& control) const;

private:
    using RankCode = std::int16_t;  // eight of them in the smallest vector register

    void set_gains(const CopyModel& model);
    void find_for(std::span<const std::int32_t> cells, std::int32_t own, bool must_help,
                  std::span<std::int32_t> donors, std::span<double> log_densities) const;
    /// Adds up, for each donor, how much more probable the cells are than if all differed.
    std::vector<std::int32_t> ranks(std::span<const std::int32_t> cells) const;
    void add_ranks(std::span<const std::int32_t> cells, std::size_t first,
                   std::span<std::int32_t> sums) const;
    CellGains gains_of(std::size_t variable, std::int32_t state, std::size_t first) const;
    /// Log density of cells as a copy of a row that is the same, at each rate of errors.
    std::vector<double> log_densities_of_same(std::span<const std::int32_t> cells) const;
    /// Takes away from them what differs in a donor.
    void subtract_differences(std::span<const std::int32_t> cells, std::size_t donor,
                              std::span<double> log_densities) const;
    bool has_any(std::size_t donor, std::span<const std::size_t> variables) const;

    std::size_t n_variables() const noexcept { return arities_.size(); }
    std::size_t first_entry(std::size_t variable, std::int32_t state) const noexcept {
        return (first_state_[variable] + static_cast<std::size_t>(state)) * log_errors_.size();
    }

    const CountingKernels& kernels_;
    std::vector<std::uint32_t> arities_;
    std::size_t n_donors_;
    std::vector<std::size_t> first_state_;
    std::vector<std::int32_t> by_row_;
    std::vector<RankCode> by_column_;
    std::vector<std::uint8_t> has_gaps_;  // by variable
    std::vector<RankCode> rank_gains_;    // of an equal cell over another one, by state
    RankCode rank_gain_of_gap_ = 0;
    std::vector<double> log_errors_;  // by rate
    std::vector<double> log_equals_;  // of an equal cell, by state and rate
    std::vector<double> gains_;       // of an equal cell over one that differs
};

}  // namespace baytree
