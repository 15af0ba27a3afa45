#pragma once

#include <atomic>
#include <cstddef>
#include <memory_resource>
#include <new>

namespace baytree {

/// Memory of the heap, up to a number of bytes: more of it throws std::bad_alloc. Threads may share
/// it.
class BoundedMemory final : public std::pmr::memory_resource {
public:
    explicit BoundedMemory(std::size_t max_bytes) : max_bytes_(max_bytes) {}

private:
    void* do_allocate(std::size_t n_bytes, std::size_t alignment) override {
        try {
            if (n_used_.fetch_add(n_bytes) + n_bytes > max_bytes_) throw std::bad_alloc();
            return heap_->allocate(n_bytes, alignment);
        } catch (const std::bad_alloc&) {
            n_used_.fetch_sub(n_bytes);
            throw;
        }
    }

    void do_deallocate(void* bytes, std::size_t n_bytes, std::size_t alignment) override {
        heap_->deallocate(bytes, n_bytes, alignment);
        n_used_.fetch_sub(n_bytes);
    }

    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::pmr::memory_resource* heap_ = std::pmr::new_delete_resource();
    std::size_t max_bytes_;
    std::atomic<std::size_t> n_used_{0};
};

}  // namespace baytree
