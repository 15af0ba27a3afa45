#include <immintrin.h>

#include "data/counting_kernels_body.hpp"

namespace baytree {

namespace {

/// One 64-bit word at a time, counted by the popcnt instruction.
struct PopcntWord {
    using Word = std::uint64_t;
    using Sum = std::uint64_t;
    static constexpr std::size_t n_words = 1;

    static Word load(const std::uint64_t* words) { return *words; }
    static void store(std::uint64_t* words, Word word) { *words = word; }
    static Word intersect(Word a, Word b) { return a & b; }
    static Sum zero() { return 0; }
    static Sum add_count(Sum sum, Word word) {
        return sum + static_cast<std::uint64_t>(_mm_popcnt_u64(word));
    }
    static std::uint64_t total(Sum sum) { return sum; }
};

}  // namespace

const CountingKernels popcnt_counting_kernels{count_planes<PopcntWord>, cell_numbers,
                                              count_common<PopcntWord>, 0.62};

}  // namespace baytree
