#pragma once

#include <cstddef>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace baytree {

/// Memory for large tables. On pages of 4 KB nearly every access in random order would miss the
/// translation buffer of the processor too, and filling gigabytes would be a matter of page faults;
/// larger ones are asked for where the system has them. Numbers are left without a value.
template <class T>
struct HugePageAllocator {
    using value_type = T;

    HugePageAllocator() = default;
    template <class U>
    explicit HugePageAllocator(const HugePageAllocator<U>&) noexcept {}

    T* allocate(std::size_t n) {
        if (!is_large(n)) return static_cast<T*>(::operator new(n * sizeof(T)));
        void* const memory = ::operator new(n * sizeof(T), alignment);
#if defined(__linux__)
        // Refused or not, the memory is good.
        (void)madvise(memory, n * sizeof(T), MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    // Without the size: Clang before 19 knows no sized deallocation unless it is asked for.
    void deallocate(T* memory, std::size_t n) noexcept {
        if (is_large(n))
            ::operator delete(memory, alignment);
        else
            ::operator delete(memory);
    }

    template <class U>
    void construct(U* place) noexcept {
        ::new (static_cast<void*>(place)) U;
    }

    bool operator==(const HugePageAllocator&) const = default;

    static constexpr std::size_t page = std::size_t{2} << 20U;

private:
    static constexpr std::align_val_t alignment{page};

    static constexpr bool is_large(std::size_t n) noexcept { return n >= page / sizeof(T); }
};

}  // namespace baytree
