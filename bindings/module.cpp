#include <nanobind/nanobind.h>

#include "binders.hpp"

NB_MODULE(_core, m) {
    // An interpreter that exits with objects alive is no fault of the user's, nor news to them.
    nanobind::set_leak_warnings(false);
    m.doc() = "The C++ core of baytree: variables are numbers here, states are codes.";
    baytree::bind_runtime(m);
    baytree::bind_data(m);
    baytree::bind_structure(m);
    baytree::bind_scores(m);
    baytree::bind_inference(m);
    baytree::bind_inference_ijgp(m);
    baytree::bind_inference_rows(m);
    baytree::bind_inference_queries(m);
    baytree::bind_learning(m);
}
