#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "learning/parent_pairs.hpp"
#include "learning/recombination.hpp"
#include "learning/search_problem.hpp"
#include "learning/structure_state.hpp"
#include "runtime/random_stream.hpp"
#include "runtime/run_control.hpp"
#include "scores/parent_set_cache.hpp"

namespace baytree {

/// What a chain proposes.
struct Proposals {
    ParentLists candidates;            // by child: parents worth a try, the best first
    ParentPairs pairs;                 // by child: parents to be added together; may be empty
    std::vector<VariableId> children;  // those with candidates
    const ParentSetCache* whole_sets;  // parent sets to propose as they are; none if null
};

/// A Metropolis chain over the structures within the limits. Chains that lie side by side belong to
/// different threads, so none shares a cache line, or the pair that is fetched at once, with
/// another: steps took a quarter longer.
class alignas(128) AnnealingChain {
public:
    /// All but `start` and `random` outlive the chain; there is at least one child.
    AnnealingChain(const SearchProblem& problem, const Proposals& proposals, StructureState start,
                   RandomStream random, const RunControl& control);

    /// Tries one change; a loss of score is accepted with probability exp(-loss / temperature).
    void step(double temperature);
    /// Tries to take over regions of another structure, by the same rule.
    void recombine(const ScoredFamilies& other, double temperature, std::uint64_t n_proposals);
    /// How many of the steps changed the state.
    std::uint64_t n_accepted() const noexcept { return n_accepted_; }

    const StructureState& state() const noexcept { return state_; }
    void set_state(const StructureState& state) {
        state_ = state;
        drop_proposals();
    }

    /// About the best state there was; see `remember_best`.
    const Snapshot& best() const noexcept { return best_; }
    /// Looks at the state at hand, which `step` does only when it is about to leave it.
    void remember_best(double margin = 0.0);

private:
    static constexpr std::size_t max_lost_children = 3;
    static constexpr std::size_t n_looked_ahead = 8;  // steps: longer than memory takes to answer

    /// Families to be changed together; none, if there was nothing to propose. Or a variable to be
    /// relocated: what that changes is not found before its turn comes.
    struct Proposal {
        std::array<FamilyChange, max_lost_children + 1> changes;
        std::size_t n_changes = 0;
        std::optional<VariableId> relocated;
    };

    void look_ahead();
    void drop_proposals() { next_ = ahead_.size(); }
    bool propose();
    bool accepts(double gain, double temperature);
    Proposal& proposal() { return ahead_[at_hand_]; }
    std::span<FamilyChange> changes() { return {proposal().changes.data(), proposal().n_changes}; }

    bool propose_candidate(VariableId child);
    bool propose_candidate_swap(VariableId child);
    bool propose_neighbour(VariableId variable);
    bool propose_removal(VariableId child);
    bool propose_pair(VariableId child);
    bool propose_whole_set(VariableId child);
    VariableId random_candidate(VariableId child);
    void scan(VariableId child);

    // Each adds to the changes; false if there is no such change to propose.
    bool add(VariableId parent, VariableId child);
    bool remove(VariableId parent, VariableId child);
    bool reverse(VariableId parent, VariableId child);
    bool swap(VariableId parent, VariableId child);

    bool find_relocation(VariableId variable);
    VariableId random_anchor(VariableId variable);
    void grow(FamilyChange& change);

    FamilyChange& next_change(VariableId child);
    void score(FamilyChange& change) const;
    bool fits_into_clique(const FamilyChange& change) const;

    const SearchProblem& problem_;
    const Proposals& proposals_;
    const RunControl& control_;
    StructureState state_;
    Snapshot best_;
    RandomStream random_;
    ParentLists scanned_;  // parents that did best beside those that the child had
    std::vector<std::pair<double, VariableId>> scores_;
    double p_scan_;
    double p_rebuild_;
    double margin_;                               // of a new best, in temperatures
    std::array<Proposal, n_looked_ahead> ahead_;  // all made for the state at hand
    std::size_t next_ = n_looked_ahead;           // the one to be weighed; this many: none
    std::size_t at_hand_ = 0;                     // the one that is being made or weighed
    std::uint64_t n_accepted_ = 0;
    Recombination recombination_;
    std::vector<VariableId> bag_;  // parents that a relocation may give
};

}  // namespace baytree
