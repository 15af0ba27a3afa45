#include "inference/tree_propagation.hpp"

#include <algorithm>
#include <utility>

namespace baytree {

namespace {

double largest_entries(const CliqueTree& tree) { return tree.cost().clique_entries; }

}  // namespace

TreePropagation::TreePropagation(const ReducedNetwork& network, const CliqueTree& tree,
                                 WorkMeter& meter)
    : network_(network),
      tree_(tree),
      meter_(meter),
      children_(tree.cliques().size()),
      factors_(tree.cliques().size()),
      messages_(tree.cliques().size()) {
    for (std::size_t c = 0; c < children_.size(); ++c)
        if (!tree.is_root(c)) children_[tree.cliques()[c].parent].push_back(c);
    for (std::size_t f = 0; f < network.scopes.size(); ++f)
        factors_[tree.clique_of(network.scopes[f])].push_back(f);
}

double TreePropagation::bytes_to_sum(const CliqueTree& tree) {
    return 8.0 * (largest_entries(tree) + tree.n_separator_entries());
}

double TreePropagation::bytes_to_share(const CliqueTree& tree) {
    return 8.0 * (tree.cost().total_entries + tree.n_separator_entries());
}

double TreePropagation::bytes_to_maximise(const CliqueTree& tree) {
    return 8.0 * largest_entries(tree) + 12.0 * tree.n_separator_entries();
}

/// Multiplies all that belongs to a clique into its table: factors, and messages of its children.
void TreePropagation::fill(std::size_t clique, std::span<double> table) {
    bool is_first = true;
    for (const std::size_t child : children_[clique]) {
        tree_.plan_separator(child, plan_, is_kept_);
        multiply_in(table, messages_[child].data(), std::exchange(is_first, false));
    }
    for (const std::size_t factor : factors_[clique])
        multiply_factor(clique, factor, table, std::exchange(is_first, false));
    if (is_first) std::ranges::fill(table, 1.0);
}

void TreePropagation::multiply_in(std::span<double> table, const double* part, bool is_first) {
    if (is_first)
        spread(plan_, part, table.data(), meter_);
    else
        multiply(plan_, part, table.data(), meter_);
}

/// Brings a factor into the order of the clique, without the states that were not observed.
void TreePropagation::multiply_factor(std::size_t clique, std::size_t factor,
                                      std::span<double> table, bool is_first) {
    const Clique& members = tree_.cliques()[clique];
    const auto scope = network_.scopes[factor];
    const std::size_t begin = network_.scopes.begin(factor);
    std::vector<std::uint32_t> arities;
    std::vector<std::size_t> strides;
    is_kept_.assign(members.variables.size(), 0);
    for (std::size_t i = 0; i < members.variables.size(); ++i) {
        const auto member = std::ranges::find(scope, members.variables[i]);
        if (member == scope.end()) continue;
        is_kept_[i] = 1;
        arities.push_back(members.arities[i]);
        strides.push_back(
            network_.strides[begin + static_cast<std::size_t>(member - scope.begin())]);
    }
    plan_.assign(members.arities, is_kept_);
    part_.resize(plan_.part_size());
    copy_strided(network_.tables[factor], arities, strides, part_.data());
    multiply_in(table, part_.data(), is_first);
}

ScaledNumber TreePropagation::sum() {
    ScaledNumber total = network_.constant;
    buffer_.resize(static_cast<std::size_t>(largest_entries(tree_)));
    for (std::size_t c = tree_.cliques().size(); c-- > 0;) {
        const Clique& clique = tree_.cliques()[c];
        const auto table = std::span(buffer_).first(clique.size());
        fill(c, table);
        messages_[c].resize(clique.separator_size());
        sum_out_first(table, messages_[c], meter_);
        total.shift(scale_to_one(messages_[c]));
        if (tree_.is_root(c)) total *= messages_[c][0];
        for (const std::size_t child : children_[c]) TableValues().swap(messages_[child]);
    }
    return total;
}

ScaledNumber TreePropagation::share() {
    ScaledNumber total = network_.constant;
    const std::size_t n_cliques = tree_.cliques().size();
    tables_.resize(n_cliques);
    tables_of_.resize(network_.variables.size());
    for (std::size_t c = n_cliques; c-- > 0;) {
        const Clique& clique = tree_.cliques()[c];
        for (const VariableId v : clique.variables) tables_of_[v].push_back(c);
        tables_[c].resize(clique.size());
        fill(c, tables_[c]);
        messages_[c].resize(clique.separator_size());
        sum_out_first(tables_[c], messages_[c], meter_);
        total.shift(scale_to_one(messages_[c]));
        if (tree_.is_root(c)) total *= messages_[c][0];
    }
    if (total.is_zero()) return total;
    for (std::size_t c = 0; c < n_cliques; ++c) share_with_children(c);
    return total;
}

/// What a clique knows of a separator, less what it was told by that child, goes to the child.
void TreePropagation::share_with_children(std::size_t clique) {
    for (const std::size_t child : children_[clique]) {
        auto& message = messages_[child];
        tree_.plan_separator(child, plan_, is_kept_);
        part_.resize(message.size());
        sum_out(plan_, tables_[clique].data(), part_.data(), meter_);
        scale_to_one(part_);
        for (std::size_t i = 0; i < message.size(); ++i) {
            const double ratio = message[i] > 0.0 ? part_[i] / message[i] : 0.0;
            message[i] = ratio;
        }
        multiply_last(tables_[child], message, tables_[child], meter_);
    }
}

void TreePropagation::add_marginal(VariableId variable, std::span<double> sums) {
    const auto smaller = [&](std::size_t a, std::size_t b) {
        return tree_.cliques()[a].n_entries < tree_.cliques()[b].n_entries;
    };
    const std::size_t c = *std::ranges::min_element(tables_of_[variable], smaller);
    const Clique& clique = tree_.cliques()[c];
    std::size_t stride = 1;
    for (std::size_t i = clique.variables.size(); clique.variables[--i] != variable;)
        stride *= clique.arities[i];
    add_axis_sums({sums.size(), stride}, tables_[c], sums, meter_);
}

ScaledNumber TreePropagation::maximise(std::span<std::uint32_t> states) {
    ScaledNumber total = network_.constant;
    const std::size_t n_cliques = tree_.cliques().size();
    std::vector<std::vector<std::uint32_t>> best(n_cliques);
    buffer_.resize(static_cast<std::size_t>(largest_entries(tree_)));
    for (std::size_t c = n_cliques; c-- > 0;) {
        const Clique& clique = tree_.cliques()[c];
        const auto table = std::span(buffer_).first(clique.size());
        fill(c, table);
        messages_[c].resize(clique.separator_size());
        best[c].resize(clique.separator_size());
        max_out_first(table, messages_[c], best[c], meter_);
        total.shift(scale_to_one(messages_[c]));
        if (tree_.is_root(c)) total *= messages_[c][0];
        for (const std::size_t child : children_[c]) TableValues().swap(messages_[child]);
    }
    trace_back(best, states);
    return total;
}

/// From the roots on, every clique knows the states of its separator and looks up its own.
void TreePropagation::trace_back(std::span<const std::vector<std::uint32_t>> best,
                                 std::span<std::uint32_t> states) const {
    for (std::size_t c = 0; c < best.size(); ++c) {
        const Clique& clique = tree_.cliques()[c];
        const std::size_t n_own = clique.variables.size() - clique.n_separator;
        std::size_t index = 0;
        for (std::size_t i = n_own; i < clique.variables.size(); ++i)
            index = index * clique.arities[i] + states[clique.variables[i]];
        std::uint32_t own = best[c][index];
        for (std::size_t i = n_own; i-- > 0;) {
            states[clique.variables[i]] = own % clique.arities[i];
            own /= clique.arities[i];
        }
    }
}

}  // namespace baytree
