#pragma once

// The body of the counting kernels, included by one source file per instruction set. Everything
// sits in an unnamed namespace and no standard-library function is called: code compiled for new
// processors must not leak, as a merged inline function, into what old processors run.

#include "data/counting_kernels.hpp"

namespace baytree {
namespace {

constexpr std::size_t max_fused_axes = 4;

/// One 64-bit word at a time; `Bits::count` says how its bits are counted.
template <class Bits>
struct OneWord {
    using Word = std::uint64_t;
    using Sum = std::uint64_t;
    static constexpr std::size_t n_words = 1;

    static Word load(const std::uint64_t* words) { return *words; }
    static void store(std::uint64_t* words, Word word) { *words = word; }
    static Word intersect(Word a, Word b) { return a & b; }
    static Sum zero() { return 0; }
    static Sum add_count(Sum sum, Word word) { return sum + Bits::count(word); }
    static std::uint64_t total(Sum sum) { return sum; }
};

template <class Vector>
std::uint64_t count_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words) {
    auto sum = Vector::zero();
    for (std::size_t word = 0; word < n_words; word += Vector::n_words)
        sum = Vector::add_count(sum,
                                Vector::intersect(Vector::load(a + word), Vector::load(b + word)));
    return Vector::total(sum);
}

/// Counts of one task. `Vector` says how words are loaded, intersected and counted.
template <class Vector>
class PlaneCounter {
public:
    explicit PlaneCounter(const PlaneTask& task) : task_(task) {}

    void run() { descend(0, nullptr, task_.layer.n_rows, 0); }

private:
    using Word = Vector::Word;

    /// Counts all cells below one partial assignment of the axes before `axis`: `mask` holds its
    /// rows (null for all rows), `n_rows` says how many, `cell` is its place in the table.
    void descend(std::size_t axis, const std::uint64_t* mask, std::uint64_t n_rows,
                 std::size_t cell) {
        if (n_rows == 0) return;
        const std::size_t n_left = task_.n_axes - axis;
        if (n_left == 0) return add(cell, n_rows);
        if (axis >= task_.first_binary && n_left <= max_fused_axes)
            return count_fused(axis, n_left, mask, n_rows, cell);
        const PlaneAxis& split = task_.axes[axis];
        std::uint64_t* rows = task_.scratch + axis * task_.layer.n_words;
        if (split.observed != nullptr)
            descend(axis + 1, rows, intersect(mask, split.observed, rows), cell);
        else
            descend(axis + 1, mask, n_rows, cell);
        for (std::uint32_t state = 1; state < split.arity; ++state) {
            const std::uint64_t* plane = split.states + (state - 1) * task_.plane_words;
            const std::size_t state_cell = cell + state * split.stride;
            if (n_left == 1)
                add(state_cell, count_in(mask, plane));
            else
                descend(axis + 1, rows, intersect(mask, plane, rows), state_cell);
        }
    }

    void count_fused(std::size_t axis, std::size_t n_left, const std::uint64_t* mask,
                     std::uint64_t n_rows, std::size_t cell) {
        add(cell, n_rows);
        switch (n_left) {
            case 1:
                return mask ? fused<1, true>(axis, mask, cell) : fused<1, false>(axis, mask, cell);
            case 2:
                return mask ? fused<2, true>(axis, mask, cell) : fused<2, false>(axis, mask, cell);
            case 3:
                return mask ? fused<3, true>(axis, mask, cell) : fused<3, false>(axis, mask, cell);
            default:
                return mask ? fused<4, true>(axis, mask, cell) : fused<4, false>(axis, mask, cell);
        }
    }

    /// All 2^n - 1 intersections of n binary planes in one pass, without storing any of them.
    template <std::size_t n, bool has_mask>
    void fused(std::size_t axis, const std::uint64_t* mask, std::size_t cell) {
        const std::uint64_t* planes[n];
        for (std::size_t i = 0; i < n; ++i)
            planes[i] = task_.axes[axis + i].states + task_.layer.first_word;
        typename Vector::Sum sums[std::size_t{1} << n];
        for (auto& sum : sums) sum = Vector::zero();
        for (std::size_t word = 0; word < task_.layer.n_words; word += Vector::n_words) {
            Word common[std::size_t{1} << n];
            if constexpr (has_mask) common[0] = Vector::load(mask + word);
#pragma GCC unroll 4
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t bit = std::size_t{1} << i;
                const Word plane = Vector::load(planes[i] + word);
                common[bit] = has_mask ? Vector::intersect(common[0], plane) : plane;
#pragma GCC unroll 8
                for (std::size_t low = 1; low < bit; ++low)
                    common[bit | low] = Vector::intersect(common[low], plane);
#pragma GCC unroll 8
                for (std::size_t low = 0; low < bit; ++low)
                    sums[bit | low] = Vector::add_count(sums[bit | low], common[bit | low]);
            }
        }
        for (std::size_t subset = 1; subset < (std::size_t{1} << n); ++subset) {
            std::size_t subset_cell = cell;
            for (std::size_t i = 0; i < n; ++i)
                if ((subset >> i) & 1U) subset_cell += task_.axes[axis + i].stride;
            add(subset_cell, Vector::total(sums[subset]));
        }
    }

    /// Stores the rows common to `mask` and `plane` (whose layer starts later) and counts them.
    std::uint64_t intersect(const std::uint64_t* mask, const std::uint64_t* plane,
                            std::uint64_t* rows) {
        plane += task_.layer.first_word;
        auto sum = Vector::zero();
        for (std::size_t word = 0; word < task_.layer.n_words; word += Vector::n_words) {
            Word common = Vector::load(plane + word);
            if (mask != nullptr) common = Vector::intersect(common, Vector::load(mask + word));
            Vector::store(rows + word, common);
            sum = Vector::add_count(sum, common);
        }
        return Vector::total(sum);
    }

    std::uint64_t count_in(const std::uint64_t* mask, const std::uint64_t* plane) {
        plane += task_.layer.first_word;
        return count_common<Vector>(mask != nullptr ? mask : plane, plane, task_.layer.n_words);
    }

    void add(std::size_t cell, std::uint64_t n_rows) {
        task_.table[cell] += static_cast<std::uint32_t>(n_rows << task_.layer.shift);
    }

    const PlaneTask& task_;
};

template <class Vector>
void count_planes(const PlaneTask& task) {
    PlaneCounter<Vector>(task).run();
}

template <class Code, class Number>
void append_digit(const Code* codes, Number arity, bool is_first, std::size_t n, Number* cells) {
    if (is_first)
        for (std::size_t row = 0; row < n; ++row) cells[row] = static_cast<Number>(codes[row]);
    else
        // A row that will be discarded may wrap around: in 32 unsigned bits that is no fault.
        for (std::size_t row = 0; row < n; ++row)
            cells[row] = static_cast<Number>(std::uint32_t{cells[row]} * arity + codes[row]);
}

template <class Code, class Number>
void discard_missing(const Code* codes, std::size_t n, Number discard, Number* cells) {
    constexpr Code missing = static_cast<Code>(-1);
    for (std::size_t row = 0; row < n; ++row)
        cells[row] = codes[row] == missing ? discard : cells[row];
}

template <class Number>
void cell_numbers(const CodeAxis* axes, std::size_t n_axes, std::size_t first, std::size_t n,
                  Number discard, Number* cells) {
    for (std::size_t i = 0; i < n_axes; ++i) {
        const auto arity = static_cast<Number>(axes[i].arity);
        if (axes[i].narrow != nullptr)
            append_digit(axes[i].narrow + first, arity, i == 0, n, cells);
        else
            append_digit(axes[i].wide + first, arity, i == 0, n, cells);
    }
    for (std::size_t i = 0; i < n_axes; ++i) {
        if (!axes[i].has_missing) continue;
        if (axes[i].narrow != nullptr)
            discard_missing(axes[i].narrow + first, n, discard, cells);
        else
            discard_missing(axes[i].wide + first, n, discard, cells);
    }
}

}  // namespace
}  // namespace baytree
