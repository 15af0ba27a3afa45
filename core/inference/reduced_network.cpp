#include "inference/reduced_network.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace baytree {

namespace {

/// Marks a network for one query.
class Reduction {
public:
    Reduction(const TabularNetwork& network, const Evidence& evidence)
        : network_(network),
          evidence_(evidence),
          state_of_(network.n_variables(), -1) {
        for (VariableId v = 0; v < network.n_variables(); ++v)
            if (network.arity(v) == 1) state_of_[v] = 0;
        for (const auto& [variable, state] : evidence.states)
            state_of_[variable] = static_cast<std::int64_t>(state);
        result_.number_of.assign(network.n_variables(), ReducedNetwork::left_out);
    }

    /// The evidence, the targets, and all their ancestors: the rest is barren.
    std::vector<VariableId> relevant(std::span<const VariableId> targets) const {
        std::vector<std::uint8_t> is_seen(network_.n_variables());
        std::vector<VariableId> found;
        const auto see = [&](VariableId v) {
            if (std::exchange(is_seen[v], 1) == 0) found.push_back(v);
        };
        for (const VariableId target : targets) see(target);
        for (const auto& entry : evidence_.states) see(entry.first);
        for (const auto& entry : evidence_.likelihoods) see(entry.first);
        for (std::size_t i = 0; i < found.size(); ++i)
            for (const VariableId parent : network_.parents(found[i])) see(parent);
        std::ranges::sort(found);
        return found;
    }

    /// Of variables and their families, those joined with a target by tables that are left, and
    /// those that may tell that the evidence is impossible: no other part holds a zero.
    std::vector<VariableId> connected(std::span<const VariableId> relevant,
                                      std::span<const VariableId> targets) {
        join_families(relevant);
        std::vector<std::uint8_t> is_wanted(network_.n_variables());
        for (const VariableId target : targets) is_wanted[find(target)] = 1;
        for (const VariableId child : relevant)
            if (network_.has_zeros(child) && first_free(child) != ReducedNetwork::left_out)
                is_wanted[find(first_free(child))] = 1;
        for (const auto& [variable, likelihood] : evidence_.likelihoods)
            if (std::ranges::find(likelihood, 0.0) != likelihood.end())
                is_wanted[find(variable)] = 1;
        std::vector<VariableId> kept;
        for (const VariableId child : relevant) {
            const VariableId first = first_free(child);
            if (first == ReducedNetwork::left_out || is_wanted[find(first)] != 0)
                kept.push_back(child);
        }
        return kept;
    }

    /// The product of the families of some variables.
    ReducedNetwork reduced(std::span<const VariableId> children) {
        for (const VariableId child : children) {
            for (const VariableId parent : network_.parents(child)) number(parent);
            number(child);
        }
        for (const VariableId child : children) add_table(child);
        for (const auto& entry : evidence_.likelihoods)
            if (std::ranges::binary_search(children, entry.first))
                add_likelihood(entry.first, entry.second);
        return std::move(result_);
    }

private:
    void join_families(std::span<const VariableId> children) {
        group_.resize(network_.n_variables());
        std::iota(group_.begin(), group_.end(), VariableId{0});
        for (const VariableId child : children) {
            const VariableId first = first_free(child);
            if (first == ReducedNetwork::left_out) continue;
            for (const VariableId parent : network_.parents(child))
                if (is_free(parent)) group_[find(parent)] = find(first);
        }
    }

    bool is_free(VariableId variable) const { return state_of_[variable] < 0; }

    VariableId first_free(VariableId child) const {
        if (is_free(child)) return child;
        for (const VariableId parent : network_.parents(child))
            if (is_free(parent)) return parent;
        return ReducedNetwork::left_out;
    }

    VariableId find(VariableId variable) {
        while (group_[variable] != variable) {
            group_[variable] = group_[group_[variable]];
            variable = group_[variable];
        }
        return variable;
    }

    void number(VariableId variable) {
        if (!is_free(variable) || result_.number_of[variable] != ReducedNetwork::left_out) return;
        result_.number_of[variable] = static_cast<VariableId>(result_.variables.size());
        result_.variables.push_back(variable);
        result_.arities.push_back(network_.arity(variable));
    }

    void add_table(VariableId child) {
        const auto parents = network_.parents(child);
        std::size_t stride = 1;
        std::size_t offset = 0;
        bool has_variable = false;
        const auto visit = [&](VariableId variable) {
            if (is_free(variable)) {
                result_.scopes.add_member(result_.number_of[variable]);
                result_.strides.push_back(stride);
                has_variable = true;
            } else {
                offset += stride * static_cast<std::size_t>(state_of_[variable]);
            }
            stride *= network_.arity(variable);
        };
        visit(child);
        for (std::size_t i = parents.size(); i-- > 0;) visit(parents[i]);
        const double* const table = network_.table(child).data() + offset;
        close_factor(table, has_variable);
    }

    void add_likelihood(VariableId variable, const std::vector<double>& likelihood) {
        const bool has_variable = is_free(variable);
        if (has_variable) {
            result_.scopes.add_member(result_.number_of[variable]);
            result_.strides.push_back(1);
        }
        close_factor(likelihood.data(), has_variable);
    }

    void close_factor(const double* table, bool has_variable) {
        if (!has_variable) {
            result_.constant *= *table;
            return;
        }
        result_.scopes.close_set();
        result_.tables.push_back(table);
    }

    const TabularNetwork& network_;
    const Evidence& evidence_;
    std::vector<std::int64_t> state_of_;  // -1 where it is free
    std::vector<VariableId> group_;
    ReducedNetwork result_;
};

}  // namespace

ReducedNetwork ReducedNetwork::whole(const TabularNetwork& network, const Evidence& evidence) {
    std::vector<VariableId> all(network.n_variables());
    std::iota(all.begin(), all.end(), VariableId{0});
    return Reduction(network, evidence).reduced(all);
}

ReducedNetwork ReducedNetwork::of_evidence(const TabularNetwork& network,
                                           const Evidence& evidence) {
    Reduction reduction(network, evidence);
    return reduction.reduced(reduction.relevant({}));
}

ReducedNetwork ReducedNetwork::of_targets(const TabularNetwork& network, const Evidence& evidence,
                                          std::span<const VariableId> targets) {
    Reduction reduction(network, evidence);
    const auto relevant = reduction.relevant(targets);
    return reduction.reduced(reduction.connected(relevant, targets));
}

}  // namespace baytree
