#include <nanobind/nanobind.h>

#include "binders.hpp"

NB_MODULE(_core, m) {
    // Objects that are alive at exit are no leaks that a user could mend.
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
    baytree::bind_mixtures(m);
}
