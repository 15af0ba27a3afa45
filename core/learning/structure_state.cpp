#include "learning/structure_state.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

namespace baytree {

namespace {

// Arcs that may vanish, as a share of the variables, before the slack they leave is cleared away.
constexpr std::size_t variables_a_removal = 4;

constexpr int n_orders_tried = 100;  // for a structure from elsewhere

}  // namespace

StructureState::StructureState(const StructureLimits& limits, std::vector<double> scores_alone)
    : dag_(scores_alone.size(), limits.max_parents),
      fill_in_(scores_alone.size(), bag_limits(limits)),
      scores_(std::move(scores_alone)),
      total_(exact_total()) {}

double StructureState::exact_total() const {
    return std::accumulate(scores_.begin(), scores_.end(), 0.0);
}

double StructureState::gain(std::span<const FamilyChange> changes) const noexcept {
    double gain = 0.0;
    for (const FamilyChange& change : changes) gain += change.score - scores_[change.child];
    return gain;
}

// The fill-in first: it turns down most changes, and more cheaply than a look for cycles.
bool StructureState::apply(std::span<const FamilyChange> changes, double p_rebuild,
                           RandomStream& random) {
    list_arcs(changes);
    if (connect_families(changes)) {
        if (!change_arcs()) {
            fill_in_.undo();
            return false;
        }
        fill_in_.keep();
    } else {
        fill_in_.undo();
        if (random.uniform() >= p_rebuild || !change_arcs()) return false;
        if (!fill_in_.rebuild(dag_, random)) {
            restore_arcs();
            return false;
        }
        n_removed_ = 0;
    }
    take_scores(changes, random);
    return true;
}

void StructureState::take_scores(std::span<const FamilyChange> changes, RandomStream& random) {
    for (const FamilyChange& change : changes) {
        total_ += change.score - scores_[change.child];
        scores_[change.child] = change.score;
    }
    n_removed_ += removed_.size();
    if (n_removed_ > n_variables() / variables_a_removal) drop_slack(random);
}

// Inside bags there are no edges to add but those of the variable that moves.
bool StructureState::relocate(VariableId variable, std::span<const FamilyChange> changes,
                              RandomStream& random) {
    list_arcs(changes);
    if (!change_arcs()) return false;
    fill_in_.isolate(variable);
    for (const VariableId parent : dag_.parents(variable)) fill_in_.connect(variable, parent);
    fill_in_.keep();
    take_scores(changes, random);
    return true;
}

/// Fills `removed_` and `added_`.
void StructureState::list_arcs(std::span<const FamilyChange> changes) {
    removed_.clear();
    added_.clear();
    for (const FamilyChange& change : changes) {
        const VariableSpan parents = dag_.parents(change.child);
        for (const VariableId parent : parents)
            if (std::ranges::find(change.parents, parent) == change.parents.end())
                removed_.push_back({parent, change.child});
        for (const VariableId parent : change.parents)
            if (std::ranges::find(parents, parent) == parents.end())
                added_.push_back({parent, change.child});
    }
}

/// Makes the listed changes of the DAG, or none if they close a cycle. Removes first, so that an
/// arc may be reversed.
bool StructureState::change_arcs() {
    for (const Arc& arc : removed_) dag_.remove(arc.parent, arc.child);
    for (std::size_t i = 0; i < added_.size(); ++i)
        if (!dag_.add(added_[i].parent, added_[i].child)) {
            added_.resize(i);
            restore_arcs();
            return false;
        }
    return true;
}

void StructureState::restore_arcs() {
    for (const Arc& arc : added_) dag_.remove(arc.parent, arc.child);
    for (const Arc& arc : removed_) dag_.add(arc.parent, arc.child);
}

bool StructureState::connect_families(std::span<const FamilyChange> changes) {
    const auto connect = [this](VariableId a, VariableId b) {
        return fill_in_.are_neighbours(a, b) || fill_in_.connect(a, b);
    };
    for (const Arc& arc : added_) {
        if (!connect(arc.parent, arc.child)) return false;
        for (const FamilyChange& change : changes) {
            if (change.child != arc.child) continue;
            for (const VariableId other : change.parents)
                if (other != arc.parent && !connect(arc.parent, other)) return false;
        }
    }
    return true;
}

void StructureState::drop_slack(RandomStream& random) {
    n_removed_ = 0;
    total_ = exact_total();
    if (!fill_in_.rebuild(dag_, random)) fill_in_.refresh(dag_);
}

bool StructureState::assign(const ParentLists& parents, std::vector<double> scores,
                            std::span<const VariableId> order, RandomStream& random) {
    dag_ = OrderedDag(parents, dag_.max_parents());
    scores_ = std::move(scores);
    total_ = exact_total();
    n_removed_ = 0;
    if (!order.empty() && fill_in_.refresh(dag_, order)) return true;
    for (int i = 0; i < n_orders_tried; ++i)
        if (fill_in_.rebuild(dag_, random)) return true;
    return false;
}

void StructureState::save(Snapshot& snapshot) const {
    snapshot.score = exact_total();
    snapshot.parents = dag_.parents();
    snapshot.positions = fill_in_.positions();
}

void StructureState::save(ScoredFamilies& families) const {
    families.parents = dag_.parents();
    families.scores = scores_;
}

Structure Snapshot::structure() const { return {score, parents.lists(), in_order(positions)}; }

}  // namespace baytree
