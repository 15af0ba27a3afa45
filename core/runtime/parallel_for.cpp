#include "runtime/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace baytree {

namespace {

constexpr std::chrono::milliseconds heartbeat_interval(20);

/// What the workers of one parallel_for share.
struct Crew {
    std::atomic<std::size_t> next_task{0};
    std::mutex mutex;
    std::condition_variable one_left;
    std::size_t n_working = 0;
    std::exception_ptr failure;

    void fail(std::exception_ptr error) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::move(error);
    }

    void leave() {
        const std::scoped_lock lock(mutex);
        --n_working;
        one_left.notify_one();
    }
};

void work(Crew& crew, std::size_t n_tasks, RunControl& control,
          const std::function<void(std::size_t)>& task) {
    try {
        for (std::size_t i = crew.next_task++; i < n_tasks; i = crew.next_task++) task(i);
    } catch (...) {
        crew.fail(std::current_exception());
        crew.next_task = n_tasks;
        control.request_stop();
    }
    crew.leave();
}

/// Starts crew.n_working threads, or as many as the system grants if that is one at least, or as
/// have come when no task is left.
void start(std::vector<std::jthread>& workers, Crew& crew, std::size_t n_tasks,
           const std::function<void()>& work) {
    const std::size_t n_wanted = crew.n_working;
    workers.reserve(n_wanted);
    try {
        while (workers.empty() || (workers.size() < n_wanted && crew.next_task < n_tasks))
            workers.emplace_back(work);
    } catch (const std::system_error&) {
        if (workers.empty()) throw;
    }
    const std::scoped_lock lock(crew.mutex);
    crew.n_working -= n_wanted - workers.size();
}

}  // namespace

void parallel_for(std::size_t n_tasks, int n_threads, RunControl& control,
                  const std::function<void(std::size_t)>& task) {
    Crew crew;
    crew.n_working = std::min(n_tasks, static_cast<std::size_t>(std::max(1, n_threads)));
    std::vector<std::jthread> workers;
    if (n_tasks > 0) start(workers, crew, n_tasks, [&] { work(crew, n_tasks, control, task); });
    std::unique_lock lock(crew.mutex);
    while (!crew.one_left.wait_for(lock, heartbeat_interval, [&] { return crew.n_working == 0; })) {
        lock.unlock();
        control.beat();
        lock.lock();
    }
    lock.unlock();
    workers.clear();
    control.beat();
    if (crew.failure) std::rethrow_exception(crew.failure);
}

void parallel_for(std::size_t n_tasks, int n_threads,
                  const std::function<void(std::size_t)>& task) {
    if (n_threads <= 1) {
        for (std::size_t i = 0; i < n_tasks; ++i) task(i);
        return;
    }
    RunControl control;
    parallel_for(n_tasks, n_threads, control, task);
}

}  // namespace baytree
