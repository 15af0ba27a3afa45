#include "learning/islands.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "learning/best_subset_scores.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

namespace {

// More islands where each has so many steps a variable. With 60 million steps in all, 8 were better
// than 2 by 1165 and 683 nats on two binary tables (109,000 and 46,000 steps a variable each), and
// neither better nor worse on two; with 10 million, 4 of 36,000 were worse by 352 and 423 nats.
// With 180 to 240 million, 32 were better than 16 by 25 to 316 nats on three tables, and 64 worse
// by 310 on one.
constexpr std::size_t least_islands = 2;
constexpr std::size_t most_islands = 32;
constexpr double steps_of_island = 50'000.0;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t n_rounds = 64;
// The last island starts so much colder than the first, the others between them. Where the start is
// good in the large, a cold chain keeps it; where it is not, a hot one mends it.
constexpr double cooling = 4.0;

// When the worst of each four islands goes on from one of the best: at first all is in flux.
// Against exchanges of sixteen like those of two: 30 to 40 nats on three binary tables after ten
// seconds of work in all, 120 and 200 on two after forty. But of two, the hot one is still behind
// then.
struct Exchanges {
    double start;  // as a share of the rounds
    std::size_t n_rounds_between;
};
constexpr Exchanges exchanges_of_two{0.75, 8};
constexpr Exchanges exchanges_of_more{0.5, 4};
constexpr std::size_t islands_a_leader = 4;

// Each island tries to take over regions of so many others a round, with so many proposals a
// variable, but no more than one for so many steps that it made: a proposal takes the time of four.
// Against none: 80, 700 and 880 nats on three binary tables, with sixteen islands and ten seconds
// of work in all. Islands that have not met in exchanges have too little in common to take over
// much, so two do without: 600 nats on one table, none on another.
constexpr std::size_t n_partners = 2;
constexpr std::uint64_t recombinations_a_variable = 4;
constexpr std::uint64_t steps_a_recombination = 64;
constexpr std::uint64_t steps_a_clock_reading = 16;
constexpr std::size_t n_arcs_sampled = 500;

// The first temperature in mean strengths of an arc, by the steps a variable that there will be:
// who has more time can afford to forget more of the start. Fitted to eleven binary tables at
// twelve seconds and two minutes of work; a factor of two costs less than another seed does.
double strengths_at_start(double steps_a_variable) {
    return std::clamp(std::cbrt(steps_a_variable / 30'000.0), 0.2, 1.2);
}

// But no island starts hotter than this, in mean strengths: with much time the hotter island came
// to the exchanges far behind the other one, and was of no use. With 0.4 it was too cold to mend
// the start of a table of 889 variables: 1,300 nats worse than with 0.6.
constexpr double most_strengths = 0.6;

// The fall of the temperature takes slow_time of the time until it is at this many strengths of
// weak arcs. After that few changes are left to be made, and the rest can go faster. Against an
// even fall: 0 to 350 nats on five binary tables; 0.15 is better on two of them, 0.3 on another.
constexpr double quick_strengths = 0.2;
constexpr double slow_time = 0.9;

constexpr std::uint64_t n_steps_timed = 2'000;
constexpr std::chrono::milliseconds longest_timing{20};
// The last temperature, by the strength of weak arcs: below a tenth of it nothing moves any more,
// and the time would be lost. Fitted to the same tables, where it varies from 0.5 to 3 nats.
double last_temperature(double weak_strength) { return std::clamp(0.1 * weak_strength, 0.5, 3.0); }

/// What the loss of an arc costs, for some arcs from all over the structure that can be lost.
std::vector<double> some_strengths(const SearchProblem& problem, const StructureState& state,
                                   const RunControl& control) {
    std::vector<std::pair<VariableId, VariableId>> arcs;
    for (VariableId child = 0; child < state.n_variables(); ++child)
        for (const VariableId parent : state.dag().parents(child))
            if (!problem.constraints.demands(parent, child)) arcs.emplace_back(parent, child);
    std::vector<double> strengths;
    std::vector<VariableId> others;
    const std::size_t step = arcs.size() / n_arcs_sampled + 1;
    for (std::size_t i = 0; i < arcs.size() && !is_over(control); i += step) {
        const auto [parent, child] = arcs[i];
        others.assign(state.dag().parents(child).begin(), state.dag().parents(child).end());
        std::erase(others, parent);
        const double strength = state.score_of(child) - problem.scores.score(child, others);
        if (strength < -score_of_no_set / 2) strengths.push_back(strength);
    }
    return strengths;
}

/// A power of two.
std::size_t number_of_islands(double steps_a_variable) {
    std::size_t n_islands = least_islands;
    while (n_islands < most_islands &&
           steps_a_variable >= steps_of_island * static_cast<double>(2 * n_islands))
        n_islands *= 2;
    return n_islands;
}

/// At least so many that all threads have equally many.
std::size_t shared_evenly(std::size_t n_islands, std::size_t n_threads) {
    return (n_islands + n_threads - 1) / n_threads * n_threads;
}

std::uint64_t share_of(std::uint64_t total, std::size_t part, std::size_t n_parts) {
    return total / n_parts + (part < total % n_parts ? 1 : 0);
}

/// Where a moment lies between two others, from 0 to 1.
double progress(Clock::time_point begin, Clock::time_point now, Clock::time_point end) {
    if (end == Clock::time_point::max()) return 0.0;
    if (now >= end) return 1.0;
    return std::chrono::duration<double>(now - begin) / std::chrono::duration<double>(end - begin);
}

}  // namespace

Islands::ArcStrengths::ArcStrengths(std::vector<double> strengths) {
    if (strengths.empty()) return;
    const auto n = static_cast<double>(strengths.size());
    mean = std::max(1.0, std::accumulate(strengths.begin(), strengths.end(), 0.0) / n);
    const auto tenth = strengths.begin() + static_cast<std::ptrdiff_t>(strengths.size() / 10);
    std::ranges::nth_element(strengths, tenth);
    weak = *tenth;
}

struct Islands::Round {
    std::size_t number;
    std::uint64_t n_steps;  // of all islands
    Clock::time_point begin;
    Clock::time_point end;

    /// Falls by equal factors, which come more quickly after the share `slow_fall` of the fall.
    double temperature(double hottest, double coldest, double slow_fall, double progress) const {
        const double time = (static_cast<double>(number) + progress) / n_rounds;
        if (slow_fall == 1.0) return hottest * std::pow(coldest / hottest, time);
        const double fall = time < slow_time
                                ? time / slow_time * slow_fall
                                : 1.0 - (1.0 - time) / (1.0 - slow_time) * (1.0 - slow_fall);
        return hottest * std::pow(coldest / hottest, fall);
    }

    bool is_exchange(const Exchanges& exchanges) const {
        return static_cast<double>(number + 1) >= exchanges.start * n_rounds &&
               (number + 1) % exchanges.n_rounds_between == 0;
    }

    /// Islands that have to share a thread share the time of the round.
    Clock::time_point slice(std::size_t wave, std::size_t n_waves) const {
        if (end == Clock::time_point::max()) return end;
        return begin + std::max(end - begin, Clock::duration::zero()) *
                           static_cast<Clock::rep>(wave) / static_cast<Clock::rep>(n_waves);
    }
};

Islands::Islands(const SearchProblem& problem, const Proposals& proposals,
                 const StructureState& start, const SearchBudget& budget, const CoolingPass& pass,
                 const RunControl& control)
    : n_threads_(std::max(1, budget.n_threads)),
      pass_(pass),
      arc_strengths_(some_strengths(problem, start, control)) {
    const auto n_variables = static_cast<double>(start.n_variables());
    const auto n_threads = static_cast<std::size_t>(n_threads_);
    const auto new_chain = [&](std::uint64_t number) {
        return AnnealingChain(problem, proposals, start, RandomStream(budget.seed, number),
                              control);
    };
    const double n_expected =
        pass.n_steps ? static_cast<double>(*pass.n_steps) : steps_until(new_chain(0), control);
    std::size_t n_islands = number_of_islands(n_expected / n_variables);
    // A budget of steps must give the same result on any number of threads.
    if (!pass.n_steps) n_islands = shared_evenly(n_islands, n_threads);
    n_expected_ = n_expected / static_cast<double>(n_islands);
    chains_.reserve(n_islands);
    for (std::size_t island = 0; island < n_islands; ++island)
        chains_.push_back(new_chain(1 + pass.number * n_islands + island));
    n_steps_.resize(n_islands);
    families_.assign(n_islands, start.families());
    next_families_ = families_;
}

std::uint64_t Islands::cool(RunControl& control, const Listener& listener) {
    std::uint64_t n_done = 0;
    const std::uint64_t n_steps = pass_.n_steps.value_or(no_limit);
    const Clock::time_point until = pass_.until;
    coldest_ = last_temperature(arc_strengths_.weak);
    hottest_ = arc_strengths_.mean *
               strengths_at_start(n_expected_ / static_cast<double>(best().parents.n_variables()));
    slow_fall_ = slow_fall();
    const Exchanges exchanges = has_two() ? exchanges_of_two : exchanges_of_more;
    const auto started = Clock::now();
    for (std::size_t number = 0; number < n_rounds && !is_over(control, until); ++number) {
        Round round{number, share_of(n_steps, number, n_rounds), Clock::now(), until};
        if (until != Clock::time_point::max())
            round.end = started + (until - started) / static_cast<Clock::rep>(n_rounds) *
                                      static_cast<Clock::rep>(number + 1);
        n_done += run(round, control);
        for (AnnealingChain& chain : chains_) chain.remember_best();
        std::swap(families_, next_families_);
        if (round.is_exchange(exchanges)) take_over_leaders();
        listener(best(), n_done);
    }
    return n_done;
}

/// About how many steps all threads will make, told from a few.
double Islands::steps_until(AnnealingChain chain, const RunControl& control) const {
    const auto started = Clock::now();
    const auto end = std::min(pass_.until, started + longest_timing);
    std::uint64_t n_done = 0;
    for (; n_done < n_steps_timed && !is_over(control, end); ++n_done)
        chain.step(arc_strengths_.mean);
    const std::chrono::duration<double> passed = Clock::now() - started;
    const std::chrono::duration<double> left = pass_.until - Clock::now();
    return static_cast<double>(n_done) * (left / passed) * n_threads_;
}

double Islands::hottest_of(std::size_t island) const {
    const double place = static_cast<double>(island) / static_cast<double>(chains_.size() - 1);
    const double own = hottest_ / std::pow(cooling, place);
    return std::max(std::min(own, most_strengths * arc_strengths_.mean), coldest_);
}

/// The share of the fall of the hottest island, in logarithms, that is the slow part; as much of
/// that of the others.
double Islands::slow_fall() const {
    const double start = hottest_of(0);
    const double turn = std::max(quick_strengths * arc_strengths_.weak, coldest_);
    return turn > coldest_ && turn < start ? std::log(start / turn) / std::log(start / coldest_)
                                           : 1.0;
}

/// How many islands a thread has to run one after the other.
std::size_t Islands::n_waves() const {
    const auto n_threads = static_cast<std::size_t>(n_threads_);
    return (chains_.size() + n_threads - 1) / n_threads;
}

std::uint64_t Islands::run(const Round& round, RunControl& control) {
    parallel_for(chains_.size(), n_threads_, control, [&](std::size_t island) {
        n_steps_[island] = run_chain(island, round, control);
        chains_[island].state().save(next_families_[island]);
    });
    return std::reduce(n_steps_.begin(), n_steps_.end());
}

void Islands::recombine(std::size_t island, const Round& round) {
    const double temperature = round.temperature(hottest_of(island), coldest_, slow_fall_, 0.0);
    const std::uint64_t n_proposals =
        std::min(recombinations_a_variable * families_[island].parents.n_variables(),
                 n_steps_[island] / (n_partners * steps_a_recombination));
    for (std::size_t meeting = 0; meeting < n_partners; ++meeting) {
        const std::size_t distance =
            1 + (n_partners * round.number + meeting) % (chains_.size() - 1);
        const std::size_t partner = (island + distance) % chains_.size();
        chains_[island].recombine(families_[partner], temperature, n_proposals);
    }
}

std::uint64_t Islands::run_chain(std::size_t island, const Round& round, RunControl& control) {
    const std::size_t wave = island / static_cast<std::size_t>(n_threads_);
    const Clock::time_point begin = round.slice(wave, n_waves());
    const Clock::time_point end = round.slice(wave + 1, n_waves());
    const std::uint64_t n_steps = share_of(round.n_steps, island, chains_.size());
    if (!has_two()) recombine(island, round);
    const double hottest = hottest_of(island);
    double temperature = 0.0;
    std::uint64_t n_done = 0;
    for (; n_done < n_steps; ++n_done) {
        if (control.stop_requested()) break;
        if (n_done % steps_a_clock_reading == 0) {
            const double by_time = progress(begin, Clock::now(), end);
            if (by_time >= 1.0) break;
            const double by_steps = static_cast<double>(n_done) / static_cast<double>(n_steps);
            temperature =
                round.temperature(hottest, coldest_, slow_fall_, std::max(by_time, by_steps));
        }
        chains_[island].step(temperature);
    }
    control.add_done(n_done);
    return n_done;
}

/// The last chains go on from the first ones.
void Islands::take_over_leaders() {
    std::vector<std::size_t> ranking(chains_.size());
    std::iota(ranking.begin(), ranking.end(), std::size_t{0});
    const auto score = [&](std::size_t island) { return chains_[island].state().total_score(); };
    std::ranges::stable_sort(ranking, std::ranges::greater(), score);
    const std::size_t n_leaders = (chains_.size() + islands_a_leader - 1) / islands_a_leader;
    for (std::size_t i = 0; i < n_leaders; ++i)
        chains_[ranking[ranking.size() - 1 - i]].set_state(chains_[ranking[i]].state());
}

std::uint64_t Islands::n_accepted() const {
    return std::transform_reduce(chains_.begin(), chains_.end(), std::uint64_t{0}, std::plus<>{},
                                 [](const AnnealingChain& chain) { return chain.n_accepted(); });
}

const Snapshot& Islands::best() const {
    const auto score = [](const AnnealingChain& chain) { return chain.best().score; };
    return std::ranges::max_element(chains_, {}, score)->best();
}

}  // namespace baytree
