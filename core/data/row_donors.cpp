#include "data/row_donors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr double ranking_error_rate = 0.05;
constexpr std::size_t rows_per_task = 16;
// Gains of so many cells add up in 16 bits without overflow.
constexpr std::size_t cells_per_sum = 64;
constexpr double largest_gain = std::numeric_limits<std::int16_t>::max() / cells_per_sum;
// Sums of so many donors stay in the nearest cache.
constexpr std::size_t donors_per_block = 4096;

/// States beyond the range share a code, which may rank a donor too high but never hides one.
std::int16_t rank_code(std::int32_t code) {
    constexpr std::int32_t mask = std::numeric_limits<std::int16_t>::max();
    return static_cast<std::int16_t>(code < 0 ? -1 : code & mask);
}

void check_model(const CopyModel& model) {
    const auto n_states = std::reduce(model.arities.begin(), model.arities.end(), std::size_t{0});
    const auto is_positive = [](double probability) { return probability > 0.0; };
    if (n_states == 0 || model.probabilities.size() != n_states ||
        !std::ranges::all_of(model.probabilities, is_positive))
        throw std::invalid_argument("every state needs a probability");
    if (!std::ranges::all_of(model.error_rates, [](double r) { return r > 0.0 && r < 1.0; }))
        throw std::invalid_argument("a rate of errors must be between 0 and 1");
}

void check_codes(const std::vector<std::uint32_t>& arities, const DonorTable& table) {
    if (table.codes.size() != table.n_rows * arities.size())
        throw std::invalid_argument("a table needs a column for every variable");
    for (std::size_t variable = 0; variable < arities.size(); ++variable) {
        const auto arity = static_cast<std::int64_t>(arities[variable]);
        const auto column = table.codes.subspan(variable * table.n_rows, table.n_rows);
        if (std::ranges::any_of(column, [&](auto code) { return code < -1 || code >= arity; }))
            throw std::invalid_argument("a code is not a state of its variable");
    }
}

void check_own(std::span<const std::int32_t> own, std::size_t n_rows, std::size_t n_donors) {
    const auto is_donor = [&](std::int32_t row) {
        return row >= 0 && static_cast<std::size_t>(row) < n_donors;
    };
    if (!own.empty() && (own.size() != n_rows || !std::ranges::all_of(own, is_donor)))
        throw std::invalid_argument("every row needs a donor that it is itself");
}

/// Cells of a table row by row.
std::vector<std::int32_t> transposed(const DonorTable& table, std::size_t n_variables) {
    std::vector<std::int32_t> cells(table.codes.size());
    for (std::size_t variable = 0; variable < n_variables; ++variable)
        for (std::size_t row = 0; row < table.n_rows; ++row)
            cells[row * n_variables + variable] = table.codes[variable * table.n_rows + row];
    return cells;
}

/// Puts the positions of the largest sums into `best`, largest first, of equal ones the first, as
/// far as they are accepted; -1 behind them.
template <class Accept>
void find_best(std::span<const std::int32_t> sums, const Accept& accepts,
               std::span<std::int32_t> best) {
    std::ranges::fill(best, -1);
    if (best.empty()) return;
    std::size_t n_kept = 0;
    std::int32_t least = std::numeric_limits<std::int32_t>::min();  // that gets in
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (sums[i] < least || !accepts(i)) continue;
        std::size_t at = n_kept < best.size() ? n_kept++ : n_kept - 1;
        for (; at > 0 && sums[static_cast<std::size_t>(best[at - 1])] < sums[i]; --at)
            best[at] = best[at - 1];
        best[at] = static_cast<std::int32_t>(i);
        if (n_kept == best.size()) least = sums[static_cast<std::size_t>(best.back())] + 1;
    }
}

}  // namespace

DonorSearch::DonorSearch(const CopyModel& model, const DonorTable& donors,
                         InstructionSet instructions)
    : kernels_(counting_kernels(instructions)),
      arities_(model.arities),
      n_donors_(donors.n_rows),
      first_state_(model.arities.size()),
      has_gaps_(model.arities.size()) {
    check_model(model);
    check_codes(arities_, donors);
    by_row_ = transposed(donors, n_variables());
    by_column_.resize(donors.codes.size());
    std::ranges::transform(donors.codes, by_column_.begin(), rank_code);
    std::exclusive_scan(arities_.begin(), arities_.end(), first_state_.begin(), std::size_t{0});
    for (std::size_t variable = 0; variable < n_variables(); ++variable) {
        const auto column = donors.codes.subspan(variable * n_donors_, n_donors_);
        has_gaps_[variable] = std::ranges::any_of(column, [](auto code) { return code < 0; });
    }
    set_gains(model);
}

void DonorSearch::set_gains(const CopyModel& model) {
    const auto gain = [](double rate, double probability) {
        return std::log1p((1.0 - rate) / (rate * probability));
    };
    for (const double rate : model.error_rates) log_errors_.push_back(std::log(rate));
    for (const double probability : model.probabilities)
        for (const double rate : model.error_rates) {
            log_equals_.push_back(std::log(1.0 - rate + rate * probability));
            gains_.push_back(gain(rate, probability));
        }
    const double of_gap = -std::log(ranking_error_rate);
    const double rarest = std::ranges::min(model.probabilities);
    const double scale = largest_gain / std::max(of_gap, gain(ranking_error_rate, rarest));
    const auto rounded = [&](double exact) {
        return static_cast<RankCode>(std::floor(exact * scale));
    };
    rank_gain_of_gap_ = rounded(of_gap);
    for (const double probability : model.probabilities)
        rank_gains_.push_back(rounded(gain(ranking_error_rate, probability)));
}

RowDonors DonorSearch::find(const DonorTable& rows, const DonorRequest& request,
                            RunControl& control) const {
    check_codes(arities_, rows);
    check_own(request.own, rows.n_rows, n_donors_);
    const auto cells = transposed(rows, n_variables());
    const std::size_t n_found =
        std::min(request.n_donors, n_donors_ - (request.own.empty() ? 0 : 1));
    const std::size_t n_densities = n_found * log_errors_.size();
    RowDonors found{
        std::vector<std::int32_t>(rows.n_rows * n_found, -1),
        std::vector<double>(rows.n_rows * n_densities, -std::numeric_limits<double>::infinity())};
    const auto find_some = [&](std::size_t task) {
        const std::size_t last = std::min(rows.n_rows, (task + 1) * rows_per_task);
        for (std::size_t row = task * rows_per_task; row < last && !is_over(control); ++row)
            find_for(std::span(cells).subspan(row * n_variables(), n_variables()),
                     request.own.empty() ? -1 : request.own[row], request.must_help,
                     std::span(found.donors).subspan(row * n_found, n_found),
                     std::span(found.log_densities).subspan(row * n_densities, n_densities));
    };
    const std::size_t n_tasks = (rows.n_rows + rows_per_task - 1) / rows_per_task;
    parallel_for(n_tasks, request.n_threads, control, find_some);
    return found;
}

void DonorSearch::find_for(std::span<const std::int32_t> cells, std::int32_t own, bool must_help,
                           std::span<std::int32_t> donors, std::span<double> log_densities) const {
    std::vector<std::size_t> gaps;
    for (std::size_t variable = 0; variable < cells.size(); ++variable)
        if (cells[variable] < 0) gaps.push_back(variable);
    const auto accepts = [&](std::size_t donor) {
        return static_cast<std::int32_t>(donor) != own && (!must_help || has_any(donor, gaps));
    };
    find_best(ranks(cells), accepts, donors);
    const auto same = log_densities_of_same(cells);
    for (std::size_t i = 0; i < donors.size() && donors[i] >= 0; ++i) {
        const auto out = log_densities.subspan(i * same.size(), same.size());
        std::ranges::copy(same, out.begin());
        subtract_differences(cells, static_cast<std::size_t>(donors[i]), out);
    }
}

bool DonorSearch::has_any(std::size_t donor, std::span<const std::size_t> variables) const {
    const std::int32_t* cells = by_row_.data() + donor * n_variables();
    return std::ranges::any_of(variables, [&](std::size_t v) { return cells[v] >= 0; });
}

std::vector<std::int32_t> DonorSearch::ranks(std::span<const std::int32_t> cells) const {
    std::vector<std::int32_t> sums(n_donors_);
    for (std::size_t first = 0; first < n_donors_; first += donors_per_block) {
        const std::size_t size = std::min(donors_per_block, n_donors_ - first);
        add_ranks(cells, first, std::span(sums).subspan(first, size));
    }
    return sums;
}

void DonorSearch::add_ranks(std::span<const std::int32_t> cells, std::size_t first,
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
        if (n_added == cells_per_sum) flush();
        kernels_.add_gains(gains_of(variable, cells[variable], first), short_sums.size(),
                           short_sums.data());
        ++n_added;
    }
    flush();
}

CellGains DonorSearch::gains_of(std::size_t variable, std::int32_t state, std::size_t first) const {
    return {.codes = by_column_.data() + variable * n_donors_ + first,
            .own = rank_code(state),
            .of_equal = rank_gains_[first_state_[variable] + static_cast<std::size_t>(state)],
            .of_missing = has_gaps_[variable] ? rank_gain_of_gap_ : RankCode{0}};
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

void DonorSearch::subtract_differences(std::span<const std::int32_t> cells, std::size_t donor,
                                       std::span<double> log_densities) const {
    const std::int32_t* others = by_row_.data() + donor * n_variables();
    for (std::size_t variable = 0; variable < cells.size(); ++variable) {
        if (cells[variable] < 0 || others[variable] == cells[variable]) continue;
        const std::size_t entry = first_entry(variable, cells[variable]);
        for (std::size_t i = 0; i < log_densities.size(); ++i) {
            log_densities[i] -= gains_[entry + i];
            if (others[variable] < 0) log_densities[i] -= log_errors_[i];
        }
    }
}

}  // namespace baytree
