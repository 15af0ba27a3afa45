#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace baytree {

using Clock = std::chrono::steady_clock;

/// The wires between a long call and whoever started it: a stop flag that workers poll, a deadline,
/// how much is done, and a heartbeat that the calling thread gives about fifty times a second.
class RunControl {
public:
    /// Called only from the thread that made the long call, so it may take Python's lock. Must not
    /// throw: workers are still running then.
    using Heartbeat = std::function<void(RunControl&)>;

    explicit RunControl(std::optional<double> time_limit_seconds = std::nullopt,
                        Heartbeat heartbeat = nullptr);

    void request_stop() noexcept { stop_.store(true, std::memory_order_relaxed); }
    bool stop_requested() const noexcept { return stop_.load(std::memory_order_relaxed); }

    bool has_deadline() const noexcept { return deadline_ != Clock::time_point::max(); }
    Clock::time_point deadline() const noexcept { return deadline_; }

    void set_total(std::uint64_t total) noexcept { total_.store(total); }
    void add_done(std::uint64_t n) noexcept { done_.fetch_add(n, std::memory_order_relaxed); }
    std::uint64_t total() const noexcept { return total_.load(); }
    std::uint64_t done() const noexcept { return done_.load(); }

    void beat() {
        if (heartbeat_) heartbeat_(*this);
    }

private:
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> total_{0};
    std::atomic<std::uint64_t> done_{0};
    Clock::time_point deadline_ = Clock::time_point::max();
    Heartbeat heartbeat_;
};

}  // namespace baytree
