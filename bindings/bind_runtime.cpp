#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "binders.hpp"
#include "run_control.hpp"
#include "runtime/instruction_set.hpp"

namespace nb = nanobind;
using namespace nb::literals;

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

void bind_runtime(nb::module_& m) {
    m.def("instruction_sets", [] {
        std::vector<std::string> names;
        for (const InstructionSet set : supported_instruction_sets())
            names.emplace_back(name_of(set));
        return names;
    });
    nb::class_<PythonRunControl>(m, "RunControl")
        .def(nb::init<std::optional<double>, nb::object>(), nb::kw_only(),
             "time_limit"_a = nb::none(), "on_progress"_a = nb::none())
        .def("request_stop", [](PythonRunControl& self) { self.core().request_stop(); })
        .def_prop_ro("best_score", [](PythonRunControl& self) { return self.core().best_score(); })
        .def_prop_ro("best_width", [](PythonRunControl& self) { return self.core().best_width(); })
        .def_prop_ro("is_interrupted", &PythonRunControl::is_interrupted);
}

}  // namespace baytree
