#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "learning/annealing_chain.hpp"
#include "learning/search_problem.hpp"
#include "learning/structure_search.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// How long the temperature falls: so many steps of all chains, but no longer than `until`.
struct CoolingPass {
    std::uint64_t number;                  // tells its random numbers from those of other passes
    std::optional<std::uint64_t> n_steps;  // without it, the time alone is the limit
    Clock::time_point until;
};

/// Chains that are cooled side by side, take over regions of each other's structures, and towards
/// the end go on from the best of them. The more steps a variable there are, the more chains; if
/// time alone is the limit, at least as many as threads. A number of steps gives the same result on
/// any number of threads.
class Islands {
public:
    /// The chains outlive neither `problem` nor `proposals`.
    Islands(const SearchProblem& problem, const Proposals& proposals, const StructureState& start,
            const SearchBudget& budget, const CoolingPass& pass, const RunControl& control);

    /// Called between rounds with about the best state so far and the steps made.
    using Listener = std::function<void(const Snapshot&, std::uint64_t)>;

    /// Lets the temperature fall; returns the number of steps made.
    std::uint64_t cool(RunControl& control, const Listener& listener);

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
    double steps_until(AnnealingChain chain, const RunControl& control) const;
    double hottest_of(std::size_t island) const;
    double slow_fall() const;
    std::size_t n_waves() const;
    std::uint64_t run(const Round& round, RunControl& control);
    std::uint64_t run_chain(std::size_t island, const Round& round, RunControl& control);
    void recombine(std::size_t island, const Round& round);
    void take_over_leaders();

    int n_threads_;
    CoolingPass pass_;
    double n_expected_ = 0.0;  // steps of each chain
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
