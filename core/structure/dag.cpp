#include "structure/dag.hpp"

#include <algorithm>
#include <cassert>

namespace baytree {

void ParentTable::insert(VariableId parent, VariableId child) {
    assert(counts_[child] < max_parents_);
    VariableId* const begin = members_.data() + child * max_parents_;
    VariableId* const end = begin + counts_[child]++;
    VariableId* const place = std::upper_bound(begin, end, parent);
    std::copy_backward(place, end, end + 1);
    *place = parent;
}

void ParentTable::erase(VariableId parent, VariableId child) {
    VariableId* const begin = members_.data() + child * max_parents_;
    VariableId* const end = begin + counts_[child]--;
    VariableId* const place = std::find(begin, end, parent);
    assert(place != end);
    std::copy(place + 1, end, place);
}

ParentLists ParentTable::lists() const {
    ParentLists lists(n_variables());
    for (VariableId child = 0; child < n_variables(); ++child)
        lists[child].assign((*this)[child].begin(), (*this)[child].end());
    return lists;
}

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
