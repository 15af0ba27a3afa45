#pragma once

#include <cstddef>
#include <functional>

#include "runtime/run_control.hpp"

namespace baytree {

/// Runs `task(0) ... task(n_tasks - 1)`, each once and in about this order, on `n_threads` worker
/// threads while the calling thread gives the heartbeat. Every task is started, also after a stop
/// request: tasks poll the flag themselves, so that each leaves a valid (if poor) result behind.
/// The first exception of a task requests a stop and is rethrown once all workers have ended.
void parallel_for(std::size_t n_tasks, int n_threads, RunControl& control,
                  const std::function<void(std::size_t)>& task);

/// The same for tasks too short for a heartbeat; a single thread is the calling one.
void parallel_for(std::size_t n_tasks, int n_threads, const std::function<void(std::size_t)>& task);

}  // namespace baytree
