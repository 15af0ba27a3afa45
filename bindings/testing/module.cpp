#include <nanobind/nanobind.h>

#include "testing/binders.hpp"

NB_MODULE(_core_testing, m) {
    nanobind::set_leak_warnings(false);
    m.doc() = "Parts of the core that only tests and benchmarks call; not installed for users.";
    nanobind::module_::import_("baytree._core");  // holds the types that both modules share
    baytree::bind_runtime_testing(m);
    baytree::bind_structure_testing(m);
    baytree::bind_scores_testing(m);
    baytree::bind_inference_testing(m);
    baytree::bind_learning_testing(m);
    baytree::bind_mixtures_testing(m);
}
