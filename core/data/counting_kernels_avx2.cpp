#include <immintrin.h>

#include "data/counting_kernels_body.hpp"

namespace baytree {

namespace {

/// 256 bits at a time: each half-byte is looked up in a table held in a register.
struct Avx2Word {
    using Word = __m256i;
    using Sum = __m256i;
    static constexpr std::size_t n_words = 4;

    static Word load(const std::uint64_t* words) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(words));
    }
    static void store(std::uint64_t* words, Word word) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(words), word);
    }
    static Word intersect(Word a, Word b) { return _mm256_and_si256(a, b); }
    static Sum zero() { return _mm256_setzero_si256(); }
    static Sum add_count(Sum sum, Word word) {
        const __m256i bits_of_half_byte =
            _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                             0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i low_half = _mm256_set1_epi8(0x0F);
        const __m256i low = _mm256_and_si256(word, low_half);
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(word, 4), low_half);
        const __m256i bits = _mm256_add_epi8(_mm256_shuffle_epi8(bits_of_half_byte, low),
                                             _mm256_shuffle_epi8(bits_of_half_byte, high));
        return _mm256_add_epi64(sum, _mm256_sad_epu8(bits, _mm256_setzero_si256()));
    }
    static std::uint64_t total(Sum sum) {
        alignas(32) std::uint64_t parts[4];
        _mm256_store_si256(reinterpret_cast<__m256i*>(parts), sum);
        return parts[0] + parts[1] + parts[2] + parts[3];
    }
};

}  // namespace

const CountingKernels avx2_counting_kernels{count_planes<Avx2Word>, cell_numbers<std::uint16_t>,
                                            cell_numbers<std::uint32_t>, count_common<Avx2Word>,
                                            0.4};

}  // namespace baytree
