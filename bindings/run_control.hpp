#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "runtime/run_control.hpp"

namespace baytree {

/// A RunControl whose heartbeat listens for Ctrl-C and calls a Python function with the progress.
class PythonRunControl {
public:
    PythonRunControl(std::optional<double> time_limit, nanobind::object on_progress);

    RunControl& core() noexcept { return control_; }

    /// Whether Ctrl-C stopped the call.
    bool is_interrupted() const noexcept { return is_interrupted_; }

    /// Raises what the heartbeat could not: an error of the progress function, or KeyboardInterrupt
    /// for a second Ctrl-C. To be called after the long call, with Python's lock held.
    void raise_pending();

private:
    void beat();
    void take(nanobind::python_error error);

    nanobind::object on_progress_;
    bool is_interrupted_ = false;
    std::optional<nanobind::python_error> pending_;
    RunControl control_;
};

/// The result of a long call that runs without Python's lock.
template <class Call>
auto run_unlocked(PythonRunControl& control, const Call& call) {
    auto result = [&] {
        const nanobind::gil_scoped_release unlocked;
        return call(control.core());
    }();
    control.raise_pending();
    return result;
}

}  // namespace baytree
