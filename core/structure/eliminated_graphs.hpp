#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

// Two graphs from which variables are eliminated one by one: those that a variable leaves behind
// become a clique. Both keep their memory between graphs.

/// As rows of bits. The faster one as long as a row is a few dozen words.
class BitRowGraph {
public:
    void reset(std::size_t n_variables);
    /// Adds an edge, unless it is there.
    void join(VariableId a, VariableId b);
    std::size_t degree(VariableId variable) const noexcept { return degree_[variable]; }
    /// Takes the variable out and writes its neighbours to `neighbours`.
    void eliminate(VariableId variable, std::vector<VariableId>& neighbours);

private:
    /// Adds the edges from a variable to those of a row of bits, at its own end.
    void join_all(VariableId variable, const std::uint64_t* others);
    std::uint64_t* row(VariableId variable) noexcept { return bits_.data() + variable * n_words_; }

    std::size_t n_words_ = 0;            // of a row
    std::vector<std::uint64_t> bits_;    // a variable is its own neighbour as long as it is there
    std::vector<std::uint32_t> degree_;  // without itself
};

/// As lists of neighbours, for graphs with many variables.
class NeighbourListGraph {
public:
    void reset(std::size_t n_variables);
    void join(VariableId a, VariableId b);
    std::size_t degree(VariableId variable) const noexcept { return degree_[variable]; }
    void eliminate(VariableId variable, std::vector<VariableId>& neighbours);

private:
    bool are_joined(VariableId a, VariableId b);

    std::vector<std::vector<VariableId>> adjacent_;  // with variables that are gone
    std::vector<std::uint32_t> degree_;              // without them
    std::vector<bool> is_gone_;
};

}  // namespace baytree
