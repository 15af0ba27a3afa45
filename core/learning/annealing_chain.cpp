#include "learning/annealing_chain.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace baytree {

namespace {

// A rebuild costs as much as some n simple updates, so its share of the work is about constant.
// Fewer pay in short runs, more in long ones: of 5 and 14 a variable the first was better by 130
// nats after 20 seconds on two tables, of 5 and 12 the second by 285 after a minute on one. So it
// is one between.
constexpr double rebuilds_a_variable = 10.0;

// Recombinations that pass by their scores are few, and fail in the order at hand for their width.
constexpr double rebuilds_a_variable_of_regions = 100.0;

// A state is copied only if it beats the last copy by so much, in temperatures: the copy takes time
// that grows with the variables, and so do the ups and downs of the score.
constexpr double margin_a_variable = 0.002;

// Shares of the kinds of proposals, the rest being removals. For relocations 0, 0.05 and 0.2 were
// tried on five binary tables; the other shares have not been compared.
constexpr double relocation_share = 0.05;
constexpr std::size_t n_shares = 20;
constexpr std::size_t candidate_shares = 7;
constexpr std::size_t swap_shares = 4;
constexpr std::size_t neighbour_shares = 7;
constexpr std::size_t n_best_candidates = 40;     // half of the parents that are proposed
constexpr std::size_t proposals_a_pair = 32;      // of parents that are added together
constexpr std::size_t proposals_a_stranger = 32;  // parents from all variables, not the candidates

// The share of the work that goes into scans of all parents beside those at hand.
constexpr double scan_share = 0.1;
constexpr double seconds_a_step = 3.5e-7;
constexpr std::size_t n_kept_a_scan = 4;
constexpr std::size_t proposals_a_scanned = 4;

// More than a list holds. Lists that grow in their turn lie among those of other threads, and share
// cache lines with them.
constexpr std::size_t n_reserved = 64;

double scan_probability(const SearchProblem& problem) {
    const double seconds = static_cast<double>(problem.n_variables()) * seconds_a_score(problem, 3);
    return std::min(1.0, scan_share * seconds_a_step / seconds);
}

bool contains(VariableSpan variables, VariableId variable) {
    return std::ranges::find(variables, variable) != variables.end();
}

}  // namespace

AnnealingChain::AnnealingChain(const SearchProblem& problem, const Proposals& proposals,
                               StructureState start, RandomStream random, const RunControl& control)
    : problem_(problem),
      proposals_(proposals),
      control_(control),
      state_(std::move(start)),
      best_(state_.snapshot()),
      random_(random),
      scanned_(state_.n_variables()),
      p_scan_(proposals.whole_sets ? 0.0 : scan_probability(problem)),
      p_rebuild_(std::min(1.0, rebuilds_a_variable / static_cast<double>(state_.n_variables()))),
      margin_(margin_a_variable * static_cast<double>(state_.n_variables())),
      recombination_(state_.n_variables()) {
    for (Proposal& proposal : ahead_)
        for (FamilyChange& change : proposal.changes) change.parents.reserve(n_reserved);
    bag_.reserve(n_reserved);
}

void AnnealingChain::step(double temperature) {
    if (next_ == ahead_.size()) look_ahead();
    at_hand_ = next_++;
    if (proposal().relocated) {
        if (!find_relocation(*proposal().relocated)) return;
    } else {
        for (FamilyChange& change : changes()) score(change);
    }
    if (changes().empty()) return;
    const double gain = state_.gain(changes());
    if (!accepts(gain, temperature)) return;
    if (gain < 0.0) remember_best(margin_ * temperature);
    const bool is_made = proposal().relocated
                             ? state_.relocate(*proposal().relocated, changes(), random_)
                             : state_.apply(changes(), p_rebuild_, random_);
    if (!is_made) return;
    drop_proposals();
    ++n_accepted_;
}

void AnnealingChain::recombine(const ScoredFamilies& other, double temperature,
                               std::uint64_t n_proposals) {
    const double p_rebuild =
        std::min(1.0, rebuilds_a_variable_of_regions / static_cast<double>(state_.n_variables()));
    bool has_differences = recombination_.compare(state_.dag(), other);
    drop_proposals();
    for (std::uint64_t i = 0; i < n_proposals && has_differences && !is_over(control_); ++i) {
        const auto region = recombination_.propose(state_.dag(), other, random_);
        if (region.empty()) continue;
        const double gain = state_.gain(region);
        if (!accepts(gain, temperature)) continue;
        if (gain < 0.0) remember_best(margin_ * temperature);
        if (state_.apply(region, p_rebuild, random_)) has_differences = recombination_.accept();
    }
}

/// Makes proposals in advance, so that what is known of their scores is at hand when they are
/// weighed: nearly all will be turned down, and then they are the same as if made one by one.
void AnnealingChain::look_ahead() {
    for (at_hand_ = 0; at_hand_ < ahead_.size(); ++at_hand_) {
        proposal().n_changes = 0;
        proposal().relocated.reset();
        if (random_.uniform() < relocation_share)
            proposal().relocated = proposals_.children[random_.below(proposals_.children.size())];
        else if (!propose())
            proposal().n_changes = 0;
        for (const FamilyChange& change : changes())
            problem_.scores.announce(change.child, change.parents);
    }
    next_ = 0;
}

void AnnealingChain::remember_best(double margin) {
    if (state_.total_score() > best_.score + margin) state_.save(best_);
}

bool AnnealingChain::accepts(double gain, double temperature) {
    return gain >= 0.0 || std::exp(gain / temperature) > random_.uniform();
}

bool AnnealingChain::propose() {
    const VariableId child = proposals_.children[random_.below(proposals_.children.size())];
    if (proposals_.whole_sets && random_.below(2) == 0) return propose_whole_set(child);
    if (p_scan_ > 0.0 && random_.uniform() < p_scan_) scan(child);
    if (!proposals_.pairs.empty() && random_.below(proposals_a_pair) == 0)
        return propose_pair(child);
    const std::size_t share = random_.below(n_shares);
    if (share < candidate_shares) return propose_candidate(child);
    if (share < candidate_shares + swap_shares) return propose_candidate_swap(child);
    if (share < candidate_shares + swap_shares + neighbour_shares) return propose_neighbour(child);
    return propose_removal(child);
}

VariableId AnnealingChain::random_candidate(VariableId child) {
    const auto& candidates = proposals_.candidates[child];
    const auto& scanned = scanned_[child];
    if (!scanned.empty() && random_.below(proposals_a_scanned) == 0)
        return scanned[random_.below(scanned.size())];
    if (random_.below(proposals_a_stranger) == 0) {
        const auto stranger = static_cast<VariableId>(random_.below(state_.n_variables()));
        if (stranger != child) return stranger;
    }
    const std::size_t n_met = random_.below(2) == 0 ? n_best_candidates : candidates.size();
    return candidates[random_.below(std::min(n_met, candidates.size()))];
}

/// Finds the parents that do best beside those at hand, or all of them but one.
void AnnealingChain::scan(VariableId child) {
    const VariableSpan parents = state_.dag().parents(child);
    bag_.assign(parents.begin(), parents.end());
    const bool is_full = bag_.size() == problem_.limits.max_parents;
    if (!bag_.empty() && (is_full || random_.below(2) == 0))
        bag_.erase(bag_.begin() + static_cast<std::ptrdiff_t>(random_.below(bag_.size())));
    scores_.clear();
    for (VariableId parent = 0; parent < state_.n_variables(); ++parent) {
        if (is_over(control_)) return;
        if (parent == child || contains(parents, parent) || !problem_.allows(parent, child))
            continue;
        insert_in_order(bag_, parent);
        scores_.emplace_back(problem_.scores.score_once(child, bag_), parent);
        std::erase(bag_, parent);
    }
    const std::size_t n_kept = std::min(n_kept_a_scan, scores_.size());
    std::ranges::partial_sort(scores_, scores_.begin() + static_cast<std::ptrdiff_t>(n_kept),
                              std::greater{});
    scanned_[child].clear();
    for (std::size_t i = 0; i < n_kept; ++i) scanned_[child].push_back(scores_[i].second);
}

bool AnnealingChain::propose_candidate(VariableId child) {
    const VariableId parent = random_candidate(child);
    if (!state_.dag().has_arc(parent, child))
        return state_.dag().has_arc(child, parent) ? reverse(child, parent) : add(parent, child);
    return random_.below(2) == 0 ? remove(parent, child) : reverse(parent, child);
}

bool AnnealingChain::propose_candidate_swap(VariableId child) {
    const VariableId parent = random_candidate(child);
    return !state_.dag().has_arc(parent, child) && swap(parent, child);
}

bool AnnealingChain::propose_neighbour(VariableId variable) {
    const VariableSpan neighbours = state_.fill_in().later_neighbours(variable);
    if (neighbours.empty()) return false;
    VariableId parent = neighbours[random_.below(neighbours.size())];
    VariableId child = variable;
    if (random_.below(2) == 0) std::swap(parent, child);
    if (state_.dag().has_arc(parent, child))
        return random_.below(3) == 0 ? remove(parent, child) : reverse(parent, child);
    if (state_.dag().has_arc(child, parent)) return reverse(child, parent);
    return random_.below(3) == 0 ? swap(parent, child) : add(parent, child);
}

bool AnnealingChain::propose_removal(VariableId child) {
    const VariableSpan parents = state_.dag().parents(child);
    return !parents.empty() && remove(parents[random_.below(parents.size())], child);
}

/// Both members of a pair; where there is no room, others make it.
bool AnnealingChain::propose_pair(VariableId child) {
    const auto& pairs = proposals_.pairs[child];
    if (pairs.empty()) return false;
    const auto& pair = pairs[random_.below(pairs.size())];
    if (std::ranges::all_of(pair, [&](VariableId p) { return state_.dag().has_arc(p, child); }))
        return false;
    FamilyChange& change = next_change(child);
    bag_.clear();
    for (const VariableId parent : change.parents)
        if (std::ranges::find(pair, parent) == pair.end() &&
            !problem_.constraints.demands(parent, child))
            bag_.push_back(parent);
    random_.shuffle(std::span(bag_));
    for (const VariableId parent : pair)
        if (!contains(change.parents, parent)) insert_in_order(change.parents, parent);
    for (; change.parents.size() > problem_.limits.max_parents; bag_.pop_back()) {
        if (bag_.empty()) return false;
        std::erase(change.parents, bag_.back());
    }
    return true;
}

/// One of the child's sets in the cache, the better ones more often.
bool AnnealingChain::propose_whole_set(VariableId child) {
    const ScoredParentSets& sets = proposals_.whole_sets->of(child);
    const double share = random_.uniform();
    const auto i = static_cast<std::size_t>(share * share * static_cast<double>(sets.size()));
    const VariableSpan parents = sets.parents(i);
    if (std::ranges::equal(parents, state_.dag().parents(child))) return false;
    FamilyChange& change = next_change(child);
    change.parents.assign(parents.begin(), parents.end());
    return true;
}

FamilyChange& AnnealingChain::next_change(VariableId child) {
    FamilyChange& change = proposal().changes[proposal().n_changes++];
    const VariableSpan parents = state_.dag().parents(child);
    change.child = child;
    change.parents.assign(parents.begin(), parents.end());
    return change;
}

void AnnealingChain::score(FamilyChange& change) const {
    change.score = problem_.scores.score(change.child, change.parents);
}

bool AnnealingChain::add(VariableId parent, VariableId child) {
    if (state_.dag().parents(child).size() == problem_.limits.max_parents ||
        !problem_.allows(parent, child))
        return false;
    FamilyChange& change = next_change(child);
    insert_in_order(change.parents, parent);
    return true;
}

bool AnnealingChain::remove(VariableId parent, VariableId child) {
    if (problem_.constraints.demands(parent, child)) return false;
    FamilyChange& change = next_change(child);
    std::erase(change.parents, parent);
    return true;
}

bool AnnealingChain::reverse(VariableId parent, VariableId child) {
    return remove(parent, child) && add(child, parent);
}

bool AnnealingChain::swap(VariableId parent, VariableId child) {
    const VariableSpan parents = state_.dag().parents(child);
    if (parents.empty() || !problem_.allows(parent, child)) return false;
    const VariableId leaving = parents[random_.below(parents.size())];
    if (problem_.constraints.demands(leaving, child)) return false;
    FamilyChange& change = next_change(child);
    std::erase(change.parents, leaving);
    insert_in_order(change.parents, parent);
    return true;
}

/// Takes a variable out of the structure and puts it elsewhere as a leaf: into a bag that is there
/// already, so that the width is no obstacle. Arc by arc the way there would lead through the loss
/// of all its arcs.
bool AnnealingChain::find_relocation(VariableId variable) {
    const auto& children = state_.dag().children(variable);
    const auto demands = [&](VariableId child) {
        return problem_.constraints.demands(variable, child);
    };
    if (children.size() > max_lost_children || std::ranges::any_of(children, demands) ||
        !problem_.constraints.required[variable].empty())
        return false;
    const VariableId anchor = random_anchor(variable);
    const VariableSpan later = state_.fill_in().later_neighbours(anchor);
    bag_.assign(later.begin(), later.end());
    bag_.push_back(anchor);
    std::erase(bag_, variable);
    FamilyChange& own = next_change(variable);
    own.parents.clear();
    score(own);
    grow(own);
    if (!fits_into_clique(own)) return false;
    for (const VariableId child : children) {
        FamilyChange& change = next_change(child);
        std::erase(change.parents, variable);
        score(change);
        const VariableSpan others = state_.fill_in().later_neighbours(child);
        bag_.assign(others.begin(), others.end());
        std::erase_if(bag_, [&](VariableId other) {
            const auto is_apart = [&](VariableId parent) {
                return parent != other && !state_.fill_in().are_neighbours(parent, other);
            };
            return other == variable || std::ranges::any_of(change.parents, is_apart);
        });
        grow(change);
    }
    return true;
}

/// A variable whose bag is to take in `variable`: a candidate, or a child of one, whose bag is
/// likely to hold it too.
VariableId AnnealingChain::random_anchor(VariableId variable) {
    const VariableId candidate = random_candidate(variable);
    const auto& children = state_.dag().children(candidate);
    if (children.empty() || random_.below(2) == 0) return candidate;
    return children[random_.below(children.size())];
}

/// Adds members of the bag that raise the score, met in random order.
void AnnealingChain::grow(FamilyChange& change) {
    random_.shuffle(std::span(bag_));
    for (const VariableId parent : bag_) {
        if (change.parents.size() == problem_.limits.max_parents) return;
        if (contains(change.parents, parent) || !problem_.allows(parent, change.child)) continue;
        insert_in_order(change.parents, parent);
        const double score = problem_.scores.score(change.child, change.parents);
        if (score > change.score)
            change.score = score;
        else
            std::erase(change.parents, parent);
    }
}

bool AnnealingChain::fits_into_clique(const FamilyChange& change) const {
    if (problem_.limits.arities.empty()) return true;
    double n_states = problem_.limits.arities[change.child];
    for (const VariableId parent : change.parents) n_states *= problem_.limits.arities[parent];
    return n_states <= problem_.limits.max_clique_states;
}

}  // namespace baytree
