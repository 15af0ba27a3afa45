#pragma once

#include <nanobind/nanobind.h>

namespace baytree {

// One per folder of core/, in the file bind_<folder>.cpp.
void bind_runtime(nanobind::module_& m);
void bind_data(nanobind::module_& m);
void bind_structure(nanobind::module_& m);
void bind_scores(nanobind::module_& m);
void bind_inference(nanobind::module_& m);
void bind_inference_ijgp(nanobind::module_& m);
void bind_inference_rows(nanobind::module_& m);
void bind_inference_queries(nanobind::module_& m);
void bind_learning(nanobind::module_& m);
void bind_mixtures(nanobind::module_& m);

}  // namespace baytree
