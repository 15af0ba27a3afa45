#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "binders.hpp"
#include "run_control.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

void bind_runtime(nb::module_& m) {
    nb::class_<PythonRunControl>(m, "RunControl")
        .def(nb::init<std::optional<double>, nb::object>(), nb::kw_only(),
             "time_limit"_a = nb::none(), "on_progress"_a = nb::none())
        .def("request_stop", [](PythonRunControl& self) { self.core().request_stop(); })
        .def_prop_ro("best_score", [](PythonRunControl& self) { return self.core().best_score(); })
        .def_prop_ro("best_width", [](PythonRunControl& self) { return self.core().best_width(); })
        .def_prop_ro("is_interrupted", &PythonRunControl::is_interrupted);
}

}  // namespace baytree
