#include "inference/calibrated_tree.hpp"

#include <algorithm>
#include <utility>

#include "inference/tree_propagation.hpp"

namespace baytree {

namespace {

/// Products of two such numbers are still far from the smallest double.
constexpr double least_safe = 1e-140;

Elimination elimination_of(const ReducedNetwork& whole, std::span<const VariableId> order) {
    std::vector<VariableId> numbers;
    for (const VariableId variable : order)
        if (whole.number_of[variable] != ReducedNetwork::left_out)
            numbers.push_back(whole.number_of[variable]);
    return eliminate_along(whole.scopes, numbers);
}

}  // namespace

CalibratedTree::CalibratedTree(const TabularNetwork& network, std::span<const VariableId> order,
                               WorkMeter& meter)
    : network_(network),
      whole_(ReducedNetwork::whole(network, nothing_)),
      tree_(elimination_of(whole_, order), whole_.arities),
      home_(whole_.variables.size()),
      axes_(whole_.variables.size()) {
    find_homes();
    keep_tables(meter);
    keep_plans();
    keep_marginals(meter);
}

void CalibratedTree::find_homes() {
    for (std::size_t c = 0; c < tree_.cliques().size(); ++c) {
        const Clique& clique = tree_.cliques()[c];
        root_of_.push_back(tree_.is_root(c) ? c : root_of_[clique.parent]);
        std::size_t stride = 1;
        for (std::size_t i = clique.variables.size(); i-- > 0;) {
            if (i + clique.n_separator < clique.variables.size()) {
                home_[clique.variables[i]] = c;
                axes_[clique.variables[i]] = {clique.arities[i], stride};
            }
            stride *= clique.arities[i];
        }
    }
}

void CalibratedTree::keep_tables(WorkMeter& meter) {
    TreePropagation propagation(whole_, tree_, meter);
    propagation.share();
    tables_ = std::move(propagation).take_tables();
    separators_.resize(tables_.size());
    for (std::size_t c = 0; c < tables_.size(); ++c) {
        normalise(tables_[c]);
        separators_[c].resize(tree_.cliques()[c].separator_size());
        sum_out_first(tables_[c], separators_[c], meter);
        for (const double entry : tables_[c])
            if (entry > 0.0 && entry < least_safe) is_fragile_ = true;
    }
}

void CalibratedTree::keep_plans() {
    in_parent_.resize(tables_.size());
    std::vector<std::uint8_t> is_kept;
    for (std::size_t c = 0; c < tables_.size(); ++c)
        if (!tree_.is_root(c)) tree_.plan_separator(c, in_parent_[c], is_kept);
}

void CalibratedTree::keep_marginals(WorkMeter& meter) {
    std::size_t size = 0;
    for (VariableId v = 0; v < network_.n_variables(); ++v) {
        begins_.push_back(size);
        size += network_.arity(v);
    }
    marginals_.resize(size);
    for (VariableId v = 0; v < network_.n_variables(); ++v)
        if (network_.arity(v) == 1) marginals_[begins_[v]] = 1.0;
    for (std::size_t c = 0; c < tables_.size(); ++c)
        add_own_marginals(c, tables_[c], marginals_, meter);
}

/// Sums the first variable out of what is left of a table, again and again.
void CalibratedTree::add_own_marginals(std::size_t c, std::span<const double> table,
                                       std::span<double> marginals, WorkMeter& meter) const {
    const Clique& clique = tree_.cliques()[c];
    TableValues rest;
    for (std::size_t i = 0; i + clique.n_separator < clique.variables.size(); ++i) {
        const VariableId variable = whole_.variables[clique.variables[i]];
        const auto own = marginals.subspan(begins_[variable], clique.arities[i]);
        std::ranges::fill(own, 0.0);
        const std::size_t stride = table.size() / clique.arities[i];
        add_axis_sums({clique.arities[i], stride}, table, own, meter);
        normalise(own);
        TableValues sums(stride);
        sum_out_first(table, sums, meter);
        rest = std::move(sums);
        table = rest;
    }
}

}  // namespace baytree
