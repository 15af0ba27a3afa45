#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/variable.hpp"
#include "runtime/random_stream.hpp"
#include "structure/ordered_dag.hpp"

namespace baytree {

/// A Markov chain over the connected DAGs in which no variable has more than `max_degree` parents
/// and children together ([ide-cozman]). Its stationary distribution is uniform over them.
class RandomDag {
public:
    /// Starts from a path in random order. Throws std::invalid_argument if `max_degree` allows
    /// none.
    RandomDag(std::size_t n_variables, std::size_t max_degree, std::uint64_t seed);

    /// A step draws two variables and removes the arc from the first to the second, or adds it
    /// where there is none. It changes nothing where that would break a condition.
    void run(std::uint64_t n_steps);

    const OrderedDag& dag() const noexcept { return dag_; }

private:
    std::uint64_t n_pairs() const noexcept;
    std::uint64_t n_promising() const noexcept;
    std::uint64_t idle_steps();
    void step();
    void promising_step();
    void add(VariableId parent, VariableId child);
    void remove(std::size_t arc);
    void count_end(VariableId variable);
    void uncount_end(VariableId variable);
    bool is_bridge(VariableId a, VariableId b);
    bool has_path(VariableId from, VariableId to);
    template <class StepsFromA, class StepsFromB>
    bool do_meet(VariableId a, VariableId b, const StepsFromA& steps_from_a,
                 const StepsFromB& steps_from_b);

    std::size_t max_degree_;
    RandomStream random_;
    OrderedDag dag_;
    std::vector<std::pair<VariableId, VariableId>> arcs_;  // parent, child; in no order
    std::vector<std::size_t> degree_;
    std::vector<VariableId> open_;            // those of less than the largest degree
    std::vector<std::size_t> place_in_open_;  // valid for those in `open_`

    // Scratch of `do_meet`: from which end a variable was reached, 0 if from none.
    std::vector<std::uint8_t> side_;
    std::pair<std::vector<VariableId>, std::vector<VariableId>> reached_;
};

}  // namespace baytree
