#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "learning/annealing_chain.hpp"
#include "learning/search_problem.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Chains that are cooled side by side, take over regions of each other's structures, and towards
/// the end go on from the best of them. Under a time limit they are as many as the threads. Else
/// their number depends on nothing, so that any number of threads gives the same result.
class Islands {
public:
    /// `number` tells the random numbers of one pass from those of the next. The chains outlive
    /// neither `problem` nor `proposals`.
    Islands(const SearchProblem& problem, const Proposals& proposals, const StructureState& start,
            const SearchBudget& budget, std::uint64_t number, const RunControl& control);

    /// Called between rounds with about the best state so far and the steps made.
    using Listener = std::function<void(const Snapshot&, std::uint64_t)>;

    /// Lets the temperature fall over `n_steps` steps, or the time `until` if that is sooner;
    /// returns the number of steps made.
    std::uint64_t cool(std::uint64_t n_steps, Clock::time_point until, RunControl& control,
                       const Listener& listener);

    const Snapshot& best() const;
    /// How many steps of all chains changed their states.
    std::uint64_t n_accepted() const;

private:
    struct Round;

    /// What the loss of an arc costs, in nats. Where most arcs are weak, as in sparse tables, few
    /// strong ones hold the structure together: the mean tells of them, a median would not.
    struct ArcStrengths {
        explicit ArcStrengths(std::vector<double> strengths);

        double mean = 1.0;  // at least 1
        double weak = 1.0;  // a tenth of the arcs are weaker
    };

    bool has_two() const { return chains_.size() == 2; }
    double steps_until(Clock::time_point until, const RunControl& control) const;
    double hottest_of(std::size_t island) const;
    double slow_fall() const;
    std::size_t n_waves() const;
    std::uint64_t run(const Round& round, RunControl& control);
    std::uint64_t run_chain(std::size_t island, const Round& round, RunControl& control);
    void recombine(std::size_t island, const Round& round);
    void take_over_leaders();

    int n_threads_;
    ArcStrengths arc_strengths_;
    double hottest_ = 1.0;
    double coldest_ = 1.0;
    double slow_fall_ = 1.0;
    std::vector<AnnealingChain> chains_;
    std::vector<std::uint64_t> n_steps_;    // of each chain in the last round
    std::vector<ScoredFamilies> families_;  // of each chain at its end
    std::vector<ScoredFamilies> next_families_;
};

}  // namespace baytree
