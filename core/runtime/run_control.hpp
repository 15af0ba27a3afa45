#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace baytree {

using Clock = std::chrono::steady_clock;

/// The wires between a long call and whoever started it: a stop flag that workers poll, a deadline,
/// how much is done, the best so far, and a heartbeat that the calling thread gives about fifty
/// times a second.
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

    /// Score and width of the best result so far, for whoever watches.
    void report_best(double score, std::size_t width) noexcept {
        best_score_.store(score, std::memory_order_relaxed);
        best_width_.store(width, std::memory_order_relaxed);
    }
    /// NaN until there is one.
    double best_score() const noexcept { return best_score_.load(std::memory_order_relaxed); }
    std::size_t best_width() const noexcept { return best_width_.load(std::memory_order_relaxed); }

    void beat() {
        if (heartbeat_) heartbeat_(*this);
    }

private:
    std::atomic<bool> stop_{false};
    std::atomic<std::uint64_t> total_{0};
    std::atomic<std::uint64_t> done_{0};
    std::atomic<double> best_score_{std::numeric_limits<double>::quiet_NaN()};
    std::atomic<std::size_t> best_width_{0};
    Clock::time_point deadline_ = Clock::time_point::max();
    Heartbeat heartbeat_;
};

/// Whether a stop was asked for or the deadline has passed.
inline bool is_over(const RunControl& control) noexcept {
    return control.stop_requested() ||
           (control.has_deadline() && Clock::now() >= control.deadline());
}

/// The same, or a time of its own has.
inline bool is_over(const RunControl& control, Clock::time_point until) noexcept {
    return control.stop_requested() || (until != Clock::time_point::max() && Clock::now() >= until);
}

/// When a share of the time to the deadline will have passed; never, if there is none.
inline Clock::time_point share_of_time(const RunControl& control, double share) noexcept {
    if (!control.has_deadline()) return Clock::time_point::max();
    const auto now = Clock::now();
    return now + std::chrono::duration_cast<Clock::duration>((control.deadline() - now) * share);
}

}  // namespace baytree
