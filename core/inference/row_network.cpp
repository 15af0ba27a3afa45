#include "inference/row_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "structure/tree_decomposition.hpp"

namespace baytree {

RowNetwork::RowNetwork(TabularNetwork network, std::span<const VariableId> elimination_order)
    : network_(std::move(network)),
      rank_(network_.n_variables()),
      children_(network_.n_variables()) {
    check_elimination_order(network_.parents(), elimination_order);
    for (std::uint32_t i = 0; i < elimination_order.size(); ++i) rank_[elimination_order[i]] = i;
    index_families();
    take_logarithms();
}

void RowNetwork::index_families() {
    for (VariableId child = 0; child < n_variables(); ++child) {
        if (table(child).size() > std::numeric_limits<std::uint32_t>::max())
            throw std::invalid_argument("a table has too many entries");
        first_term_.push_back(terms_.size());
        for (const VariableId parent : parents(child)) {
            children_[parent].push_back(child);
            terms_.push_back({parent, 0});
        }
        terms_.push_back({child, 0});
        std::uint32_t stride = 1;
        for (std::size_t i = terms_.size(); i-- > first_term_.back();) {
            terms_[i].stride = stride;
            stride *= arity(terms_[i].variable);
        }
    }
    first_term_.push_back(terms_.size());
}

void RowNetwork::take_logarithms() {
    for (VariableId variable = 0; variable < n_variables(); ++variable) {
        first_entry_.push_back(log_tables_.size());
        for (const double probability : table(variable))
            log_tables_.push_back(std::log(probability));
    }
}

}  // namespace baytree
