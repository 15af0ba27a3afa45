#include "inference/calibrated_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <utility>

#include "inference/tree_propagation.hpp"

namespace baytree {

namespace {

/// Less than this is no influence: it is what rounding does.
constexpr double no_change = 8.0 * std::numeric_limits<double>::epsilon();

/// Products of two such numbers are still far from the smallest double.
constexpr double least_safe = 1e-140;

void normalise(std::span<double> values) {
    const double sum = std::reduce(values.begin(), values.end());
    for (double& value : values) value /= sum;
}

Elimination elimination_of(const ReducedNetwork& whole, std::span<const VariableId> order) {
    std::vector<VariableId> numbers;
    for (const VariableId variable : order)
        if (whole.number_of[variable] != ReducedNetwork::left_out)
            numbers.push_back(whole.number_of[variable]);
    return eliminate_along(whole.scopes, numbers);
}

std::vector<double> one_hot(std::uint32_t state, std::uint32_t arity) {
    std::vector<double> weights(arity);
    weights[state] = 1.0;
    return weights;
}

}  // namespace

CalibratedTree::CalibratedTree(const TabularNetwork& network, std::span<const VariableId> order,
                               WorkMeter& meter)
    : network_(network),
      whole_(ReducedNetwork::whole(network, nothing_)),
      tree_(elimination_of(whole_, order), whole_.arities),
      home_(whole_.variables.size()) {
    for (std::size_t c = 0; c < tree_.cliques().size(); ++c) {
        const Clique& clique = tree_.cliques()[c];
        root_of_.push_back(tree_.is_root(c) ? c : root_of_[clique.parent]);
        for (std::size_t i = 0; i + clique.n_separator < clique.variables.size(); ++i)
            home_[clique.variables[i]] = c;
    }
    keep_tables(meter);
    keep_plans();
    keep_marginals(meter);
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

TableAxis CalibratedTree::axis_in(std::size_t c, VariableId variable) const {
    const Clique& clique = tree_.cliques()[c];
    std::size_t stride = 1;
    std::size_t i = clique.variables.size() - 1;
    for (; clique.variables[i] != variable; --i) stride *= clique.arities[i];
    return {clique.arities[i], stride};
}

std::vector<CalibratedTree::Finding> CalibratedTree::findings(const Evidence& evidence) const {
    std::vector<Finding> result;
    const auto add = [&](VariableId variable, std::vector<double> weights) {
        const VariableId number = whole_.number_of[variable];
        const std::size_t clique = home_[number];
        result.push_back({clique, axis_in(clique, number), std::move(weights)});
    };
    for (const auto& [variable, state] : evidence.states)
        if (network_.arity(variable) > 1) add(variable, one_hot(state, network_.arity(variable)));
    for (const auto& [variable, likelihood] : evidence.likelihoods)
        if (network_.arity(variable) > 1) add(variable, likelihood);
    return result;
}

/// The tables that evidence changes. Cliques are visited from the largest number to the smallest,
/// so that children come before their parents.
class CalibratedTree::Update {
public:
    Update(const CalibratedTree& base, const Evidence& evidence, WorkMeter& meter)
        : base_(base),
          meter_(meter),
          findings_(base.findings(evidence)),
          slot_of_(base.tables_.size(), none) {
        for (const auto& [variable, likelihood] : evidence.likelihoods)
            if (base.network_.arity(variable) == 1) total_ *= likelihood[0];
        for (const Finding& finding : findings_) need(finding.clique);
    }

    /// Makes sure that a clique is among those that are visited.
    void need(std::size_t clique) {
        if (slot_of_[clique] != none) return;
        slot_of_[clique] = slots_.size();
        slots_.push_back({});
        waiting_.push(clique);
        ++n_waiting_[base_.root_of_[clique]];
    }

    /// Lists the cliques between those needed, up to where their paths meet or to the roots.
    void walk(bool is_to_roots) {
        while (!waiting_.empty()) {
            const std::size_t c = waiting_.top();
            waiting_.pop();
            walked_.push_back(c);
            const bool is_last = --n_waiting_[base_.root_of_[c]] == 0;
            const bool is_top = base_.tree_.is_root(c) || (is_last && !is_to_roots);
            slots_[slot_of_[c]].is_top = is_top;
            if (!is_top) need(base_.tree_.cliques()[c].parent);
        }
    }

    double entries() const {
        double sum = 0.0;
        for (const std::size_t c : walked_) sum += base_.tree_.cliques()[c].n_entries;
        return sum;
    }

    /// Multiplies evidence in and passes it upwards. Tables stay where `keeps` says so.
    template <class Keeps>
    void collect(const Keeps& keeps) {
        for (const std::size_t c : walked_) {
            Slot& slot = slots_[slot_of_[c]];
            fill(c, slot);
            slot.sums.resize(slot.is_top ? 1 : base_.separators_[c].size());
            sum_out_first(slot.table, slot.sums, meter_);
            if (slot.is_top) {
                total_ *= slot.sums[0];
            } else {
                total_.shift(scale_to_one(slot.sums));
                slot.ratio = divided(slot.sums, base_.separators_[c]);
                slots_[slot_of_[base_.tree_.cliques()[c].parent]].children.push_back(c);
            }
            if (!keeps(c)) TableValues().swap(slot.table);
        }
    }

    const ScaledNumber& total() const noexcept { return total_; }

    /// Table of a clique after `send_down` along its path from the top, or after `spread_all`.
    TableValues& table(std::size_t clique) { return slots_[slot_of_[clique]].table; }

    /// Cliques from one up to the top of what was visited.
    std::vector<std::size_t> path_up(std::size_t clique) const {
        std::vector<std::size_t> path{clique};
        while (!slots_[slot_of_[path.back()]].is_top)
            path.push_back(base_.tree_.cliques()[path.back()].parent);
        return path;
    }

    /// Tells a clique what its parent knows more. Returns whether that was anything.
    bool send_down(std::size_t c, std::span<const double> parent_table) {
        const bool was_visited = slot_of_[c] != none;
        const auto& before = was_visited ? slots_[slot_of_[c]].sums : base_.separators_[c];
        TableValues now(before.size());
        sum_out(base_.in_parent_[c], parent_table.data(), now.data(), meter_);
        normalise(now);
        if (!was_visited && is_same(now, before)) return false;
        const TableValues ratio = divided(now, before);
        if (!was_visited) {
            slot_of_[c] = slots_.size();
            slots_.push_back({});
            slots_.back().table.resize(base_.tables_[c].size());
        }
        auto& table = slots_[slot_of_[c]].table;
        multiply_last(was_visited ? table : base_.tables_[c], ratio, table, meter_);
        return true;
    }

    bool is_changed(std::size_t clique) const { return slot_of_[clique] != none; }

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    struct Slot {
        bool is_top = false;
        TableValues table;
        TableValues sums;   // of the table, over its separator
        TableValues ratio;  // of these to what they were
        std::vector<std::size_t> children;
    };

    void fill(std::size_t c, Slot& slot) {
        slot.table.resize(base_.tables_[c].size());
        const double* source = base_.tables_[c].data();
        for (const std::size_t child : slot.children) {
            multiply_to(base_.in_parent_[child], std::exchange(source, slot.table.data()),
                        slots_[slot_of_[child]].ratio.data(), slot.table.data(), meter_);
        }
        if (source != slot.table.data()) std::ranges::copy(base_.tables_[c], slot.table.begin());
        for (const Finding& finding : findings_)
            if (finding.clique == c) weight_axis(finding.axis, finding.weights, slot.table, meter_);
    }

    static TableValues divided(std::span<const double> now, std::span<const double> before) {
        TableValues ratio(now.size());
        for (std::size_t i = 0; i < now.size(); ++i)
            ratio[i] = before[i] > 0.0 ? now[i] / before[i] : 0.0;
        return ratio;
    }

    static bool is_same(std::span<const double> now, std::span<const double> before) {
        for (std::size_t i = 0; i < now.size(); ++i)
            if (std::abs(now[i] - before[i]) > no_change * before[i]) return false;
        return true;
    }

    const CalibratedTree& base_;
    WorkMeter& meter_;
    std::vector<Finding> findings_;
    std::vector<std::size_t> slot_of_;  // every clique
    std::vector<Slot> slots_;
    std::priority_queue<std::size_t> waiting_;
    std::unordered_map<std::size_t, std::size_t> n_waiting_;  // by root
    std::vector<std::size_t> walked_;
    ScaledNumber total_;
};

double CalibratedTree::entries_for(const Evidence& evidence,
                                   std::optional<VariableId> target) const {
    RunControl control;
    WorkMeter meter(control);
    Update update(*this, evidence, meter);
    if (target) update.need(home_[whole_.number_of[*target]]);
    update.walk(false);
    return update.entries();
}

ScaledNumber CalibratedTree::probability(const Evidence& evidence, WorkMeter& meter) const {
    Update update(*this, evidence, meter);
    update.walk(false);
    update.collect([](std::size_t) { return false; });
    return update.total();
}

std::vector<double> CalibratedTree::posterior(VariableId target, const Evidence& evidence,
                                              WorkMeter& meter) const {
    const VariableId number = whole_.number_of[target];
    const std::size_t home = home_[number];
    Update update(*this, evidence, meter);
    update.need(home);
    update.walk(false);
    const auto path = update.path_up(home);
    update.collect([&](std::size_t c) { return std::ranges::find(path, c) != path.end(); });
    if (update.total().is_zero()) return {};
    for (std::size_t i = path.size() - 1; i-- > 0;)
        update.send_down(path[i], update.table(path[i + 1]));
    std::vector<double> result(network_.arity(target));
    add_axis_sums(axis_in(home, number), update.table(home), result, meter);
    normalise(result);
    return result;
}

std::vector<double> CalibratedTree::marginals(const Evidence& evidence, WorkMeter& meter) const {
    Update update(*this, evidence, meter);
    update.walk(true);
    update.collect([](std::size_t) { return true; });
    if (update.total().is_zero()) return {};
    std::vector<double> result = marginals_;
    for (std::size_t c = 0; c < tables_.size(); ++c) {
        const std::size_t parent = tree_.cliques()[c].parent;
        if (parent != c && update.is_changed(parent)) update.send_down(c, update.table(parent));
        if (update.is_changed(c)) add_own_marginals(c, update.table(c), result, meter);
    }
    return result;
}

}  // namespace baytree
