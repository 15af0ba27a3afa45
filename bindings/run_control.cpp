#include "run_control.hpp"

#include <utility>

namespace nb = nanobind;

namespace baytree {

PythonRunControl::PythonRunControl(std::optional<double> time_limit, nb::object on_progress)
    : on_progress_(std::move(on_progress)),
      control_(time_limit, [this](RunControl&) { beat(); }) {}

void PythonRunControl::beat() {
    const nb::gil_scoped_acquire locked;
    try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!on_progress_.is_none() && !pending_) on_progress_(control_.done(), control_.total());
    } catch (nb::python_error& error) {
        take(std::move(error));
    }
}

void PythonRunControl::take(nb::python_error error) {
    const bool is_first_interrupt = error.matches(PyExc_KeyboardInterrupt) && !is_interrupted_;
    if (is_first_interrupt)
        is_interrupted_ = true;
    else if (!pending_)
        pending_.emplace(std::move(error));
    control_.request_stop();
}

void PythonRunControl::raise_pending() {
    if (!pending_) return;
    nb::python_error error = std::move(*pending_);
    pending_.reset();
    throw error;
}

}  // namespace baytree
