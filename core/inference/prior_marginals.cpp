#include "inference/prior_marginals.hpp"

#include <cstdint>

#include "inference/component_solver.hpp"
#include "inference/row_components.hpp"

namespace baytree {

std::span<const double> PriorMarginals::of(VariableId variable) {
    std::call_once(found_, [&] { find_all(); });
    return marginals_[variable];
}

void PriorMarginals::find_all() {
    const std::vector<std::int32_t> cells(network_->n_variables(), -1);
    RowComponents components(*network_, RowQuestion{}, max_bytes_);
    ComponentSolver solver(*network_);
    marginals_.resize(cells.size());
    components.find(cells.data());
    for (const auto& plan : components.plans()) {
        solver.solve(*plan, cells.data(), KeptTables::conditional);
        solver.join();
        for (const auto& clique : plan->cliques) {
            marginals_[clique.variable].resize(clique.arity);
            solver.marginal(clique, marginals_[clique.variable]);
        }
    }
}

}  // namespace baytree
