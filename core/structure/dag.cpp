#include "structure/dag.hpp"

namespace baytree {

std::optional<std::vector<VariableId>> topological_order(const ParentLists& parents) {
    std::vector<std::vector<VariableId>> children(parents.size());
    std::vector<std::size_t> n_waiting_for(parents.size());
    std::vector<VariableId> order;
    order.reserve(parents.size());
    for (VariableId child = 0; child < parents.size(); ++child) {
        n_waiting_for[child] = parents[child].size();
        if (parents[child].empty()) order.push_back(child);
        for (const VariableId parent : parents[child]) children[parent].push_back(child);
    }
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const VariableId child : children[order[i]])
            if (--n_waiting_for[child] == 0) order.push_back(child);
    if (order.size() < parents.size()) return std::nullopt;
    return order;
}

}  // namespace baytree
