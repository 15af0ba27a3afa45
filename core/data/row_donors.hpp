#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/run_control.hpp"

namespace baytree {

/// Rows that are copies of others with errors: each cell is kept, or with some probability drawn
/// anew from the distribution of its variable. A cell that the other row lacks is drawn anew.
struct CopyModel {
    std::vector<std::uint32_t> arities;
    std::vector<double> probabilities;  // of all states, variable after variable
    std::vector<double> error_rates;    // each of them makes a model of its own
};

/// State codes column by column, -1 for a missing cell.
struct DonorTable {
    std::span<const std::int32_t> codes;
    std::size_t n_rows = 0;
};

/// For each row the donors that are most like it, best first.
struct RowDonors {
    std::size_t n_donors = 0;           // of each row
    std::vector<std::int32_t> donors;   // row after row
    std::vector<double> log_densities;  // of a row as a copy, by donor, then by error rate
};

/// Returns for each row its `n_donors` best donors, or all there are; ties go to the first of them.
/// They are ranked by weights that are rounded to some thousandths of the largest, at one rate of
/// errors. `own` is empty or has for each row the donor that it is itself, which is left out. What
/// was not done at a stop request is zero.
///
/// Throws std::invalid_argument if a code is not a state, or the sizes do not fit.
RowDonors find_donors(const CopyModel& model, const DonorTable& donors, const DonorTable& rows,
                      std::span<const std::int32_t> own, std::size_t n_donors, int n_threads,
                      RunControl& control);

}  // namespace baytree
