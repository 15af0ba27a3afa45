#include "structure/chordal_graph.hpp"

#include <algorithm>
#include <bit>

namespace baytree {

namespace {

void set(VariableBits& bits, VariableId variable) {
    bits[variable / 64] |= std::uint64_t{1} << (variable % 64);
}

void clear(VariableBits& bits, VariableId variable) {
    bits[variable / 64] &= ~(std::uint64_t{1} << (variable % 64));
}

template <class Visit>
void for_each_of_word(std::uint64_t word, std::size_t number, const Visit& visit) {
    for (; word != 0; word &= word - 1)
        visit(static_cast<VariableId>(number * 64 +
                                      static_cast<std::size_t>(std::countr_zero(word))));
}

template <class Visit>
void for_each_variable(const VariableBits& bits, const Visit& visit) {
    for (std::size_t i = 0; i < bits.size(); ++i) for_each_of_word(bits[i], i, visit);
}

/// Takes `others` out and returns how many bits that cleared.
std::size_t take_out(VariableBits& bits, const VariableBits& others) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        n += static_cast<std::size_t>(std::popcount(bits[i] & others[i]));
        bits[i] &= ~others[i];
    }
    return n;
}

bool includes(const VariableBits& bits, const VariableBits& others) {
    for (std::size_t i = 0; i < bits.size(); ++i)
        if ((others[i] & ~bits[i]) != 0) return false;
    return true;
}

}  // namespace

ChordalGraph::ChordalGraph(std::size_t n_variables)
    : neighbours_(n_variables, VariableBits((n_variables + 63) / 64)),
      admissible_(n_variables, VariableBits((n_variables + 63) / 64, ~std::uint64_t{0})),
      n_admissible_(n_variables * (n_variables - 1) / 2) {
    for (VariableId variable = 0; variable < n_variables; ++variable) {
        VariableBits& others = admissible_[variable];
        if (n_variables % 64 != 0) others.back() = (std::uint64_t{1} << (n_variables % 64)) - 1;
        clear(others, variable);
    }
}

std::vector<VariableId> ChordalGraph::common_neighbours(VariableId a, VariableId b) const {
    std::vector<VariableId> members;
    for_each_variable(common(a, b), [&](VariableId variable) { members.push_back(variable); });
    return members;
}

VariableBits ChordalGraph::common(VariableId a, VariableId b) const {
    VariableBits both = neighbours_[a];
    for (std::size_t i = 0; i < both.size(); ++i) both[i] &= neighbours_[b][i];
    return both;
}

/// All variables on paths from one that do not pass through those removed.
VariableBits ChordalGraph::reachable_from(VariableId start, const VariableBits& removed) const {
    VariableBits seen(removed.size());
    set(seen, start);
    std::vector<VariableId> left{start};
    while (!left.empty()) {
        const VariableBits& next = neighbours_[left.back()];
        left.pop_back();
        for (std::size_t i = 0; i < next.size(); ++i) {
            const std::uint64_t fresh = next[i] & ~seen[i] & ~removed[i];
            seen[i] |= fresh;
            for_each_of_word(fresh, i, [&](VariableId variable) { left.push_back(variable); });
        }
    }
    return seen;
}

void ChordalGraph::exclude(VariableId a, VariableId b) {
    clear(admissible_[a], b);
    clear(admissible_[b], a);
    --n_admissible_;
}

void ChordalGraph::exclude_between(const VariableBits& of_a, const VariableBits& of_b) {
    for_each_variable(of_a, [&](VariableId u) { n_admissible_ -= take_out(admissible_[u], of_b); });
    for_each_variable(of_b, [&](VariableId v) { take_out(admissible_[v], of_a); });
}

/// The variables were on two sides of `before`, from which a single edge leads across now: from a
/// common neighbour of theirs.
void ChordalGraph::admit_if_separated(VariableId a, VariableId b, const VariableBits& before,
                                      std::vector<Pair>& admitted) {
    const VariableBits now = common(a, b);
    if (!includes(now, before) && test(reachable_from(a, now), b)) return;
    set(admissible_[a], b);
    set(admissible_[b], a);
    ++n_admissible_;
    admitted.emplace_back(std::min(a, b), std::max(a, b));
}

// The edge joins what its separator kept apart. So between the two sides only those pairs may still
// be separated whose new path leads through a common neighbour that the edge made: a and neighbours
// of b, b and neighbours of a. Pairs elsewhere keep their separators and their paths.
std::vector<ChordalGraph::Pair> ChordalGraph::add_edge(VariableId a, VariableId b) {
    const VariableBits separator = common(a, b);
    const VariableBits side_of_a = reachable_from(a, separator);
    const VariableBits side_of_b = reachable_from(b, separator);
    exclude_between(side_of_a, side_of_b);
    set(neighbours_[a], b);
    set(neighbours_[b], a);
    std::vector<Pair> admitted;
    for_each_variable(neighbours_[b], [&](VariableId v) {
        if (test(side_of_b, v)) admit_if_separated(a, v, separator, admitted);
    });
    for_each_variable(neighbours_[a], [&](VariableId u) {
        if (test(side_of_a, u)) admit_if_separated(b, u, separator, admitted);
    });
    return admitted;
}

PerfectDag ChordalGraph::to_dag() const {
    PerfectDag dag{ParentLists(n_variables()), {}};
    std::vector<bool> is_placed(n_variables());
    for (std::size_t i = 0; i < n_variables(); ++i) {
        VariableId next = 0;
        while (is_placed[next]) ++next;
        for (VariableId other = next + 1; other < n_variables(); ++other)
            if (!is_placed[other] && dag.parents[other].size() > dag.parents[next].size())
                next = other;
        is_placed[next] = true;
        dag.elimination_order.push_back(next);
        for_each_variable(neighbours_[next], [&](VariableId neighbour) {
            if (!is_placed[neighbour]) dag.parents[neighbour].push_back(next);
        });
    }
    for (auto& parents : dag.parents) std::ranges::sort(parents);
    std::ranges::reverse(dag.elimination_order);
    return dag;
}

}  // namespace baytree
