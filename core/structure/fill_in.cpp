#include "structure/fill_in.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace baytree {

std::vector<VariableId> in_order(std::span<const std::int64_t> positions) {
    std::vector<VariableId> order(positions.size());
    std::iota(order.begin(), order.end(), VariableId{0});
    std::ranges::sort(order, {}, [&](VariableId variable) { return positions[variable]; });
    return order;
}

FillIn::FillIn(std::size_t n_variables, BagLimits limits)
    : limits_(std::move(limits)),
      stride_(std::min(limits_.max_treewidth, n_variables) + 1),
      position_(n_variables),
      later_(n_variables * stride_),
      n_later_(n_variables),
      n_states_(n_variables) {
    std::iota(position_.begin(), position_.end(), std::int64_t{0});
    for (VariableId variable = 0; variable < n_variables; ++variable)
        n_states_[variable] = arity(variable);
}

bool FillIn::has_later(VariableId variable, VariableId neighbour) const noexcept {
    const VariableSpan later = later_neighbours(variable);
    return std::ranges::find(later, neighbour) != later.end();
}

bool FillIn::are_neighbours(VariableId a, VariableId b) const noexcept {
    return position_[a] < position_[b] ? has_later(a, b) : has_later(b, a);
}

VariableId FillIn::first_later(VariableId variable) const noexcept {
    const auto by_position = [this](VariableId v) { return position_[v]; };
    return *std::ranges::min_element(later_neighbours(variable), {}, by_position);
}

bool FillIn::connect(VariableId a, VariableId b) {
    VariableId variable = position_[a] < position_[b] ? a : b;
    passed_on_.assign(1, variable == a ? b : a);
    while (!passed_on_.empty()) {
        const Change before{variable, n_later_[variable], n_states_[variable]};
        for (const VariableId neighbour : passed_on_) {
            if (has_later(variable, neighbour)) continue;
            if (n_later_[variable] == before.n_later) changes_.push_back(before);
            later_[variable * stride_ + n_later_[variable]++] = neighbour;
            n_states_[variable] *= arity(neighbour);
            if (!fits(variable)) return false;
        }
        if (n_later_[variable] == before.n_later) return true;
        const VariableId next = first_later(variable);
        const VariableSpan later = later_neighbours(variable);
        passed_on_.assign(later.begin(), later.end());
        std::erase(passed_on_, next);
        variable = next;
    }
    return true;
}

void FillIn::undo() {
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
        n_later_[change->variable] = change->n_later;
        n_states_[change->variable] = change->n_states;
    }
    changes_.clear();
}

void FillIn::isolate(VariableId variable) {
    // What is left of a bag is still a clique, so no other fill-in is needed.
    for (VariableId earlier = 0; earlier < n_later_.size(); ++earlier) {
        VariableId* const begin = later_.data() + earlier * stride_;
        VariableId* const end = begin + n_later_[earlier];
        VariableId* const place = std::find(begin, end, variable);
        if (place == end) continue;
        *place = *(end - 1);
        --n_later_[earlier];
        n_states_[earlier] /= arity(variable);
    }
    n_later_[variable] = 0;
    n_states_[variable] = arity(variable);
    position_[variable] = --first_position_;
}

bool FillIn::rebuild(const OrderedDag& dag, RandomStream& random) {
    if (!min_degree_.eliminate(dag, limits_.max_treewidth, random)) return false;
    const auto n_states = [this](VariableId variable) {
        double product = arity(variable);
        for (const VariableId neighbour : min_degree_.neighbours(variable))
            product *= arity(neighbour);
        return product;
    };
    for (const VariableId variable : min_degree_.order())
        if (!min_degree_.neighbours(variable).empty() && n_states(variable) > limits_.max_states)
            return false;
    first_position_ = 0;
    for (std::size_t position = 0; position < position_.size(); ++position) {
        const VariableId variable = min_degree_.order()[position];
        const VariableSpan later = min_degree_.neighbours(variable);
        position_[variable] = static_cast<std::int64_t>(position);
        n_later_[variable] = static_cast<std::uint32_t>(later.size());
        n_states_[variable] = n_states(variable);
        std::ranges::copy(later, later_.begin() + static_cast<std::ptrdiff_t>(variable * stride_));
    }
    keep();
    return true;
}

bool FillIn::refresh(const OrderedDag& dag, std::span<const VariableId> order) {
    first_position_ = 0;
    for (std::size_t position = 0; position < order.size(); ++position)
        position_[order[position]] = static_cast<std::int64_t>(position);
    return refresh(dag);
}

bool FillIn::refresh(const OrderedDag& dag) {
    std::ranges::fill(n_later_, 0U);
    keep();
    bool has_room = true;
    const auto join = [&](VariableId a, VariableId b) {
        const auto [variable, neighbour] = std::minmax(
            a, b, [this](VariableId x, VariableId y) { return position_[x] < position_[y]; });
        if (has_later(variable, neighbour)) return;
        if (n_later_[variable] < limits_.max_treewidth)
            later_[variable * stride_ + n_later_[variable]++] = neighbour;
        else
            has_room = false;
    };
    for_each_moral_edge(dag, join);
    for (const VariableId variable : elimination_order()) {
        n_states_[variable] = arity(variable);
        if (n_later_[variable] == 0) continue;
        const VariableId next = first_later(variable);
        for (const VariableId neighbour : later_neighbours(variable)) {
            n_states_[variable] *= arity(neighbour);
            if (neighbour != next) join(next, neighbour);
        }
        has_room = has_room && fits(variable);
    }
    return has_room;
}

double FillIn::total_states() const {
    double total = 0.0;
    for (VariableId variable = 0; variable < n_later_.size(); ++variable)
        total += limits_.arities.empty() ? std::exp2(n_later_[variable] + 1) : n_states_[variable];
    return total;
}

}  // namespace baytree
