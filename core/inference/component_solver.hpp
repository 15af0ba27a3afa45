#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "inference/component_plan.hpp"
#include "inference/row_network.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

/// What `ComponentSolver::solve` keeps for the way back.
enum class KeptTables {
    mass,         // nothing
    conditional,  // each variable's distribution given its separator
    best,         // each variable's best state given its separator
};

/// A state drawn from a distribution; never one of probability zero.
std::int32_t drawn_state(std::span<const double> distribution, RandomStream& random);

/// Solves one component at a time, by sums or maxima, and keeps its memory between them.
class ComponentSolver {
public:
    explicit ComponentSolver(const RowNetwork& network) : network_(&network) {}
    ComponentSolver(const ComponentSolver&) = delete;  // a copy would look at the bases of this one
    ComponentSolver& operator=(const ComponentSolver&) = delete;
    ComponentSolver(ComponentSolver&&) = default;
    ComponentSolver& operator=(ComponentSolver&&) = default;

    /// Natural logarithm of the sum (`best`: the maximum) over all states of the members; minus
    /// infinity if they are all impossible. Neither underflows. The states of observed variables
    /// are read from the cells of a row, by variable. The plan must live on.
    double solve(const ComponentPlan& plan, const std::int32_t* cells, KeptTables kept);

    /// The same where the bases are known, which must live on too.
    double solve(const ComponentPlan& plan, std::span<const std::uint32_t> bases, KeptTables kept);

    /// After `best`: writes the best joint states of the members; of equals, a lower code.
    void put_best(std::int32_t* cells) const;

    /// After `conditional`: draws joint states of the members. Changes nothing here, so threads may
    /// draw from one solver.
    void draw(std::int32_t* cells, RandomStream& random) const;

    /// After `conditional`, once: turns the distributions into those of whole cliques.
    void join();

    /// After `join`: the distribution of the variable of a clique, in `marginal`.
    void marginal(const ComponentPlan::Clique& clique, std::span<double> marginal) const;

    /// After `join`: adds `weight` times the distribution of every family of the plan to its place
    /// in `counts`, which hold all tables one behind the other.
    void add_counts(double weight, std::span<double> counts) const;

private:
    template <class Numbers>
    bool eliminate(KeptTables kept);
    template <class Numbers>
    bool fill_table(const ComponentPlan::Clique& clique, double* table);
    template <class Numbers>
    bool keep_range(std::span<double> table);
    template <class Numbers>
    void reduce(const ComponentPlan::Clique& clique, double* table, KeptTables kept);

    std::size_t row_of(const ComponentPlan::Clique& clique, const std::int32_t* cells) const;

    const RowNetwork* network_;
    const ComponentPlan* plan_ = nullptr;
    std::span<const std::uint32_t> bases_;
    std::vector<std::uint32_t> found_bases_;
    double log_mass_ = 0.0;
    std::vector<double> tables_;
    std::vector<double> messages_;
    std::vector<std::uint32_t> best_;  // by row of a clique, where messages are
};

}  // namespace baytree
