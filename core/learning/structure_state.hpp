#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "learning/structure_search.hpp"
#include "runtime/random_stream.hpp"
#include "structure/fill_in.hpp"
#include "structure/ordered_dag.hpp"

namespace baytree {

/// A family that is to take the place of what its child has now.
struct FamilyChange {
    VariableId child = 0;
    std::vector<VariableId> parents;  // ascending
    double score = 0.0;
};

/// A state to come back to. One that is written over again and again asks for no new memory.
struct Snapshot {
    double score;
    ParentTable parents;
    std::vector<std::int64_t> positions;  // in the elimination order

    Structure structure() const;
};

/// What other states may take families from. One that is written over again and again asks for no
/// new memory.
struct ScoredFamilies {
    ParentTable parents;
    std::vector<double> scores;  // by child
};

/// A DAG within the limits that changes family by family, with its score.
class StructureState {
public:
    /// Without arcs; `scores_alone` are the scores of the variables without parents.
    StructureState(const StructureLimits& limits, std::vector<double> scores_alone);

    std::size_t n_variables() const noexcept { return dag_.n_variables(); }
    const OrderedDag& dag() const noexcept { return dag_; }
    const FillIn& fill_in() const noexcept { return fill_in_; }
    double score_of(VariableId child) const noexcept { return scores_[child]; }
    double total_score() const noexcept { return total_; }

    /// What the score would gain.
    double gain(std::span<const FamilyChange> changes) const noexcept;

    /// Makes all changes at once; if that closes a cycle or no order of elimination is found that
    /// keeps to the limits, none of them, and the answer is false. Where the order at hand fails, a
    /// new one is tried with probability `p_rebuild`.
    bool apply(std::span<const FamilyChange> changes, double p_rebuild, RandomStream& random);

    /// Makes changes that take all children from a variable and give it parents inside one bag, and
    /// other children parents inside theirs. False, and then nothing is done, if that closes a
    /// cycle.
    bool relocate(VariableId variable, std::span<const FamilyChange> changes, RandomStream& random);

    /// Replaces everything. Tries `order`, unless it is empty, and some others; false if none of
    /// them keeps to the limits, and then the state is of no use. The lists must be acyclic, and
    /// `scores` are those of the families.
    bool assign(const ParentLists& parents, std::vector<double> scores,
                std::span<const VariableId> order, RandomStream& random);

    Structure structure() const { return snapshot().structure(); }
    Snapshot snapshot() const { return {exact_total(), dag_.parents(), fill_in_.positions()}; }
    void save(Snapshot& snapshot) const;
    ScoredFamilies families() const { return {dag_.parents(), scores_}; }
    void save(ScoredFamilies& families) const;

private:
    /// Without the rounding errors that many changes leave.
    double exact_total() const;
    void list_arcs(std::span<const FamilyChange> changes);
    bool change_arcs();
    void restore_arcs();
    bool connect_families(std::span<const FamilyChange> changes);
    void take_scores(std::span<const FamilyChange> changes, RandomStream& random);
    void drop_slack(RandomStream& random);

    OrderedDag dag_;
    FillIn fill_in_;
    std::vector<double> scores_;
    double total_ = 0.0;
    std::size_t n_removed_ = 0;  // arcs since the fill-in was built

    struct Arc {
        VariableId parent, child;
    };
    std::vector<Arc> removed_, added_;  // by the changes at hand
};

}  // namespace baytree
