#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "data/variable.hpp"
#include "inference/work_meter.hpp"
#include "run_control.hpp"

namespace baytree {

// Evidence as Python gives it.
using States = std::vector<std::pair<VariableId, std::uint32_t>>;
using Likelihoods = std::vector<std::pair<VariableId, std::vector<double>>>;

/// Runs a query without Python's lock. A query that was stopped has no answer, so Ctrl-C raises.
template <class Query>
auto run_query(PythonRunControl& control, const Query& query) {
    try {
        const nanobind::gil_scoped_release unlocked;
        return query(control.core());
    } catch (const InferenceInterrupted&) {
        control.raise_pending();
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nanobind::python_error();
    }
}

}  // namespace baytree
