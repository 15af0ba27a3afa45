#include "learning/order_search.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace baytree {

namespace {

// Of a variable without a set: below all scores, and small enough to be added to them.
constexpr double lacking = -1e12;

/// Sets of one variable inside the clique, best first, of members numbered there.
struct InnerSets {
    ScoredParentSets sets;
    std::vector<std::uint32_t> choices;  // which of all its sets each is
};

class OrderSearch {
public:
    OrderSearch(const ParentSetLists& sets, std::span<const VariableId> variables);

    SmallDag run(std::size_t n_orders, RandomStream& random, const RunControl& control);

private:
    static constexpr std::uint32_t outside = static_cast<std::uint32_t>(-1);

    std::size_t n() const noexcept { return variables_.size(); }
    InnerSets inner_sets_of(const ScoredParentSets& all,
                            const std::vector<std::uint32_t>& numbers) const;
    void begin(RandomStream& random);
    void improve(const RunControl& control);
    void move_to_best_place(VariableId variable);
    double swap_with_next(std::size_t place);
    void choose_from(VariableId variable, std::size_t first);
    double total() const { return std::accumulate(scores_.begin(), scores_.end(), 0.0); }
    SmallDag dag_along(const std::vector<VariableId>& order) const;

    std::span<const VariableId> variables_;
    std::vector<InnerSets> inner_;  // by number in the clique, like all that follows
    std::vector<VariableId> order_;
    std::vector<std::size_t> places_;  // in the order
    std::vector<std::size_t> chosen_;  // inner sets; their number for none
    std::vector<double> scores_;
};

OrderSearch::OrderSearch(const ParentSetLists& sets, std::span<const VariableId> variables)
    : variables_(variables),
      order_(variables.size()),
      places_(variables.size()),
      chosen_(variables.size()),
      scores_(variables.size()) {
    std::vector<std::uint32_t> numbers(sets.size(), outside);
    for (std::uint32_t i = 0; i < n(); ++i) numbers[variables[i]] = i;
    for (const VariableId variable : variables)
        inner_.push_back(inner_sets_of(sets[variable], numbers));
    std::iota(order_.begin(), order_.end(), VariableId{0});
}

InnerSets OrderSearch::inner_sets_of(const ScoredParentSets& all,
                                     const std::vector<std::uint32_t>& numbers) const {
    InnerSets inner;
    std::vector<VariableId> members;
    for (std::uint32_t choice = 0; choice < all.size(); ++choice) {
        members.clear();
        for (const VariableId parent : all.parents(choice)) members.push_back(numbers[parent]);
        if (std::ranges::find(members, outside) != members.end()) continue;
        inner.sets.add(all.score(choice), members);
        inner.choices.push_back(choice);
    }
    return inner;
}

SmallDag OrderSearch::run(std::size_t n_orders, RandomStream& random, const RunControl& control) {
    std::vector<VariableId> best;
    double best_total = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n_orders && (i == 0 || !is_over(control)); ++i) {
        begin(random);
        improve(control);
        if (!(total() > best_total)) continue;
        best_total = total();
        best = order_;
    }
    return dag_along(best);
}

void OrderSearch::begin(RandomStream& random) {
    random.shuffle(std::span(order_));
    for (std::size_t place = 0; place < n(); ++place) places_[order_[place]] = place;
    for (VariableId variable = 0; variable < n(); ++variable) choose_from(variable, 0);
}

void OrderSearch::improve(const RunControl& control) {
    for (double before = lacking * static_cast<double>(n() + 1); total() > before;) {
        before = total();
        for (VariableId variable = 0; variable < n(); ++variable) {
            if (is_over(control)) return;
            move_to_best_place(variable);
        }
    }
}

/// Walks to the front, then to the end, and back to where the gain was largest.
void OrderSearch::move_to_best_place(VariableId variable) {
    std::size_t best_place = places_[variable];
    double gain = 0.0;
    double best_gain = 1e-9;  // not to walk for roundings
    const auto note_gain = [&](double of_step) {
        gain += of_step;
        if (!(gain > best_gain)) return;
        best_gain = gain;
        best_place = places_[variable];
    };
    while (places_[variable] > 0) note_gain(swap_with_next(places_[variable] - 1));
    while (places_[variable] + 1 < n()) note_gain(swap_with_next(places_[variable]));
    while (places_[variable] > best_place) swap_with_next(places_[variable] - 1);
}

/// Returns what the two gain by it; no other variable does.
double OrderSearch::swap_with_next(std::size_t place) {
    const VariableId later = order_[place];
    const VariableId earlier = order_[place + 1];
    const double before = scores_[later] + scores_[earlier];
    std::swap(order_[place], order_[place + 1]);
    places_[later] = place + 1;
    places_[earlier] = place;
    choose_from(later, 0);
    choose_from(earlier, chosen_[earlier]);  // none of its better sets can have become possible
    return scores_[later] + scores_[earlier] - before;
}

/// Best first, so the first that fits is the best that fits.
void OrderSearch::choose_from(VariableId variable, std::size_t first) {
    const ScoredParentSets& sets = inner_[variable].sets;
    const auto comes_before = [&](VariableId parent) {
        return places_[parent] < places_[variable];
    };
    std::size_t choice = first;
    while (choice < sets.size() && !std::ranges::all_of(sets.parents(choice), comes_before))
        ++choice;
    chosen_[variable] = choice;
    scores_[variable] = choice < sets.size() ? sets.score(choice) : lacking;
}

SmallDag OrderSearch::dag_along(const std::vector<VariableId>& order) const {
    SmallDag dag{0.0, {}, {}};
    std::vector<bool> is_placed(n());
    const auto has_place = [&](VariableId parent) { return is_placed[parent]; };
    for (const VariableId variable : order) {
        const auto& [sets, choices] = inner_[variable];
        std::size_t i = 0;
        while (i < sets.size() && !std::ranges::all_of(sets.parents(i), has_place)) ++i;
        if (i == sets.size()) continue;
        is_placed[variable] = true;
        dag.score += sets.score(i);
        dag.order.push_back(variables_[variable]);
        dag.choice.push_back(choices[i]);
    }
    return dag;
}

}  // namespace

SmallDag dag_by_order_search(const ParentSetLists& sets, std::span<const VariableId> variables,
                             std::size_t n_orders, RandomStream& random,
                             const RunControl& control) {
    return OrderSearch(sets, variables).run(n_orders, random, control);
}

}  // namespace baytree
