#pragma once

#include <nanobind/nanobind.h>

namespace baytree {

// One per folder of core/, in the file bind_<folder>.cpp.
void bind_runtime_testing(nanobind::module_& m);
void bind_structure_testing(nanobind::module_& m);
void bind_scores_testing(nanobind::module_& m);
void bind_inference_testing(nanobind::module_& m);
void bind_learning_testing(nanobind::module_& m);
void bind_mixtures_testing(nanobind::module_& m);

}  // namespace baytree
