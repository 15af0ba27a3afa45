#pragma once

#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace baytree {

/// Memory for large tables that are read in random order. On pages of 4 KB nearly every access
/// would miss the translation buffer of the processor too; larger ones are asked for where the
/// system has them.
template <class T>
struct HugePageAllocator {
    using value_type = T;

    HugePageAllocator() = default;
    template <class U>
    explicit HugePageAllocator(const HugePageAllocator<U>&) noexcept {}

    T* allocate(std::size_t n) {
        void* const memory = ::operator new(n * sizeof(T), alignment);
#if defined(__linux__)
        // Refused or not, the memory is good.
        if (n * sizeof(T) >= page) (void)madvise(memory, n * sizeof(T), MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, alignment); }

    bool operator==(const HugePageAllocator&) const = default;

private:
    static constexpr std::size_t page = std::size_t{2} << 20U;
    static constexpr std::align_val_t alignment{page};
};

}  // namespace baytree
