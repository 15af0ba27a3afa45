#include "data/counting_kernels_body.hpp"

namespace baytree {

namespace {

/// One 64-bit word at a time, counted by adding neighbouring bit fields.
struct PortableWord {
    using Word = std::uint64_t;
    using Sum = std::uint64_t;
    static constexpr std::size_t n_words = 1;

    static Word load(const std::uint64_t* words) { return *words; }
    static void store(std::uint64_t* words, Word word) { *words = word; }
    static Word intersect(Word a, Word b) { return a & b; }
    static Sum zero() { return 0; }
    static Sum add_count(Sum sum, Word word) {
        word -= (word >> 1) & 0x5555555555555555ULL;
        word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
        word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return sum + ((word * 0x0101010101010101ULL) >> 56);
    }
    static std::uint64_t total(Sum sum) { return sum; }
};

}  // namespace

const CountingKernels portable_counting_kernels{count_planes<PortableWord>, cell_numbers,
                                                count_common<PortableWord>, 1.6};

}  // namespace baytree
