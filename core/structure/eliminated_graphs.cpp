#include "structure/eliminated_graphs.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace baytree {

namespace {

constexpr std::size_t word_bits = 64;

std::uint64_t bit_of(VariableId variable) { return std::uint64_t{1} << (variable % word_bits); }

}  // namespace

void BitRowGraph::reset(std::size_t n_variables) {
    n_words_ = (n_variables + word_bits - 1) / word_bits;
    bits_.assign(n_variables * n_words_, 0);
    for (VariableId variable = 0; variable < n_variables; ++variable)
        row(variable)[variable / word_bits] = bit_of(variable);
    degree_.assign(n_variables, 0);
}

void BitRowGraph::join(VariableId a, VariableId b) {
    std::uint64_t& word = row(a)[b / word_bits];
    const auto is_new = static_cast<std::uint32_t>((word & bit_of(b)) == 0);
    word |= bit_of(b);
    row(b)[a / word_bits] |= bit_of(a);
    degree_[a] += is_new;  // no branch: it would often be mispredicted
    degree_[b] += is_new;
}

void BitRowGraph::eliminate(VariableId variable, std::vector<VariableId>& neighbours) {
    neighbours.clear();
    std::uint64_t* const own = row(variable);
    own[variable / word_bits] &= ~bit_of(variable);
    for (std::size_t i = 0; i < n_words_; ++i)
        for (std::uint64_t word = own[i]; word != 0; word &= word - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(word));
            neighbours.push_back(static_cast<VariableId>(i * word_bits + bit));
        }
    for (const VariableId neighbour : neighbours) {
        row(neighbour)[variable / word_bits] &= ~bit_of(variable);
        --degree_[neighbour];
    }
    // Pairs of neighbours, or whole rows: whichever is less to look at.
    if (neighbours.size() <= 2 * n_words_)
        for (std::size_t i = 1; i < neighbours.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) join(neighbours[i], neighbours[j]);
    else
        for (const VariableId neighbour : neighbours) join_all(neighbour, own);
}

void BitRowGraph::join_all(VariableId variable, const std::uint64_t* others) {
    std::uint64_t* const own = row(variable);
    for (std::size_t i = 0; i < n_words_; ++i) {
        // Mostly there are none: quicker than to count bits without an instruction for it.
        for (std::uint64_t fresh = others[i] & ~own[i]; fresh != 0; fresh &= fresh - 1)
            ++degree_[variable];
        own[i] |= others[i];
    }
}

void NeighbourListGraph::reset(std::size_t n_variables) {
    adjacent_.resize(n_variables);
    for (auto& neighbours : adjacent_) neighbours.clear();
    degree_.assign(n_variables, 0);
    is_gone_.assign(n_variables, false);
}

void NeighbourListGraph::join(VariableId a, VariableId b) {
    if (are_joined(a, b)) return;
    adjacent_[a].push_back(b);
    adjacent_[b].push_back(a);
    ++degree_[a];
    ++degree_[b];
}

/// Looks into the shorter list. Where two hubs are met again and again, each finds the other in
/// front.
bool NeighbourListGraph::are_joined(VariableId a, VariableId b) {
    if (adjacent_[a].size() > adjacent_[b].size()) std::swap(a, b);
    auto& neighbours = adjacent_[a];
    const auto place = std::ranges::find(neighbours, b);
    if (place == neighbours.end()) return false;
    std::iter_swap(neighbours.begin(), place);
    return true;
}

void NeighbourListGraph::eliminate(VariableId variable, std::vector<VariableId>& neighbours) {
    is_gone_[variable] = true;
    neighbours.clear();
    std::ranges::copy_if(adjacent_[variable], std::back_inserter(neighbours),
                         [this](VariableId other) { return !is_gone_[other]; });
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
        --degree_[neighbours[i]];
        for (std::size_t j = 0; j < i; ++j) join(neighbours[i], neighbours[j]);
    }
}

}  // namespace baytree
