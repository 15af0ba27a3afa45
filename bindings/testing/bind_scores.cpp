#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "conversions.hpp"
#include "scores/chi_square.hpp"
#include "scores/family_scorer.hpp"
#include "testing/binders.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

namespace {

using ParentRows = nb::ndarray<const VariableId, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

auto evaluate_families(const FamilyScorer& scorer, const Vector<VariableId>& children,
                       const ParentRows& parents, CountingMethod method) {
    if (parents.shape(0) != children.size())
        throw std::invalid_argument("parents must hold one row a child");
    const std::span all_parents(parents.data(), parents.size());
    for (std::size_t i = 0; i < children.size(); ++i)
        check_family(scorer.n_variables(), to_span(children)[i],
                     all_parents.subspan(i * parents.shape(1), parents.shape(1)));
    std::vector<double> scores;
    {
        const nb::gil_scoped_release unlocked;
        scores = scorer.evaluate_all(to_span(children), all_parents, parents.shape(1), method);
    }
    return to_numpy(std::move(scores));
}

}  // namespace

void bind_scores_testing(nb::module_& m) {
    nb::enum_<CountingMethod>(m, "CountingMethod")
        .value("automatic", CountingMethod::automatic)
        .value("planes", CountingMethod::planes)
        .value("rows", CountingMethod::rows)
        .value("sorting", CountingMethod::sorting);
    m.def("evaluate_families", &evaluate_families, "scorer"_a, "children"_a, "parents"_a,
          nb::kw_only(), "method"_a);
    m.def("log_chi_square_tail", &log_chi_square_tail, "x"_a, "degrees"_a);
}

}  // namespace baytree
