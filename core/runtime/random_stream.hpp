#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace baytree {

/// A stream of random numbers for each pair of seed and number, the same on every machine
/// ([xoshiro], seeded by splitmix64). Tasks that draw from streams of their own give the same
/// results whichever thread runs them.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t number) noexcept {
        std::uint64_t state = mixed(seed) + number;
        for (std::uint64_t& word : words_) word = mixed(state += 0x9E3779B97F4A7C15ULL);
    }

    std::uint64_t next() noexcept {
        const std::uint64_t result = std::rotl(words_[1] * 5, 7) * 9;
        const std::uint64_t shifted = words_[1] << 17;
        words_[2] ^= words_[0];
        words_[3] ^= words_[1];
        words_[1] ^= words_[2];
        words_[0] ^= words_[3];
        words_[2] ^= shifted;
        words_[3] = std::rotl(words_[3], 45);
        return result;
    }

    /// One of 0 ... n - 1; against 2^64 the bias is negligible. A product, as a division is slow.
    std::size_t below(std::size_t n) noexcept {
        __extension__ using Product = unsigned __int128;  // in GCC and Clang, not in ISO C++
        return static_cast<std::size_t>((static_cast<Product>(next()) * n) >> 64);
    }

    /// From 0 up to, but without, 1.
    double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

    template <class T>
    void shuffle(std::span<T> items) noexcept {
        for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

private:
    static std::uint64_t mixed(std::uint64_t x) noexcept {
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
        return x ^ (x >> 31);
    }

    std::uint64_t words_[4];
};

}  // namespace baytree
