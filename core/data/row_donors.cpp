#include "data/row_donors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "data/counting_kernels.hpp"
#include "runtime/instruction_set.hpp"
#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

using RankCode = std::int16_t;  // eight of them in the smallest vector register

constexpr double ranking_error_rate = 0.05;
constexpr std::size_t rows_per_task = 16;
// Gains of so many cells add up in a RankCode without overflow.
constexpr std::size_t cells_per_sum = 64;
constexpr RankCode largest_gain = std::numeric_limits<RankCode>::max() / cells_per_sum;
// Sums of so many donors stay in the nearest cache.
constexpr std::size_t donors_per_block = 4096;

/// States beyond the range share a code, which may rank a donor too high but never hides one.
RankCode rank_code(std::int32_t code) {
    return static_cast<RankCode>(code < 0 ? -1 : code & std::numeric_limits<RankCode>::max());
}

void check_model(const CopyModel& model) {
    const auto n_states = std::reduce(model.arities.begin(), model.arities.end(), std::size_t{0});
    if (n_states == 0 || model.probabilities.size() != n_states)
        throw std::invalid_argument("every state needs a probability");
}

void check_codes(const CopyModel& model, const DonorTable& table) {
    if (table.codes.size() != table.n_rows * model.arities.size())
        throw std::invalid_argument("a table needs a column for every variable");
    for (std::size_t i = 0; i < table.codes.size(); ++i) {
        const auto arity = static_cast<std::int64_t>(model.arities[i / table.n_rows]);
        if (table.codes[i] < -1 || table.codes[i] >= arity)
            throw std::invalid_argument("a code is not a state of its variable");
    }
}

/// Cells of a table row by row.
std::vector<std::int32_t> transposed(const DonorTable& table, std::size_t n_variables) {
    std::vector<std::int32_t> cells(table.codes.size());
    for (std::size_t variable = 0; variable < n_variables; ++variable)
        for (std::size_t row = 0; row < table.n_rows; ++row)
            cells[row * n_variables + variable] = table.codes[variable * table.n_rows + row];
    return cells;
}

/// What threads share: donors in two layouts, and what cells add to the density of a copy.
class DonorSearch {
public:
    DonorSearch(const CopyModel& model, const DonorTable& donors, InstructionSet instructions);

    std::size_t n_variables() const noexcept { return first_state_.size(); }
    std::size_t n_donors() const noexcept { return n_donors_; }

    /// Adds up, for each donor, how much more probable the cells are than if all differed.
    void rank(std::span<const std::int32_t> cells, std::vector<std::int32_t>& sums) const;

    /// Log density of cells as a copy of a row that is the same, at each rate of errors.
    std::vector<double> log_densities_of_same(std::span<const std::int32_t> cells) const;

    /// The same as a copy of a donor; `same` is what `log_densities_of_same` returns.
    void log_densities(std::span<const std::int32_t> cells, std::size_t donor,
                       std::span<const double> same, std::span<double> out) const;

private:
    void rank_block(std::span<const std::int32_t> cells, std::size_t first,
                    std::span<std::int32_t> sums) const;
    void add_gains(std::size_t variable, std::int32_t state, std::size_t first,
                   std::span<RankCode> sums) const;
    void set_rank_gains(const CopyModel& model);
    std::size_t first_entry(std::size_t variable, std::int32_t state) const noexcept {
        return (first_state_[variable] + static_cast<std::size_t>(state)) * log_errors_.size();
    }

    const CountingKernels& kernels_;
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

DonorSearch::DonorSearch(const CopyModel& model, const DonorTable& donors,
                         InstructionSet instructions)
    : kernels_(counting_kernels(instructions)),
      n_donors_(donors.n_rows),
      first_state_(model.arities.size()),
      by_row_(transposed(donors, model.arities.size())),
      by_column_(donors.codes.size()),
      has_gaps_(model.arities.size()) {
    std::exclusive_scan(model.arities.begin(), model.arities.end(), first_state_.begin(),
                        std::size_t{0});
    std::ranges::transform(donors.codes, by_column_.begin(), rank_code);
    for (std::size_t variable = 0; variable < n_variables(); ++variable) {
        const auto column = donors.codes.subspan(variable * n_donors_, n_donors_);
        has_gaps_[variable] = std::ranges::any_of(column, [](auto code) { return code < 0; });
    }
    for (const double rate : model.error_rates) log_errors_.push_back(std::log(rate));
    for (const double probability : model.probabilities)
        for (const double rate : model.error_rates) {
            const double differs = rate * probability;
            log_equals_.push_back(std::log(1.0 - rate + differs));
            gains_.push_back(std::log1p((1.0 - rate) / differs));
        }
    set_rank_gains(model);
}

void DonorSearch::set_rank_gains(const CopyModel& model) {
    std::vector<double> gains;
    for (const double probability : model.probabilities)
        gains.push_back(
            std::log1p((1.0 - ranking_error_rate) / (ranking_error_rate * probability)));
    const double of_gap = -std::log(ranking_error_rate);
    const double scale = largest_gain / std::max(of_gap, std::ranges::max(gains));
    for (const double gain : gains)
        rank_gains_.push_back(static_cast<RankCode>(std::lround(gain * scale)));
    rank_gain_of_gap_ = static_cast<RankCode>(std::lround(of_gap * scale));
}

void DonorSearch::rank(std::span<const std::int32_t> cells, std::vector<std::int32_t>& sums) const {
    sums.assign(n_donors_, 0);
    for (std::size_t first = 0; first < n_donors_; first += donors_per_block) {
        const std::size_t size = std::min(donors_per_block, n_donors_ - first);
        rank_block(cells, first, std::span(sums).subspan(first, size));
    }
}

void DonorSearch::rank_block(std::span<const std::int32_t> cells, std::size_t first,
                             std::span<std::int32_t> sums) const {
    std::vector<RankCode> short_sums(sums.size(), 0);
    std::size_t n_added = 0;
    const auto flush = [&] {
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += short_sums[i];
        std::ranges::fill(short_sums, RankCode{0});
        n_added = 0;
    };
    for (std::size_t variable = 0; variable < cells.size(); ++variable) {
        if (cells[variable] < 0) continue;
        if (n_added++ == cells_per_sum) flush();
        add_gains(variable, cells[variable], first, short_sums);
    }
    flush();
}

void DonorSearch::add_gains(std::size_t variable, std::int32_t state, std::size_t first,
                            std::span<RankCode> sums) const {
    const CellGains cell{.codes = by_column_.data() + variable * n_donors_ + first,
                         .own = rank_code(state),
                         .of_equal =
                             rank_gains_[first_state_[variable] + static_cast<std::size_t>(state)],
                         .of_missing = has_gaps_[variable] ? rank_gain_of_gap_ : RankCode{0}};
    kernels_.add_gains(cell, sums.size(), sums.data());
}

std::vector<double> DonorSearch::log_densities_of_same(std::span<const std::int32_t> cells) const {
    std::vector<double> sums(log_errors_.size());
    for (std::size_t variable = 0; variable < cells.size(); ++variable) {
        if (cells[variable] < 0) continue;
        const std::size_t entry = first_entry(variable, cells[variable]);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += log_equals_[entry + i];
    }
    return sums;
}

/// Takes away what differs, which is little in the rows that matter.
void DonorSearch::log_densities(std::span<const std::int32_t> cells, std::size_t donor,
                                std::span<const double> same, std::span<double> out) const {
    std::ranges::copy(same, out.begin());
    const std::int32_t* others = by_row_.data() + donor * n_variables();
    for (std::size_t variable = 0; variable < cells.size(); ++variable) {
        if (cells[variable] < 0 || others[variable] == cells[variable]) continue;
        const std::size_t entry = first_entry(variable, cells[variable]);
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] -= gains_[entry + i];
            if (others[variable] < 0) out[i] -= log_errors_[i];
        }
    }
}

/// Positions of the largest sums, largest first, of equal ones the first; without one of them.
void best_positions(std::span<const std::int32_t> sums, std::int32_t left_out,
                    std::span<std::int32_t> out) {
    std::size_t n_kept = 0;
    std::int32_t least = std::numeric_limits<std::int32_t>::min();  // that gets in
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] < least || out.empty() || static_cast<std::int32_t>(i) == left_out) continue;
        std::size_t at = n_kept < out.size() ? n_kept++ : n_kept - 1;
        for (; at > 0 && sums[static_cast<std::size_t>(out[at - 1])] < sums[i]; --at)
            out[at] = out[at - 1];
        out[at] = static_cast<std::int32_t>(i);
        if (n_kept == out.size()) least = sums[static_cast<std::size_t>(out.back())] + 1;
    }
}

}  // namespace

RowDonors find_donors(const CopyModel& model, const DonorTable& donors, const DonorTable& rows,
                      std::span<const std::int32_t> own, const DonorOptions& options,
                      RunControl& control) {
    check_model(model);
    check_codes(model, donors);
    check_codes(model, rows);
    const auto in_table = [&](std::int32_t row) {
        return row >= 0 && static_cast<std::size_t>(row) < donors.n_rows;
    };
    if (!own.empty() && (own.size() != rows.n_rows || !std::ranges::all_of(own, in_table)))
        throw std::invalid_argument("every row needs a donor that it is itself");
    const DonorSearch search(model, donors, options.instructions);
    const auto cells = transposed(rows, search.n_variables());
    const std::size_t n_others =
        own.empty() || donors.n_rows == 0 ? donors.n_rows : donors.n_rows - 1;
    const std::size_t n_found = std::min(options.n_donors, n_others);
    const std::size_t n_rates = model.error_rates.size();
    RowDonors found{n_found, std::vector<std::int32_t>(rows.n_rows * n_found),
                    std::vector<double>(rows.n_rows * n_found * n_rates)};
    const auto find = [&](std::size_t task) {
        std::vector<std::int32_t> sums;
        const std::size_t last = std::min(rows.n_rows, (task + 1) * rows_per_task);
        for (std::size_t row = task * rows_per_task; row < last && !is_over(control); ++row) {
            const auto own_cells =
                std::span(cells).subspan(row * search.n_variables(), search.n_variables());
            search.rank(own_cells, sums);
            const auto best = std::span(found.donors).subspan(row * n_found, n_found);
            best_positions(sums, own.empty() ? -1 : own[row], best);
            const auto same = search.log_densities_of_same(own_cells);
            for (std::size_t i = 0; i < n_found; ++i)
                search.log_densities(
                    own_cells, static_cast<std::size_t>(best[i]), same,
                    std::span(found.log_densities).subspan((row * n_found + i) * n_rates, n_rates));
        }
    };
    parallel_for((rows.n_rows + rows_per_task - 1) / rows_per_task, options.n_threads, control,
                 find);
    return found;
}

}  // namespace baytree
