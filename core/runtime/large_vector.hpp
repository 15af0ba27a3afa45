#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "runtime/huge_pages.hpp"
#include "runtime/parallel_for.hpp"

namespace baytree {

/// Numbers that are left without a value until they are given one.
template <class T>
using LargeVector = std::vector<T, HugePageAllocator<T>>;

/// As many numbers as `n`. Their memory comes from the system on several threads, a page each:
/// threads that fill rows side by side would all wait for the same pages.
template <class T>
LargeVector<T> large_vector(std::size_t n, int n_threads) {
    constexpr std::size_t page = HugePageAllocator<T>::page / sizeof(T);
    constexpr std::size_t small_page = std::size_t{4096} / sizeof(T);
    LargeVector<T> values(n);
    if (n_threads > 1 && n > 2 * page)
        parallel_for((n + page - 1) / page, n_threads, [&](std::size_t number) {
            const std::size_t last = std::min((number + 1) * page, n);
            for (std::size_t i = number * page; i < last; i += small_page) values[i] = T{};
        });
    return values;
}

}  // namespace baytree
