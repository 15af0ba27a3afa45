#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/variable.hpp"
#include "inference/work_meter.hpp"

namespace baytree {

/// A graph whose variables are eliminated one by one, with the number of edges that eliminating
/// each would add. Memory: a bit for each pair of variables. Time goes to the meter.
class MinFillGraph {
public:
    /// Variables are neighbours if a scope holds both; those in no scope do not take part.
    MinFillGraph(std::size_t n_variables, const std::vector<std::vector<VariableId>>& scopes,
                 WorkMeter& meter);

    /// Bytes that a graph of so many variables takes.
    static double bytes(std::size_t n_variables) {
        return static_cast<double>(n_variables) * static_cast<double>(n_variables) / 8.0;
    }

    std::size_t n_left() const noexcept { return left_.size(); }

    /// Of the variables with at most `max_degree` neighbours the one that adds the fewest edges; if
    /// there is none, of all variables the one that adds the fewest. At least one must be left.
    VariableId next(std::size_t max_degree) const;

    /// Takes a variable out and makes the members of each scope neighbours of each other; the
    /// scopes hold neighbours of the variable only.
    void eliminate(VariableId variable, const std::vector<std::vector<VariableId>>& scopes);

private:
    using Word = std::uint64_t;

    Word* row(VariableId variable) { return adjacent_.data() + variable * n_words_; }
    const Word* row(VariableId variable) const { return adjacent_.data() + variable * n_words_; }
    bool are_adjacent(VariableId a, VariableId b) const;
    void join(VariableId a, VariableId b);
    void count_new_edge(VariableId a, VariableId b);
    void count(VariableId variable);
    std::vector<VariableId> neighbours(VariableId variable) const;

    WorkMeter& meter_;
    std::size_t n_words_;
    std::vector<Word> adjacent_;  // a row of bits a variable
    std::vector<std::uint64_t> fill_;
    std::vector<std::uint32_t> degree_;
    std::vector<VariableId> left_;  // ascending
};

}  // namespace baytree
