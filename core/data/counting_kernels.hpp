#pragma once

#include <cstddef>
#include <cstdint>

#include "data/bit_planes.hpp"
#include "runtime/instruction_set.hpp"

namespace baytree {

/// One variable of a family as the plane kernel sees it.
struct PlaneAxis {
    const std::uint64_t* states;    // planes of states 1, 2, ..., one after the other
    const std::uint64_t* observed;  // null where nothing is missing
    std::uint32_t arity;
    std::size_t stride;  // in the table of counts
};

/// A family to be counted on one layer of the planes.
struct PlaneTask {
    const PlaneAxis* axes;  // plain binary ones last: the kernel takes up to four of them at once
    std::size_t n_axes;
    std::size_t first_binary;  // axes from here on have arity 2 and nothing missing
    std::size_t plane_words;
    PlaneLayer layer;
    std::uint64_t* scratch;  // n_axes * layer.n_words words on a 64-byte boundary
    std::uint32_t* table;    // gets the counts added, see count_planes
};

/// One variable of a family as the row kernel sees it; exactly one pointer is set.
struct CodeAxis {
    const std::uint8_t* narrow;
    const std::uint16_t* wide;
    std::uint32_t arity;
    bool has_missing;
};

template <class Number>
using CellNumbers = void (*)(const CodeAxis* axes, std::size_t n_axes, std::size_t first,
                             std::size_t n, Number discard, Number* cells);

/// The inner loops of counting, compiled once per instruction set.
struct CountingKernels {
    /// Adds the layer's counts to the table, where index 0 of an axis means "any observed state"
    /// and not "state 0": inclusion-exclusion on the finished table gives the latter.
    void (*count_planes)(const PlaneTask& task);

    /// Cell number (axes as digits, the last one running fastest) of rows first .. first + n - 1;
    /// `discard`, the number of cells, for rows with a missing one. Narrow numbers are for tables
    /// whose `discard` fits into them.
    CellNumbers<std::uint16_t> narrow_cell_numbers;
    CellNumbers<std::uint32_t> wide_cell_numbers;

    /// Number of rows in both planes; `n_words` is a multiple of BitPlanes::words_per_block.
    std::uint64_t (*count_common)(const std::uint64_t* a, const std::uint64_t* b,
                                  std::size_t n_words);

    /// Nanoseconds to intersect and count one word of a plane, for the choice between the two.
    double cost_of_word;
};

const CountingKernels& counting_kernels(InstructionSet set);

// One per source file counting_kernels_*.cpp; those beyond the first exist on x86-64 only.
extern const CountingKernels portable_counting_kernels;
extern const CountingKernels popcnt_counting_kernels;
extern const CountingKernels avx2_counting_kernels;
extern const CountingKernels avx512_counting_kernels;

}  // namespace baytree
