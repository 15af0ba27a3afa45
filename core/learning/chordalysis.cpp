#include "learning/chordalysis.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <queue>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "learning/edge_tests.hpp"
#include "learning/search_problem.hpp"
#include "runtime/parallel_for.hpp"
#include "scores/chi_square.hpp"
#include "structure/chordal_graph.hpp"

namespace baytree {

namespace {

constexpr double min_log_p_below_mean = -1.2;  // p is above 0.31 where G2 is below its mean
constexpr double min_parallel_work = 4e6;      // rows times pairs: starting threads takes time
constexpr std::chrono::milliseconds heartbeat_interval(20);

/// A pair of variables that may become an edge. Its separator only grows, so its size says whether
/// the test is still valid.
struct Candidate {
    double cost;  // the lower, the sooner it is added
    EdgeStatistic statistic;
    VariableId a, b;
    std::size_t n_separator;

    auto rank() const { return std::tuple(cost, statistic.degrees, -statistic.g2, a, b); }
};

struct ComesLater {
    bool operator()(const Candidate& first, const Candidate& second) const {
        return first.rank() > second.rank();
    }
};

/// What an edge costs by a rule, and whether the cheapest one is worth it.
class EdgeCosts {
public:
    EdgeCosts(const ChordalysisOptions& options, double total_weight, std::size_t n_variables)
        : options_(options),
          total_weight_(total_weight),
          n_pairs_(static_cast<double>(n_variables) * (static_cast<double>(n_variables) - 1) / 2),
          budget_(options.alpha) {}

    double cost(const EdgeStatistic& statistic) const {
        switch (options_.rule) {
            case EdgeRule::bic:
                return statistic.degrees * std::log(total_weight_) - statistic.g2;
            case EdgeRule::kl:
                return -statistic.g2;
            case EdgeRule::mml:
                return statistic.degrees * std::log1p(total_weight_) + statistic.code_length_change;
            default:
                return is_clearly_rejected(statistic) ? 0.0 : log_p_value(statistic);
        }
    }

    /// Of the test by G2, rounded if the options say so, whether or not the rule is a test.
    double log_p_value(const EdgeStatistic& statistic) const {
        const double exact = log_chi_square_tail(statistic.g2, statistic.degrees);
        return options_.rounds_p_values ? std::log(1.0 - (1.0 - std::exp(exact))) : exact;
    }

    /// Above it, no step accepts a cost.
    double highest_acceptable() const {
        if (options_.rule == EdgeRule::mml) return std::log(n_pairs_);
        return is_test() ? std::log(options_.alpha) : 0.0;
    }

    /// Whether the edge is added, as edge number `n_edges` from 0 on, among `n_admissible` pairs.
    bool accepts(double cost, std::size_t n_admissible, std::size_t n_edges) const {
        const auto m = static_cast<double>(n_admissible);
        const auto n = static_cast<double>(n_edges);
        switch (options_.rule) {
            case EdgeRule::smt:
                return cost <= std::log(budget_ / m);
            case EdgeRule::budget_share:
                return cost <= std::log(options_.budget_share * budget_ / m);
            case EdgeRule::layered:
                return cost <= std::log(options_.alpha / m) - (n + 1) * std::log(2.0);
            case EdgeRule::mml:
                return cost + std::log((n_pairs_ - n) / (n + 1)) < 0.0;
            default:
                return cost < 0.0;
        }
    }

    void pay(double cost, std::size_t n_admissible) {
        if (options_.rule == EdgeRule::smt)
            budget_ -= std::exp(cost) * static_cast<double>(n_admissible);
        if (options_.rule == EdgeRule::budget_share) budget_ -= options_.budget_share * budget_;
    }

private:
    bool is_test() const {
        return options_.rule == EdgeRule::smt || options_.rule == EdgeRule::budget_share ||
               options_.rule == EdgeRule::layered;
    }

    /// Without computing p.
    bool is_clearly_rejected(const EdgeStatistic& statistic) const {
        return statistic.g2 <= statistic.degrees && highest_acceptable() < min_log_p_below_mean;
    }

    ChordalysisOptions options_;
    double total_weight_;
    double n_pairs_;
    double budget_;  // what is left of alpha
};

class Selection {
public:
    Selection(const FamilyScorer& scorer, const ArcConstraints& constraints,
              const StructureLimits& limits, const ChordalysisOptions& options,
              const SearchBudget& budget, RunControl& control)
        : scorer_(scorer),
          constraints_(constraints),
          limits_(limits),
          budget_(budget),
          control_(control),
          tests_(scorer.counter(), options.rule == EdgeRule::mml, options.phantom_state),
          costs_(options, scorer.dataset().total_weight(), scorer.n_variables()),
          graph_(scorer.n_variables()) {
        for (VariableId variable = 0; variable < scorer.n_variables(); ++variable)
            score_ += scorer.score(variable, {});
    }

    SearchOutcome run() && {
        test_all_pairs();
        while (!is_over(control_) && is_within_budget()) {
            const Candidate* best = cheapest();
            if (best == nullptr ||
                !costs_.accepts(best->cost, graph_.n_admissible(), edges_.size())) {
                is_finished_ = true;
                break;
            }
            add(Candidate(*best));
            give_heartbeat();
        }
        return outcome();
    }

private:
    bool is_within_budget() const {
        return !budget_.max_iterations || edges_.size() < *budget_.max_iterations;
    }

    bool may_join(VariableId a, VariableId b, const std::vector<VariableId>& separator) const {
        if (!constraints_.allows(a, b) || !constraints_.allows(b, a)) return false;
        if (separator.size() + 1 > std::min(limits_.max_treewidth, limits_.max_parents))
            return false;
        if (limits_.arities.empty()) return true;
        double n_states = static_cast<double>(limits_.arities[a]) * limits_.arities[b];
        for (const VariableId variable : separator) n_states *= limits_.arities[variable];
        return n_states <= limits_.max_clique_states;
    }

    Candidate test_pair(VariableId a, VariableId b, const EdgeTests::Sides& sides,
                        CountScratch& scratch) const {
        const EdgeStatistic statistic = tests_.statistic(a, b, sides, scratch);
        return {costs_.cost(statistic), statistic, a, b, sides.clique.size() - 2};
    }

    bool is_hopeless(const Candidate& candidate) const {
        return candidate.cost > costs_.highest_acceptable();
    }

    void exclude_forbidden_pairs() {
        for (VariableId b = 0; b < graph_.n_variables(); ++b)
            for (VariableId a = 0; a < b; ++a)
                if (!may_join(a, b, {})) graph_.exclude(a, b);
    }

    /// Without edges, no pair has a separator.
    void test_all_pairs() {
        exclude_forbidden_pairs();
        std::vector<std::vector<Candidate>> found(graph_.n_variables());
        parallel_for(found.size(), budget_.n_threads, control_, [&](std::size_t number) {
            const auto b = static_cast<VariableId>(number);
            CountScratch scratch;
            for (VariableId a = 0; a < b && !is_over(control_); ++a) {
                if (!graph_.is_admissible(a, b)) continue;
                const Candidate candidate = test_pair(a, b, tests_.sides(a, b), scratch);
                if (!is_hopeless(candidate)) found[b].push_back(candidate);
            }
        });
        std::vector<Candidate> all;
        for (auto& of_variable : found) {
            std::ranges::move(of_variable, std::back_inserter(all));
            of_variable = {};
        }
        candidates_ = decltype(candidates_)({}, std::move(all));
    }

    void test(const std::vector<ChordalGraph::Pair>& pairs) {
        std::vector<Candidate> found(pairs.size());
        std::vector<EdgeTests::Sides> sides;
        for (const auto& [a, b] : pairs) {
            if (is_over(control_)) return;
            sides.push_back(tests_.sides(a, b, graph_.common_neighbours(a, b)));
            give_heartbeat();
        }
        const auto test_one = [&](std::size_t i, CountScratch& scratch) {
            if (!is_over(control_))
                found[i] = test_pair(pairs[i].first, pairs[i].second, sides[i], scratch);
        };
        const auto n_rows = static_cast<double>(scorer_.dataset().n_distinct_rows());
        if (n_rows * static_cast<double>(pairs.size()) < min_parallel_work)
            for (std::size_t i = 0; i < pairs.size(); ++i) test_one(i, scratch_);
        else
            parallel_for(pairs.size(), budget_.n_threads, control_, [&](std::size_t i) {
                CountScratch scratch;
                test_one(i, scratch);
            });
        for (const Candidate& candidate : found)
            if (!is_hopeless(candidate)) candidates_.push(candidate);
    }

    bool is_valid(const Candidate& candidate) const {
        return graph_.is_admissible(candidate.a, candidate.b) &&
               graph_.common_neighbours(candidate.a, candidate.b).size() == candidate.n_separator;
    }

    const Candidate* cheapest() {
        while (!candidates_.empty() && !is_valid(candidates_.top())) candidates_.pop();
        return candidates_.empty() ? nullptr : &candidates_.top();
    }

    void add(const Candidate& edge) {
        costs_.pay(edge.cost, graph_.n_admissible());
        std::vector<VariableId> separator = graph_.common_neighbours(edge.a, edge.b);
        record(edge, separator);
        std::vector<ChordalGraph::Pair> pairs = graph_.add_edge(edge.a, edge.b);
        std::erase_if(pairs, [&](const ChordalGraph::Pair& pair) {
            const auto [a, b] = pair;
            if (may_join(a, b, graph_.common_neighbours(a, b))) return false;
            graph_.exclude(a, b);
            return true;
        });
        test(pairs);
    }

    /// By a family of b whose parents are the separator, and then a too.
    void record(const Candidate& edge, std::vector<VariableId> separator) {
        score_ -= scorer_.score(edge.b, separator);
        std::vector<VariableId> parents = separator;
        insert_in_order(parents, edge.a);
        score_ += scorer_.score(edge.b, parents);
        width_ = std::max(width_, parents.size());
        const EdgeStatistic& statistic = edge.statistic;
        edges_.push_back({edge.a, edge.b, std::move(separator), statistic.g2, statistic.degrees,
                          costs_.log_p_value(statistic)});
        const std::chrono::duration<double> elapsed = Clock::now() - started_;
        history_.push_back({elapsed.count(), edges_.size(), score_});
        control_.report_best(score_, width_);
        control_.add_done(1);
    }

    void give_heartbeat() {
        if (Clock::now() - last_beat_ < heartbeat_interval) return;
        control_.beat();
        last_beat_ = Clock::now();
    }

    /// The score of the DAG, which is that of the steps unless the criterion tells equivalent
    /// networks apart.
    SearchOutcome outcome() {
        PerfectDag dag = graph_.to_dag();
        double score = 0.0;
        for (VariableId variable = 0; variable < dag.parents.size(); ++variable)
            score += scorer_.score(variable, dag.parents[variable]);
        if (history_.empty()) history_.push_back({0.0, 0, score});
        history_.back().score = score;
        SearchOutcome outcome{{score, std::move(dag.parents), std::move(dag.elimination_order)},
                              edges_.size(),
                              edges_.size(),
                              std::move(history_)};
        outcome.edges = std::move(edges_);
        outcome.is_finished = is_finished_;
        return outcome;
    }

    const FamilyScorer& scorer_;
    const ArcConstraints& constraints_;
    const StructureLimits& limits_;
    const SearchBudget& budget_;
    RunControl& control_;
    EdgeTests tests_;
    EdgeCosts costs_;
    ChordalGraph graph_;
    std::priority_queue<Candidate, std::vector<Candidate>, ComesLater> candidates_;
    CountScratch scratch_;
    double score_ = 0.0;
    std::size_t width_ = 0;
    bool is_finished_ = false;
    std::vector<SelectedEdge> edges_;
    std::vector<SearchStep> history_;
    Clock::time_point started_ = Clock::now();
    Clock::time_point last_beat_ = started_;
};

}  // namespace

SearchOutcome select_edges(const FamilyScorer& scorer, const ArcConstraints& constraints,
                           const StructureLimits& limits, const ChordalysisOptions& options,
                           const SearchBudget& budget, RunControl& control) {
    check_problem(scorer, constraints, limits);
    for (VariableId variable = 0; variable < scorer.n_variables(); ++variable)
        if (scorer.dataset().has_missing(variable))
            throw std::invalid_argument("edges can be tested in complete rows only");
    return Selection(scorer, constraints, limits, options, budget, control).run();
}

}  // namespace baytree
