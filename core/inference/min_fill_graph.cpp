#include "inference/min_fill_graph.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace baytree {

namespace {
constexpr std::size_t word_bits = 64;
}  // namespace

MinFillGraph::MinFillGraph(std::size_t n_variables,
                           const std::vector<std::vector<VariableId>>& scopes, WorkMeter& meter)
    : meter_(meter),
      n_words_((n_variables + word_bits - 1) / word_bits),
      adjacent_(n_variables * n_words_),
      fill_(n_variables),
      degree_(n_variables) {
    std::vector<bool> takes_part(n_variables);
    for (const auto& scope : scopes)
        for (std::size_t i = 0; i < scope.size(); ++i) {
            takes_part[scope[i]] = true;
            for (std::size_t j = 0; j < i; ++j) join(scope[i], scope[j]);
        }
    for (VariableId variable = 0; variable < n_variables; ++variable) {
        if (!takes_part[variable]) continue;
        left_.push_back(variable);
        count(variable);
    }
}

VariableId MinFillGraph::next(std::size_t max_degree) const {
    const auto price = [&](VariableId variable) {
        return std::tuple(degree_[variable] > max_degree, fill_[variable], degree_[variable]);
    };
    meter_.add(left_.size());
    return *std::ranges::min_element(left_, {}, price);
}

void MinFillGraph::eliminate(VariableId variable,
                             const std::vector<std::vector<VariableId>>& scopes) {
    const auto around = neighbours(variable);
    const Word bit = Word{1} << (variable % word_bits);
    for (const VariableId neighbour : around) row(neighbour)[variable / word_bits] &= ~bit;
    std::fill_n(row(variable), n_words_, Word{0});
    left_.erase(std::ranges::lower_bound(left_, variable));
    for (const auto& scope : scopes)
        for (std::size_t i = 0; i < scope.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (!are_adjacent(scope[i], scope[j])) {
                    count_new_edge(scope[i], scope[j]);
                    join(scope[i], scope[j]);
                }
    for (const VariableId neighbour : around) count(neighbour);
}

bool MinFillGraph::are_adjacent(VariableId a, VariableId b) const {
    return (row(a)[b / word_bits] >> (b % word_bits)) & 1U;
}

void MinFillGraph::join(VariableId a, VariableId b) {
    row(a)[b / word_bits] |= Word{1} << (b % word_bits);
    row(b)[a / word_bits] |= Word{1} << (a % word_bits);
}

/// Whoever has both as neighbours adds one edge less. (The counts of the two are taken anew.)
void MinFillGraph::count_new_edge(VariableId a, VariableId b) {
    meter_.add(n_words_);
    for (std::size_t word = 0; word < n_words_; ++word)
        for (Word common = row(a)[word] & row(b)[word]; common != 0; common &= common - 1) {
            const auto at = static_cast<std::size_t>(std::countr_zero(common));
            --fill_[word * word_bits + at];
        }
}

void MinFillGraph::count(VariableId variable) {
    const auto around = neighbours(variable);
    meter_.add((1 + around.size()) * n_words_);
    const Word* own = row(variable);
    std::size_t n_missing = 0;  // each pair twice, and each neighbour as its own stranger
    for (const VariableId neighbour : around) {
        const Word* other = row(neighbour);
        for (std::size_t word = 0; word < n_words_; ++word)
            n_missing += static_cast<std::size_t>(std::popcount(own[word] & ~other[word]));
    }
    degree_[variable] = static_cast<std::uint32_t>(around.size());
    fill_[variable] = (n_missing - around.size()) / 2;
}

std::vector<VariableId> MinFillGraph::neighbours(VariableId variable) const {
    std::vector<VariableId> found;
    for (std::size_t word = 0; word < n_words_; ++word)
        for (Word bits = row(variable)[word]; bits != 0; bits &= bits - 1) {
            const auto at = static_cast<std::size_t>(std::countr_zero(bits));
            found.push_back(static_cast<VariableId>(word * word_bits + at));
        }
    return found;
}

}  // namespace baytree
