#include "learning/forward_selection.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr std::size_t n_kept_a_step = 4;
constexpr std::size_t most_steps = 6;

/// Forward selection of the parents of one child.
class Selection {
public:
    Selection(const SearchProblem& problem, VariableId child, std::vector<VariableId>& selected)
        : problem_(problem),
          child_(child),
          selected_(selected) {}

    /// Goes on from `parents` until nothing gains; false if it was interrupted.
    template <class Goes>
    bool run(std::vector<VariableId> parents, const Goes& goes_on) {
        parents_ = std::move(parents);
        std::ranges::sort(parents_);
        for (const VariableId parent : parents_) select(parent);
        score_ = problem_.scores.score(child_, parents_);
        for (std::size_t step = 0; step < most_steps; ++step) {
            if (parents_.size() >= problem_.limits.max_parents) return true;
            if (!score_extensions(goes_on)) return false;
            if (gains_.empty()) return true;
            const std::size_t n_kept = std::min(n_kept_a_step, gains_.size());
            const auto end = gains_.begin() + static_cast<std::ptrdiff_t>(n_kept);
            std::ranges::partial_sort(gains_, end, std::greater{});
            for (std::size_t i = 0; i < n_kept; ++i) select(gains_[i].second);
            const auto [gain, best] = gains_.front();
            insert_in_order(parents_, best);
            score_ += gain;
        }
        return true;
    }

private:
    template <class Goes>
    bool score_extensions(const Goes& goes_on) {
        gains_.clear();
        for (VariableId parent = 0; parent < problem_.n_variables(); ++parent) {
            if (!goes_on()) return false;
            if (parent == child_ || !problem_.allows(parent, child_) ||
                std::ranges::binary_search(parents_, parent))
                continue;
            extended_ = parents_;
            insert_in_order(extended_, parent);
            const double gain = problem_.scores.score_once(child_, extended_) - score_;
            if (gain > 0.0) gains_.emplace_back(gain, parent);
        }
        return true;
    }

    void select(VariableId parent) {
        if (std::ranges::find(selected_, parent) == selected_.end()) selected_.push_back(parent);
    }

    const SearchProblem& problem_;
    VariableId child_;
    std::vector<VariableId>& selected_;
    std::vector<VariableId> parents_, extended_;
    double score_ = 0.0;
    std::vector<std::pair<double, VariableId>> gains_;
};

}  // namespace

ParentLists forward_selected(const SearchProblem& problem, const ParentLists& singles,
                             const ParentPairs& pairs, int n_threads, RunControl& control,
                             Clock::time_point until) {
    ParentLists selected(problem.n_variables());
    const auto goes_on = [&] { return !is_over(control, until); };
    parallel_for(selected.size(), n_threads, control, [&](std::size_t task) {
        const auto child = static_cast<VariableId>(task);
        if (!goes_on() || problem.is_constant(child)) return;
        Selection selection(problem, child, selected[child]);
        const auto& required = problem.constraints.required[child];
        const auto begin_with = [&](VariableSpan first) {
            std::vector<VariableId> parents(required.begin(), required.end());
            for (const VariableId parent : first)
                if (std::ranges::find(parents, parent) == parents.end()) parents.push_back(parent);
            return selection.run(std::move(parents), goes_on);
        };
        if (!singles[child].empty() && !begin_with({&singles[child].front(), 1})) return;
        if (!pairs.empty() && !pairs[child].empty()) begin_with(pairs[child].front());
    });
    return selected;
}

}  // namespace baytree
