#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace baytree {

/// Memory for tables that are written before they are read: it is not cleared. Large ones ask for
/// large pages, since a query that fills gigabytes otherwise spends its time on page faults.
template <class T>
struct TableAllocator {
    using value_type = T;

    TableAllocator() = default;
    template <class U>
    explicit TableAllocator(const TableAllocator<U>&) noexcept {}

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
    template <class U, class... Args>
    void construct(U* place, Args&&... args) {
        ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
    }

    bool operator==(const TableAllocator&) const = default;

private:
    static constexpr std::size_t page = std::size_t{2} << 20U;
    static constexpr std::align_val_t alignment{page};
    static bool is_large(std::size_t n) noexcept { return n * sizeof(T) >= 4 * page; }
};

/// Entries of a table. `resize` leaves new ones undefined.
using TableValues = std::vector<double, TableAllocator<double>>;

}  // namespace baytree
