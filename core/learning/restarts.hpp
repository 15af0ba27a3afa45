#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "learning/structure_search.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Runs independent iterations 0, 1, ... on the threads of the budget until `max_iterations` of
/// them were started (at least one) or the run is over; returns how many came to their end. Each
/// thread calls `make_worker` once for a function with memory of its own, and that with the number
/// of each iteration; it returns false for an iteration that it broke off.
template <class MakeWorker>
std::uint64_t run_restarts(const SearchBudget& budget, RunControl& control,
                           const MakeWorker& make_worker) {
    const std::uint64_t n_wanted = std::max<std::uint64_t>(
        budget.max_iterations.value_or(std::numeric_limits<std::uint64_t>::max()), 1);
    if (budget.max_iterations) control.set_total(n_wanted);
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> n_done{0};
    const auto n_workers = static_cast<std::uint64_t>(std::max(1, budget.n_threads));
    parallel_for(std::min(n_wanted, n_workers), budget.n_threads, control, [&](std::size_t) {
        auto iterate = make_worker();
        for (std::uint64_t i = next++; i < n_wanted; i = next++) {
            if (i > 0 && is_over(control)) return;
            if (!iterate(i)) return;
            ++n_done;
            control.add_done(1);
        }
    });
    return n_done;
}

}  // namespace baytree
