#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/instruction_set.hpp"
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

struct DonorOptions {
    std::size_t n_donors = 1;  // of each row, or all there are
    int n_threads = 1;
    InstructionSet instructions = best_instruction_set();
};

/// For each row the donors that are most like it, best first.
struct RowDonors {
    std::size_t n_donors = 0;           // of each row
    std::vector<std::int32_t> donors;   // row after row
    std::vector<double> log_densities;  // of a row as a copy, by donor, then by error rate
};

/// Returns the best donors of each row; ties go to the first of them. They are ranked by weights
/// that are rounded to some thousandths of the largest, at one rate of errors. `own` is empty or
/// has for each row the donor that it is itself, which is left out. What was not done at a stop
/// request is zero.
///
/// Throws std::invalid_argument if a code is not a state, or the sizes do not fit.
RowDonors find_donors(const CopyModel& model, const DonorTable& donors, const DonorTable& rows,
                      std::span<const std::int32_t> own, const DonorOptions& options,
                      RunControl& control);

}  // namespace baytree
