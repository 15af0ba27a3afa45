#pragma once

#include <cstddef>
#include <stdexcept>

#include "runtime/run_control.hpp"

namespace baytree {

/// A query was stopped before it had an answer.
class InferenceInterrupted : public std::runtime_error {
public:
    InferenceInterrupted() : std::runtime_error("stopped") {}
};

/// Counts what a query does, and looks for a wish to stop every few milliseconds. Throws
/// InferenceInterrupted then. Queries run on the calling thread, so it gives the heartbeat too.
class WorkMeter {
public:
    explicit WorkMeter(RunControl& control) : control_(control) {}

    void add(std::size_t n_entries) {
        n_entries_ += n_entries;
        if (n_entries_ >= interval) look();
    }

private:
    static constexpr std::size_t interval = std::size_t{1} << 23;  // some ten milliseconds

    void look() {
        n_entries_ = 0;
        control_.beat();
        if (is_over(control_)) throw InferenceInterrupted();
    }

    RunControl& control_;
    std::size_t n_entries_ = 0;
};

}  // namespace baytree
