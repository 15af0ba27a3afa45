#include <immintrin.h>

#include "data/counting_kernels_body.hpp"

namespace baytree {

namespace {

/// 512 bits at a time, counted by the vpopcntq instruction.
struct Avx512Word {
    using Word = __m512i;
    using Sum = __m512i;
    static constexpr std::size_t n_words = 8;

    static Word load(const std::uint64_t* words) { return _mm512_load_si512(words); }
    static void store(std::uint64_t* words, Word word) { _mm512_store_si512(words, word); }
    static Word intersect(Word a, Word b) { return _mm512_and_si512(a, b); }
    static Sum zero() { return _mm512_setzero_si512(); }
    static Sum add_count(Sum sum, Word word) {
        return _mm512_add_epi64(sum, _mm512_popcnt_epi64(word));
    }
    static std::uint64_t total(Sum sum) {
        alignas(64) std::uint64_t parts[8];
        _mm512_store_si512(parts, sum);
        return ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
               ((parts[4] + parts[5]) + (parts[6] + parts[7]));
    }
};

}  // namespace

const CountingKernels avx512_counting_kernels{count_planes<Avx512Word>, cell_numbers<std::uint16_t>,
                                              cell_numbers<std::uint32_t>, count_common<Avx512Word>,
                                              0.16};

}  // namespace baytree
