#include "data/family_counter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

// Costs in nanoseconds, fitted with benchmarks/scoring.py --methods; only their ratios matter.
constexpr double cost_of_row = 0.9;
constexpr double cost_of_digit = 0.05;       // one variable more in the number of a row's cell
constexpr double cost_of_cell = 1.0;         // of a table that rows are counted in
constexpr double cost_of_sorted_row = 50.0;  // not fitted: sorting comes last
constexpr double usual_cost_of_word = 0.2;
constexpr double cost_of_branch = 8.0;  // to a cell of a table that planes are counted in

// Beyond this many cells a row, sorting the rows beats clearing and reading a table.
constexpr double max_cells_a_row = 32.0;
constexpr double always_few_cells = 16'384.0;
constexpr double max_table_cells = 2'147'483'647.0;  // cell numbers are 32 bits wide

// With one parent, each cell costs a popcount over a plane and nothing else.
constexpr std::uint32_t max_cells_of_quick_pair = 64;

constexpr std::size_t rows_a_block = 1024;  // their cell numbers stay in the first-level cache

/// Digits must be added to 64-bit keys only while the product of arities stays below this.
constexpr std::uint64_t max_key = std::numeric_limits<std::uint64_t>::max() / (1U << 17);

CodeAxis code_axis(const VariableCodes& codes) {
    return {codes.is_narrow() ? codes.narrow.data() : nullptr,
            codes.is_narrow() ? nullptr : codes.wide.data(), codes.arity, codes.n_missing > 0};
}

/// Turns "any state" at index 0 of every axis into "state 0".
void subtract_other_states(std::span<const PlaneAxis> axes, std::span<std::uint32_t> cells) {
    for (const PlaneAxis& axis : axes) {
        const std::size_t step = axis.stride * axis.arity;
        for (std::size_t block = 0; block < cells.size(); block += step)
            for (std::uint32_t state = 1; state < axis.arity; ++state) {
                std::uint32_t* any = cells.data() + block;
                const std::uint32_t* other = any + state * axis.stride;
                for (std::size_t i = 0; i < axis.stride; ++i) any[i] -= other[i];
            }
    }
}

/// Adds rows to `n_tables` tables in turn, cell by cell side by side. Neighbouring rows often meet
/// in one cell, where each addition would have to wait for the one before.
template <std::size_t n_tables, class Number, class Count, class WeightOf>
void add_rows(std::span<const Number> cell_of_row, Count* cells, WeightOf&& weight_of) {
    std::size_t row = 0;
    for (; row + n_tables <= cell_of_row.size(); row += n_tables)
#pragma GCC unroll 4
        for (std::size_t table = 0; table < n_tables; ++table)
            cells[std::size_t{cell_of_row[row + table]} * n_tables + table] +=
                weight_of(row + table);
    for (; row < cell_of_row.size(); ++row)
        cells[std::size_t{cell_of_row[row]} * n_tables] += weight_of(row);
}

/// As many tables as pay for being cleared and summed.
std::size_t n_side_by_side(std::size_t n_cells) {
    return n_cells <= 2048 ? 4 : n_cells <= 8192 ? 2 : 1;
}

template <std::size_t n_tables, class Count>
void sum_tables(std::span<Count> cells) {
    for (std::size_t i = 0; i < cells.size() / n_tables; ++i) {
        Count sum = 0;
        for (std::size_t table = 0; table < n_tables; ++table) sum += cells[i * n_tables + table];
        cells[i] = sum;
    }
}

/// Replaces keys by their rank among the distinct keys and returns how many there are.
std::uint64_t rank_keys(std::vector<std::pair<std::uint64_t, std::uint32_t>>& rows) {
    std::ranges::sort(rows);
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool is_new = i + 1 < rows.size() && rows[i + 1].first != rows[i].first;
        rows[i].first = rank;
        rank += is_new ? 1 : 0;
    }
    return rank + 1;
}

}  // namespace

FamilyCounter::FamilyCounter(const Dataset& dataset, InstructionSet instructions, int n_threads)
    : dataset_(dataset),
      kernels_(counting_kernels(instructions)),
      is_unweighted_(std::ranges::all_of(dataset.weights(), [](double w) { return w == 1.0; })) {
    if (!dataset.has_integer_weights()) return;
    planes_.emplace(dataset, n_threads);
    state_counts_.resize(dataset.n_variables());
    parallel_for(dataset.n_variables(), n_threads, [&](std::size_t task) {
        const auto variable = static_cast<VariableId>(task);
        if (!planes_->has(variable) || dataset.has_missing(variable)) return;
        CountScratch scratch;
        count_by_rows(variable, {}, scratch, dataset.integer_weights(), scratch.integer_cells);
        state_counts_[variable] = scratch.integer_cells;
    });
}

double FamilyCounter::n_cells(VariableId child, VariableSpan parents) const noexcept {
    double product = dataset_.arity(child);
    for (const VariableId parent : parents) product *= dataset_.arity(parent);
    return product;
}

bool FamilyCounter::has_planes(VariableId child, VariableSpan parents) const noexcept {
    return planes_ && planes_->has(child) &&
           std::ranges::all_of(parents, [&](VariableId parent) { return planes_->has(parent); });
}

FamilyCounter::Costs FamilyCounter::costs(VariableId child, VariableSpan parents,
                                          double cost_of_word) const noexcept {
    constexpr double never = std::numeric_limits<double>::infinity();
    const double cells = n_cells(child, parents);
    const auto n_rows = static_cast<double>(dataset_.n_distinct_rows());
    const auto n_variables = static_cast<double>(parents.size() + 1);
    Costs costs{never, never, n_rows * cost_of_sorted_row};
    if (cells > std::min(always_few_cells + max_cells_a_row * n_rows, max_table_cells))
        return costs;
    costs.rows = n_rows * (cost_of_row + cost_of_digit * n_variables) + cells * cost_of_cell;
    if (has_planes(child, parents))
        costs.planes =
            cells * (cost_of_branch + static_cast<double>(planes_->n_words()) * cost_of_word);
    return costs;
}

double FamilyCounter::seconds(VariableId child, VariableSpan parents) const noexcept {
    const Costs own = costs(child, parents, usual_cost_of_word);
    return 1e-9 * std::min({own.planes, own.rows, own.sorting});
}

CountingMethod FamilyCounter::cheapest_method(VariableId child, VariableSpan parents,
                                              CountingMethod asked) const {
    const Costs own = costs(child, parents, kernels_.cost_of_word);
    if ((asked == CountingMethod::planes && std::isinf(own.planes)) ||
        (asked == CountingMethod::rows && std::isinf(own.rows)))
        throw std::invalid_argument("this family cannot be counted that way");
    if (asked != CountingMethod::automatic) return asked;
    if (std::isinf(own.rows)) return CountingMethod::sorting;
    return own.planes <= own.rows ? CountingMethod::planes : CountingMethod::rows;
}

FamilyCounts<std::uint32_t> FamilyCounter::integer_counts(VariableId child, VariableSpan parents,
                                                          CountScratch& scratch,
                                                          CountingMethod method) const {
    std::vector<std::uint32_t>& cells = scratch.integer_cells;
    if (method == CountingMethod::automatic && is_quick_pair(child, parents)) {
        count_pair(child, parents.front(), cells);
        return {cells, dataset_.arity(child), {}};
    }
    switch (cheapest_method(child, parents, method)) {
        case CountingMethod::planes:
            count_by_planes(child, parents, scratch);
            return {cells, dataset_.arity(child), {}};
        case CountingMethod::sorting:
            count_by_sorting(child, parents, scratch, dataset_.integer_weights(), cells);
            return {cells, 0, scratch.starts, scratch.states};
        default:
            count_by_rows(child, parents, scratch, dataset_.integer_weights(), cells);
            return {cells, dataset_.arity(child), {}};
    }
}

FamilyCounts<double> FamilyCounter::real_counts(VariableId child, VariableSpan parents,
                                                CountScratch& scratch,
                                                CountingMethod method) const {
    std::vector<double>& cells = scratch.real_cells;
    if (cheapest_method(child, parents, method) == CountingMethod::sorting) {
        count_by_sorting(child, parents, scratch, dataset_.weights(), cells);
        return {cells, 0, scratch.starts, scratch.states};
    }
    count_by_rows(child, parents, scratch, dataset_.weights(), cells);
    return {cells, dataset_.arity(child), {}};
}

bool FamilyCounter::is_quick_pair(VariableId child, VariableSpan parents) const noexcept {
    return parents.size() == 1 && !state_counts_[child].empty() &&
           !state_counts_[parents.front()].empty() &&
           dataset_.arity(child) * dataset_.arity(parents.front()) <= max_cells_of_quick_pair;
}

void FamilyCounter::count_pair(VariableId child, VariableId parent,
                               std::vector<std::uint32_t>& cells) const {
    const std::uint32_t width = dataset_.arity(child);
    const std::uint32_t height = dataset_.arity(parent);
    cells.resize(std::size_t{width} * height);
    for (std::uint32_t state = 0; state < width; ++state)
        cells[state] = state_counts_[child][state];
    for (std::uint32_t row = 1; row < height; ++row) {
        const std::uint64_t* parent_plane = planes_->state_plane(parent, row);
        std::uint32_t left = state_counts_[parent][row];
        for (std::uint32_t state = 1; state < width; ++state) {
            const std::uint64_t* child_plane = planes_->state_plane(child, state);
            std::uint64_t n = 0;
            for (const PlaneLayer& layer : planes_->layers())
                n += kernels_.count_common(parent_plane + layer.first_word,
                                           child_plane + layer.first_word, layer.n_words)
                     << layer.shift;
            cells[row * width + state] = static_cast<std::uint32_t>(n);
            cells[state] -= static_cast<std::uint32_t>(n);
            left -= static_cast<std::uint32_t>(n);
        }
        cells[std::size_t{row} * width] = left;
        cells[0] -= left;
    }
}

void FamilyCounter::count_by_planes(VariableId child, VariableSpan parents,
                                    CountScratch& scratch) const {
    std::size_t stride = 1;
    std::vector<PlaneAxis>& axes = scratch.plane_axes;
    axes.clear();
    const auto add_axis = [&](VariableId variable) {
        const std::uint32_t arity = dataset_.arity(variable);
        const std::uint64_t* states = arity > 1 ? planes_->state_plane(variable, 1) : nullptr;
        axes.push_back({states, planes_->observed_plane(variable), arity, stride});
        stride *= arity;
    };
    add_axis(child);
    for (std::size_t i = parents.size(); i-- > 0;) add_axis(parents[i]);
    const auto binary_axes = std::ranges::partition(
        axes, [](const PlaneAxis& axis) { return axis.arity != 2 || axis.observed != nullptr; });
    scratch.integer_cells.assign(stride, 0);
    scratch.masks.resize(axes.size() * planes_->n_words() / BitPlanes::words_per_block);
    for (const PlaneLayer& layer : planes_->layers())
        kernels_.count_planes({axes.data(), axes.size(), axes.size() - binary_axes.size(),
                               planes_->n_words(), layer, scratch.masks.front().words,
                               scratch.integer_cells.data()});
    subtract_other_states(axes, scratch.integer_cells);
}

template <class Count>
void FamilyCounter::count_by_rows(VariableId child, VariableSpan parents, CountScratch& scratch,
                                  std::span<const Count> weights, std::vector<Count>& cells) const {
    std::vector<CodeAxis>& axes = scratch.code_axes;
    axes.clear();
    for (const VariableId parent : parents) axes.push_back(code_axis(dataset_.codes(parent)));
    axes.push_back(code_axis(dataset_.codes(child)));
    const auto n_table_cells = static_cast<std::size_t>(n_cells(child, parents));
    switch (n_side_by_side(n_table_cells)) {
        case 4:
            fill_tables<4>(kernels_.narrow_cell_numbers, axes, n_table_cells, weights, cells);
            break;
        case 2:
            fill_tables<2>(kernels_.narrow_cell_numbers, axes, n_table_cells, weights, cells);
            break;
        default:
            if (n_table_cells <= std::numeric_limits<std::uint16_t>::max())
                fill_tables<1>(kernels_.narrow_cell_numbers, axes, n_table_cells, weights, cells);
            else
                fill_tables<1>(kernels_.wide_cell_numbers, axes, n_table_cells, weights, cells);
    }
}

template <std::size_t n_tables, class Number, class Count>
void FamilyCounter::fill_tables(CellNumbers<Number> cell_numbers, std::span<const CodeAxis> axes,
                                std::size_t n_table_cells, std::span<const Count> weights,
                                std::vector<Count>& cells) const {
    cells.assign((n_table_cells + 1) * n_tables, Count{0});
    std::array<Number, rows_a_block> cell_of_row;
    for (std::size_t first = 0; first < weights.size(); first += rows_a_block) {
        const std::size_t n = std::min(rows_a_block, weights.size() - first);
        cell_numbers(axes.data(), axes.size(), first, n, static_cast<Number>(n_table_cells),
                     cell_of_row.data());
        const std::span<const Number> block(cell_of_row.data(), n);
        if (is_unweighted_)
            add_rows<n_tables>(block, cells.data(), [](std::size_t) { return Count{1}; });
        else
            add_rows<n_tables>(block, cells.data(),
                               [&](std::size_t row) { return weights[first + row]; });
    }
    sum_tables<n_tables>(std::span(cells));
    cells.resize(n_table_cells);  // the cell after them took the rows with a missing cell
}

template <class Count>
void FamilyCounter::count_by_sorting(VariableId child, VariableSpan parents, CountScratch& scratch,
                                     std::span<const Count> weights,
                                     std::vector<Count>& cells) const {
    auto& rows = scratch.keyed_rows;
    rows.clear();
    const auto is_incomplete = [&](std::uint32_t row) {
        return dataset_.codes(child).is_missing(row) ||
               std::ranges::any_of(parents,
                                   [&](VariableId p) { return dataset_.codes(p).is_missing(row); });
    };
    for (std::uint32_t row = 0; row < weights.size(); ++row)
        if (!is_incomplete(row)) rows.emplace_back(0, row);
    std::uint64_t n_keys = 1;
    const auto append_digit = [&](VariableId variable) {
        const VariableCodes& codes = dataset_.codes(variable);
        if (n_keys > max_key) n_keys = rank_keys(rows);
        for (auto& [key, row] : rows) key = key * codes.arity + codes.code(row);
        n_keys *= codes.arity;
    };
    for (const VariableId parent : parents) append_digit(parent);
    append_digit(child);
    std::ranges::sort(rows);
    cells.clear();
    scratch.starts.clear();
    scratch.states.clear();
    const std::uint64_t width = dataset_.arity(child);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint64_t key = rows[i].first;
        if (i == 0 || key / width != rows[i - 1].first / width)
            scratch.starts.push_back(cells.size());
        if (i == 0 || key != rows[i - 1].first) {
            cells.push_back(Count{0});
            scratch.states.push_back(static_cast<std::uint32_t>(key % width));
        }
        cells.back() += weights[rows[i].second];
    }
    scratch.starts.push_back(cells.size());
}

}  // namespace baytree
