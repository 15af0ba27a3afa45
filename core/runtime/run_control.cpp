#include "runtime/run_control.hpp"

#include <algorithm>
#include <utility>

namespace baytree {

namespace {
// A limit beyond this is no limit; adding it to the clock could overflow.
constexpr double longest_limit_seconds = 1e9;
}  // namespace

RunControl::RunControl(std::optional<double> time_limit_seconds, Heartbeat heartbeat)
    : heartbeat_(std::move(heartbeat)) {
    if (!time_limit_seconds || *time_limit_seconds > longest_limit_seconds) return;
    const std::chrono::duration<double> limit(std::max(0.0, *time_limit_seconds));
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
}

}  // namespace baytree
