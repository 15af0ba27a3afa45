#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "learning/structure_search.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Scores are kept of so many iterations at most, 8 bytes each.
inline constexpr std::uint64_t max_kept_scores = 10'000'000;

struct RestartsDone {
    std::uint64_t n_iterations;
    std::vector<double> scores;  // of these iterations in their order, if the budget asks for them
};

/// Runs independent iterations 0, 1, ... on the threads of the budget until `max_iterations` of
/// them were started (at least one) or the run is over; counts those that came to their end. Each
/// thread calls `make_worker` once for a function with memory of its own, and that with the number
/// of each iteration; it returns the score, or nothing for an iteration that it broke off.
template <class MakeWorker>
RestartsDone run_restarts(const SearchBudget& budget, RunControl& control,
                          const MakeWorker& make_worker) {
    using Scores = std::vector<std::pair<std::uint64_t, double>>;
    const std::uint64_t n_wanted = std::max<std::uint64_t>(
        budget.max_iterations.value_or(std::numeric_limits<std::uint64_t>::max()), 1);
    if (budget.max_iterations) control.set_total(n_wanted);
    const std::uint64_t n_kept = budget.keeps_scores ? max_kept_scores : 0;
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> n_done{0};
    std::mutex mutex;
    Scores all;
    const auto n_workers = static_cast<std::uint64_t>(std::max(1, budget.n_threads));
    parallel_for(std::min(n_wanted, n_workers), budget.n_threads, control, [&](std::size_t) {
        auto iterate = make_worker();
        Scores scores;
        for (std::uint64_t i = next++; i < n_wanted; i = next++) {
            if (i > 0 && is_over(control)) break;
            const std::optional<double> score = iterate(i);
            if (!score) break;
            if (i < n_kept) scores.emplace_back(i, *score);
            ++n_done;
            control.add_done(1);
        }
        const std::scoped_lock lock(mutex);
        all.insert(all.end(), scores.begin(), scores.end());
    });
    std::ranges::sort(all);
    RestartsDone done{n_done, {}};
    done.scores.reserve(all.size());
    for (const auto& [iteration, score] : all) done.scores.push_back(score);
    return done;
}

}  // namespace baytree
