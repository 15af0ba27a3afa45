#include "learning/hill_climb.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "runtime/run_control.hpp"

namespace baytree {

namespace {

constexpr double least_gain = 1e-9;  // of what is a gain and not a rounding error
constexpr double rebuilds_a_variable = 20.0;

// With no more, what did not fit is tried once more at the end, each with a new elimination order.
constexpr std::size_t most_variables_for_thorough_end = 500;

enum class Kind : std::uint8_t { add, add_pair, remove, reverse };

struct Candidate {
    double gain;
    VariableId parent;
    VariableId child;
    Kind kind;
    std::uint32_t parent_version = 0;
    std::uint32_t child_version = 0;
    VariableId second = 0;  // of a pair

    bool operator<(const Candidate& other) const { return gain < other.gain; }
};

class HillClimb {
public:
    HillClimb(const SearchProblem& problem, const ParentLists& candidates, const ParentPairs& pairs,
              StructureState& state, RandomStream& random, const RunControl& control,
              const ClimbLimits& limits)
        : problem_(problem),
          candidates_(candidates),
          pairs_(pairs),
          state_(state),
          random_(random),
          control_(control),
          limits_(limits),
          version_(state.n_variables()),
          p_rebuild_(std::min(1.0, rebuilds_a_variable / static_cast<double>(std::max<std::size_t>(
                                                             state.n_variables(), 1)))) {}

    std::uint64_t run() {
        for (VariableId child = 0; child < state_.n_variables() && has_time(); ++child)
            queue_changes_of(child);
        climb();
        if (!limits_.tries_again || state_.n_variables() > most_variables_for_thorough_end)
            return n_changes_;
        p_rebuild_ = 1.0;
        queue_blocked();
        climb();
        return n_changes_;
    }

private:
    bool has_time() const { return !is_over(control_, limits_.until); }

    void climb() {
        while (!queue_.empty() && n_changes_ < limits_.max_changes && has_time()) {
            const Candidate next = queue_.top();
            queue_.pop();
            if (is_current(next)) make(next);
        }
    }

    void queue_blocked() {
        for (const Candidate& waiting : blocked_) queue_.push(waiting);
        blocked_.clear();
    }

    bool is_current(const Candidate& candidate) const {
        return candidate.child_version == version_[candidate.child] &&
               (candidate.kind != Kind::reverse ||
                candidate.parent_version == version_[candidate.parent]);
    }

    void make(const Candidate& candidate) {
        if (!state_.apply(families_after(candidate), p_rebuild_, random_)) {
            if (limits_.tries_again) blocked_.push_back(candidate);
            return;
        }
        ++n_changes_;
        touch(candidate.child);
        if (candidate.kind == Kind::reverse) touch(candidate.parent);
        if (candidate.kind == Kind::remove || candidate.kind == Kind::reverse) queue_blocked();
    }

    /// All changes that involve the family of `child` have new gains.
    void touch(VariableId child) {
        ++version_[child];
        queue_changes_of(child);
        for (const VariableId grandchild : state_.dag().children(child))
            consider({0.0, child, grandchild, Kind::reverse});
    }

    void queue_changes_of(VariableId child) {
        for (const VariableId parent : candidates_[child])
            if (!state_.dag().has_arc(parent, child)) consider({0.0, parent, child, Kind::add});
        if (!pairs_.empty())
            for (const auto& [a, b] : pairs_[child])
                if (!state_.dag().has_arc(a, child) && !state_.dag().has_arc(b, child))
                    consider({0.0, a, child, Kind::add_pair, 0, 0, b});
        for (const VariableId parent : state_.dag().parents(child)) {
            consider({0.0, parent, child, Kind::remove});
            consider({0.0, parent, child, Kind::reverse});
        }
    }

    void consider(Candidate candidate) {
        if (control_.stop_requested() || !is_allowed(candidate)) return;
        candidate.gain = state_.gain(families_after(candidate));
        if (!(candidate.gain > least_gain)) return;
        candidate.parent_version = version_[candidate.parent];
        candidate.child_version = version_[candidate.child];
        queue_.push(candidate);
    }

    bool is_allowed(const Candidate& candidate) const {
        const VariableId parent = candidate.parent;
        const VariableId child = candidate.child;
        const auto has_room = [&](VariableId variable, std::size_t n_more = 1) {
            return state_.dag().parents(variable).size() + n_more <= problem_.limits.max_parents;
        };
        if (candidate.kind == Kind::add_pair) return has_room(child, 2);
        if (candidate.kind == Kind::add) return has_room(child) && problem_.allows(parent, child);
        if (problem_.constraints.demands(parent, child)) return false;
        return candidate.kind == Kind::remove ||
               (has_room(parent) && problem_.allows(child, parent));
    }

    std::span<const FamilyChange> families_after(const Candidate& candidate) {
        changes_.resize(candidate.kind == Kind::reverse ? 2 : 1);
        const VariableId parent = candidate.parent;
        const VariableId child = candidate.child;
        FamilyChange& first = changes_[0];
        begin(first, child);
        if (candidate.kind == Kind::add || candidate.kind == Kind::add_pair)
            insert_in_order(first.parents, parent);
        else
            std::erase(first.parents, parent);
        if (candidate.kind == Kind::add_pair) insert_in_order(first.parents, candidate.second);
        if (candidate.kind == Kind::reverse) {
            begin(changes_[1], parent);
            insert_in_order(changes_[1].parents, child);
        }
        for (FamilyChange& change : changes_)
            change.score = problem_.scores.score(change.child, change.parents);
        return changes_;
    }

    void begin(FamilyChange& change, VariableId child) const {
        const VariableSpan parents = state_.dag().parents(child);
        change.child = child;
        change.parents.assign(parents.begin(), parents.end());
    }

    const SearchProblem& problem_;
    const ParentLists& candidates_;
    const ParentPairs& pairs_;
    StructureState& state_;
    RandomStream& random_;
    const RunControl& control_;
    ClimbLimits limits_;
    std::vector<std::uint32_t> version_;  // of each family; a change of an older one is outdated
    double p_rebuild_;
    std::priority_queue<Candidate> queue_;
    std::vector<Candidate> blocked_;
    std::vector<FamilyChange> changes_;
    std::uint64_t n_changes_ = 0;
};

}  // namespace

std::uint64_t hill_climb(const SearchProblem& problem, const ParentLists& candidates,
                         const ParentPairs& pairs, StructureState& state, RandomStream& random,
                         const RunControl& control, const ClimbLimits& limits) {
    return HillClimb(problem, candidates, pairs, state, random, control, limits).run();
}

}  // namespace baytree
