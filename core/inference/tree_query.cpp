#include "inference/tree_query.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace baytree {

namespace {

/// Less than this is no influence: it is what rounding does.
constexpr double no_change = 8.0 * std::numeric_limits<double>::epsilon();

/// Cliques on the paths of a usual query, for each finding.
constexpr std::size_t usual_path = 4;

bool is_same(std::span<const double> now, std::span<const double> before) {
    for (std::size_t i = 0; i < now.size(); ++i)
        if (std::abs(now[i] - before[i]) > no_change * before[i]) return false;
    return true;
}

/// What has become of each entry; it may be written over `now`.
void divide(std::span<const double> now, std::span<const double> before, std::span<double> ratio) {
    for (std::size_t i = 0; i < now.size(); ++i)
        ratio[i] = before[i] > 0.0 ? now[i] / before[i] : 0.0;
}

}  // namespace

TreeQuery TreeQuery::of_evidence(const CalibratedTree& tree, const Evidence& evidence,
                                 WorkMeter& meter) {
    TreeQuery query(tree, evidence, meter);
    query.walk(false);
    return query;
}

TreeQuery TreeQuery::of_target(const CalibratedTree& tree, VariableId target,
                               const Evidence& evidence, WorkMeter& meter) {
    TreeQuery query(tree, evidence, meter);
    query.target_ = target;
    const std::size_t home = tree.home_of(target);
    query.need(home);
    query.walk(false);
    query.keep_path(home);
    return query;
}

TreeQuery TreeQuery::of_all(const CalibratedTree& tree, const Evidence& evidence,
                            WorkMeter& meter) {
    TreeQuery query(tree, evidence, meter);
    query.walk(true);
    for (Slot& slot : query.slots_) slot.is_kept = true;
    return query;
}

TreeQuery::TreeQuery(const CalibratedTree& tree, const Evidence& evidence, WorkMeter& meter)
    : tree_(tree),
      meter_(meter),
      marks_(tree.tables_.size()) {
    const std::size_t n_findings = evidence.states.size() + evidence.likelihoods.size();
    findings_.reserve(n_findings);
    const std::size_t n_usual = std::min(marks_.size(), usual_path * (n_findings + 1));
    slots_.reserve(n_usual);
    walked_.reserve(n_usual);
    waiting_.reserve(n_usual);
    for (const auto& [variable, state] : evidence.states) add_finding(variable, state, {});
    for (const auto& [variable, likelihood] : evidence.likelihoods)
        add_finding(variable, 0, likelihood);
}

void TreeQuery::add_finding(VariableId variable, std::uint32_t state,
                            std::span<const double> weights) {
    if (tree_.network_.arity(variable) == 1) {  // no clique has it
        if (!weights.empty()) total_ *= weights[0];
        return;
    }
    const std::size_t clique = tree_.home_of(variable);
    findings_.push_back({clique, tree_.axis_at_home(variable), state, weights});
    need(clique);
}

/// Makes sure that a clique is among those that are visited.
void TreeQuery::need(std::size_t clique) {
    if (marks_[clique].slot != none) return;
    marks_[clique].slot = slots_.size();
    slots_.push_back({.clique = clique});
    waiting_.push_back(clique);
    std::ranges::push_heap(waiting_);
    ++marks_[tree_.root_of_[clique]].n_waiting;
}

/// Lists the cliques between those needed, up to where their paths meet or to the roots. Parents
/// have smaller numbers, so children come before them.
void TreeQuery::walk(bool is_to_roots) {
    std::size_t n_sums = 0;
    while (!waiting_.empty()) {
        std::ranges::pop_heap(waiting_);
        const std::size_t c = waiting_.back();
        waiting_.pop_back();
        walked_.push_back(marks_[c].slot);
        const bool is_last = --marks_[tree_.root_of_[c]].n_waiting == 0;
        Slot& slot = slot_of(c);
        slot.is_top = tree_.tree_.is_root(c) || (is_last && !is_to_roots);
        slot.sums_at = std::exchange(n_sums, n_sums + 2 * separator_size(c));
        if (!slot.is_top) need(tree_.tree_.cliques()[c].parent);
    }
    sums_.resize(n_sums);
}

/// Keeps the tables from a clique up to the top of what is visited.
void TreeQuery::keep_path(std::size_t clique) {
    for (path_.push_back(clique); !slot_of(path_.back()).is_top;)
        path_.push_back(tree_.tree_.cliques()[path_.back()].parent);
    for (const std::size_t c : path_) slot_of(c).is_kept = true;
}

double TreeQuery::entries() const {
    double sum = 0.0;
    for (const std::size_t s : walked_) sum += tree_.tree_.cliques()[slots_[s].clique].n_entries;
    return sum;
}

/// Multiplies evidence in and passes it upwards.
void TreeQuery::collect() {
    for (const std::size_t s : walked_) {
        Slot& slot = slots_[s];
        TableValues& table = slot.is_kept ? slot.table : table_;
        const std::size_t size = tree_.tables_[slot.clique].size();
        if (table.size() < size) {
            TableValues().swap(table);  // before the larger one takes memory
            table.resize(size);
        }
        const auto entries = std::span(table).first(size);
        fill(slot, entries);
        pass_up(s, entries);
    }
}

void TreeQuery::fill(const Slot& slot, std::span<double> table) {
    const double* source = tree_.tables_[slot.clique].data();
    for (std::size_t s = slot.first_child; s != none; s = slots_[s].next)
        multiply_to(tree_.in_parent_[slots_[s].clique], std::exchange(source, table.data()),
                    ratios(slots_[s]).data(), table.data(), meter_);
    if (source != table.data()) std::copy_n(source, table.size(), table.data());
    for (const Finding& finding : findings_) {
        if (finding.clique != slot.clique) continue;
        if (finding.weights.empty())
            keep_state(finding.axis, finding.state, table, meter_);
        else
            weight_axis(finding.axis, finding.weights, table, meter_);
    }
}

/// Tells the parent what a table knows more than before; the total, at the top.
void TreeQuery::pass_up(std::size_t s, std::span<const double> table) {
    Slot& slot = slots_[s];
    if (slot.is_top) {
        double sum = 0.0;
        sum_out_first(table, {&sum, 1}, meter_);
        total_ *= sum;
        return;
    }
    const auto now = sums(slot);
    sum_out_first(table, now, meter_);
    total_.shift(scale_to_one(now));
    divide(now, tree_.separators_[slot.clique], ratios(slot));
    Slot& parent = slot_of(tree_.tree_.cliques()[slot.clique].parent);
    if (parent.first_child == none)
        parent.first_child = s;
    else
        slots_[parent.last_child].next = s;
    parent.last_child = s;
}

/// Tells a clique what its parent knows more. Returns whether that was anything.
bool TreeQuery::send_down(std::size_t c, std::span<const double> parent_table) {
    const bool was_visited = marks_[c].slot != none;
    const std::span<const double> before =
        was_visited ? std::span<const double>(sums(slot_of(c))) : tree_.separators_[c];
    news_.resize(before.size());
    sum_out(tree_.in_parent_[c], parent_table.data(), news_.data(), meter_);
    normalise(news_);
    if (!was_visited && is_same(news_, before)) return false;
    divide(news_, before, news_);
    if (!was_visited) {
        marks_[c].slot = slots_.size();
        slots_.push_back({.clique = c});
        slots_.back().table.resize(tree_.tables_[c].size());
    }
    auto& table = slot_of(c).table;
    multiply_last(was_visited ? table : tree_.tables_[c], news_, table, meter_);
    return true;
}

ScaledNumber TreeQuery::probability() {
    collect();
    return total_;
}

std::vector<double> TreeQuery::posterior() {
    collect();
    if (total_.is_zero()) return {};
    for (std::size_t i = path_.size() - 1; i-- > 0;)
        send_down(path_[i], slot_of(path_[i + 1]).table);
    std::vector<double> result(tree_.network_.arity(*target_));
    add_axis_sums(tree_.axis_at_home(*target_), slot_of(path_.front()).table, result, meter_);
    normalise(result);
    return result;
}

std::vector<double> TreeQuery::marginals() {
    collect();
    if (total_.is_zero()) return {};
    std::vector<double> result = tree_.marginals_;
    for (std::size_t c = 0; c < marks_.size(); ++c) {
        const std::size_t parent = tree_.tree_.cliques()[c].parent;
        if (parent != c && marks_[parent].slot != none) send_down(c, slot_of(parent).table);
        if (marks_[c].slot != none) tree_.add_own_marginals(c, slot_of(c).table, result, meter_);
    }
    return result;
}

}  // namespace baytree
