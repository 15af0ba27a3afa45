#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/bit_planes.hpp"
#include "data/counting_kernels.hpp"
#include "data/dataset.hpp"
#include "data/variable.hpp"

namespace baytree {

/// How often each state of a child occurs in each configuration of its parents, over the rows that
/// have the whole family observed. `Count` is std::uint32_t, or double under fractional weights.
template <class Count>
struct FamilyCounts {
    std::span<const Count> cells;  // configuration by configuration
    std::size_t width;             // cells a configuration, all states of the child; 0 = see starts
    std::span<const std::size_t> starts;  // where only occurring cells are listed: first cell of
                                          // every occurring configuration, and the end
    std::span<const std::uint32_t>
        states{};  // of the child, by listed cell, where starts are given

    /// Calls `visit(std::span<const Count>)` for every listed configuration.
    template <class Visit>
    void for_each_configuration(Visit&& visit) const {
        if (width > 0)
            for (std::size_t i = 0; i < cells.size(); i += width) visit(cells.subspan(i, width));
        for (std::size_t i = 0; i + 1 < starts.size(); ++i)
            visit(cells.subspan(starts[i], starts[i + 1] - starts[i]));
    }

    /// How often each of the child's `arity` states occurs in all of the rows counted here.
    std::vector<Count> state_totals(std::uint32_t arity) const {
        std::vector<Count> totals(arity, Count{0});
        for (std::size_t i = 0; i < cells.size(); ++i)
            totals[width > 0 ? i % width : states[i]] += cells[i];
        return totals;
    }
};

/// Working memory of one counting thread; counts are views into it.
struct CountScratch {
    struct alignas(64) Block {
        std::uint64_t words[BitPlanes::words_per_block];
    };
    std::vector<std::uint32_t> integer_cells;
    std::vector<double> real_cells;
    std::vector<Block> masks;
    std::vector<PlaneAxis> plane_axes;
    std::vector<CodeAxis> code_axes;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed_rows;
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> states;
};

/// How a family is counted; `automatic` takes the cheaper for its size.
enum class CountingMethod { automatic, planes, rows, sorting };

/// Counts families of a dataset. Small tables go through bit planes and popcount, larger ones row
/// by row, and tables with many more cells than rows by sorting the rows. Immutable: threads share
/// it, each with its own scratch.
class FamilyCounter {
public:
    /// `dataset` must outlive the counter.
    explicit FamilyCounter(const Dataset& dataset,
                           InstructionSet instructions = best_instruction_set(), int n_threads = 1);

    const Dataset& dataset() const noexcept { return dataset_; }

    /// Calls `visit` with FamilyCounts<std::uint32_t>, or FamilyCounts<double> where the weights
    /// are fractional. Throws std::invalid_argument if `method` cannot count this family.
    template <class Visit>
    decltype(auto) count(VariableId child, VariableSpan parents, CountScratch& scratch,
                         Visit&& visit, CountingMethod method = CountingMethod::automatic) const {
        if (dataset_.has_integer_weights())
            return visit(integer_counts(child, parents, scratch, method));
        return visit(real_counts(child, parents, scratch, method));
    }

    /// About how many seconds that takes one thread of a usual machine: the same on any.
    double seconds(VariableId child, VariableSpan parents) const noexcept;

private:
    FamilyCounts<std::uint32_t> integer_counts(VariableId child, VariableSpan parents,
                                               CountScratch& scratch, CountingMethod method) const;
    FamilyCounts<double> real_counts(VariableId child, VariableSpan parents, CountScratch& scratch,
                                     CountingMethod method) const;

    double n_cells(VariableId child, VariableSpan parents) const noexcept;
    struct Costs {  // in nanoseconds; infinite where the method cannot count the family
        double planes, rows, sorting;
    };
    Costs costs(VariableId child, VariableSpan parents, double cost_of_word) const noexcept;
    CountingMethod cheapest_method(VariableId child, VariableSpan parents,
                                   CountingMethod asked) const;
    bool has_planes(VariableId child, VariableSpan parents) const noexcept;

    bool is_quick_pair(VariableId child, VariableSpan parents) const noexcept;
    void count_pair(VariableId child, VariableId parent, std::vector<std::uint32_t>& cells) const;
    void count_by_planes(VariableId child, VariableSpan parents, CountScratch& scratch) const;
    template <class Count>
    void count_by_rows(VariableId child, VariableSpan parents, CountScratch& scratch,
                       std::span<const Count> weights, std::vector<Count>& cells) const;
    template <std::size_t n_tables, class Number, class Count>
    void fill_tables(CellNumbers<Number> cell_numbers, std::span<const CodeAxis> axes,
                     std::size_t n_table_cells, std::span<const Count> weights,
                     std::vector<Count>& cells) const;
    template <class Count>
    void count_by_sorting(VariableId child, VariableSpan parents, CountScratch& scratch,
                          std::span<const Count> weights, std::vector<Count>& cells) const;

    const Dataset& dataset_;
    const CountingKernels& kernels_;
    std::optional<BitPlanes> planes_;
    std::vector<std::vector<std::uint32_t>> state_counts_;  // of complete variables with planes
    bool is_unweighted_;
};

}  // namespace baytree
