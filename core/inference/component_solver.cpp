#include "inference/component_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace baytree {

namespace {

using Clique = ComponentPlan::Clique;
using Operand = ComponentPlan::Operand;

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
// Tables are multiplied by a factor when their largest entry is small, and given up for logarithms
// when it is so small that entries beside it may have lost digits.
constexpr double small = 1e-20;
constexpr double tiny = 1e-200;
// A table of a few factors is looked at once in so many of them.
constexpr std::uint32_t factors_between_looks = 8;

/// Probabilities as they are: fast, and enough for nearly all components.
struct PlainNumbers {
    static constexpr bool are_logarithms = false;
    static std::span<const double> table(const RowNetwork& network, VariableId variable) {
        return network.table(variable);
    }
    static double product(double a, double b) { return a * b; }
};

/// Natural logarithms, for what is out of range otherwise.
struct Logarithms {
    static constexpr bool are_logarithms = true;
    static std::span<const double> table(const RowNetwork& network, VariableId variable) {
        return network.log_table(variable);
    }
    static double product(double a, double b) { return a + b; }
};

/// Calls `visit(entry of the clique, entry of the operand)` for all entries.
template <class Visit>
inline void for_each_entry(const ComponentPlan& plan, const Clique& clique, const Operand& operand,
                           const Visit& visit) {
    const std::uint32_t* high = plan.offsets.data() + operand.high_at;
    const std::uint32_t* low = plan.offsets.data() + operand.low_at;
    std::size_t entry = 0;
    for (std::uint32_t i = 0; i < clique.n_high; ++i)
        for (std::uint32_t j = 0; j < clique.n_low; ++j) visit(entry++, high[i] + low[j]);
}

std::size_t n_entries(const Clique& clique) {
    return static_cast<std::size_t>(clique.n_rows) * clique.arity;
}

double sum_of_logarithms(const double* first, std::size_t n, double largest) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(first[i] - largest);
    return largest + std::log(sum);
}

}  // namespace

double ComponentSolver::solve(const ComponentPlan& plan, const std::int32_t* cells,
                              KeptTables kept) {
    plan.find_bases(cells, found_bases_);
    return solve(plan, found_bases_, kept);
}

double ComponentSolver::solve(const ComponentPlan& plan, std::span<const std::uint32_t> bases,
                              KeptTables kept) {
    plan_ = &plan;
    bases_ = bases;
    if (tables_.size() < plan.n_table_entries) tables_.resize(plan.n_table_entries);
    if (messages_.size() < plan.n_message_entries) messages_.resize(plan.n_message_entries);
    if (kept == KeptTables::best && best_.size() < plan.n_message_entries)
        best_.resize(plan.n_message_entries);
    if (!eliminate<PlainNumbers>(kept)) eliminate<Logarithms>(kept);
    return log_mass_;
}

/// Whether it worked; plain numbers may be out of range.
template <class Numbers>
bool ComponentSolver::eliminate(KeptTables kept) {
    log_mass_ = 0.0;
    for (const Clique& clique : plan_->cliques) {
        double* table = tables_.data() + clique.table_at;
        if (!fill_table<Numbers>(clique, table)) return false;
        reduce<Numbers>(clique, table, kept);
        const double* message = messages_.data() + clique.message_at;
        if (clique.first_term == clique.last_term)  // nothing is left: a factor of the result
            log_mass_ += Numbers::are_logarithms ? message[0] : std::log(message[0]);
    }
    return true;
}

template <class Numbers>
bool ComponentSolver::fill_table(const Clique& clique, double* table) {
    std::uint32_t n_factors = 0;
    const auto multiply = [&](const Operand& operand, const double* source) {
        if (n_factors++ == 0)
            for_each_entry(*plan_, clique, operand,
                           [&](std::size_t i, std::size_t j) { table[i] = source[j]; });
        else
            for_each_entry(*plan_, clique, operand, [&](std::size_t i, std::size_t j) {
                table[i] = Numbers::product(table[i], source[j]);
            });
        return n_factors % factors_between_looks != 0 ||
               keep_range<Numbers>({table, n_entries(clique)});
    };
    for (std::uint32_t i = clique.first_family; i < clique.last_family; ++i) {
        const Operand& operand = plan_->operands[i];
        const auto source = Numbers::table(*network_, operand.source);
        if (!multiply(operand, source.data() + bases_[operand.base_at])) return false;
    }
    for (std::uint32_t i = clique.first_message; i < clique.last_message; ++i) {
        const Operand& operand = plan_->operands[i];
        const Clique& sender = plan_->cliques[operand.source];
        if (!multiply(operand, messages_.data() + sender.message_at)) return false;
    }
    return keep_range<Numbers>({table, n_entries(clique)});
}

/// Keeps the largest entry away from zero; false where digits may be lost.
template <class Numbers>
bool ComponentSolver::keep_range(std::span<double> table) {
    if constexpr (Numbers::are_logarithms) return true;
    double largest = 0.0;
    for (const double entry : table) largest = std::max(largest, entry);
    if (largest >= small) return true;
    if (largest < tiny) return false;
    for (double& entry : table) entry /= largest;
    log_mass_ += std::log(largest);
    return true;
}

template <class Numbers>
void ComponentSolver::reduce(const Clique& clique, double* table, KeptTables kept) {
    double* message = messages_.data() + clique.message_at;
    const std::uint32_t arity = clique.arity;
    for (std::uint32_t row = 0; row < clique.n_rows; ++row) {
        double* entries = table + static_cast<std::size_t>(row) * arity;
        if (kept == KeptTables::best) {
            const auto* best = std::max_element(entries, entries + arity);
            best_[clique.message_at + row] = static_cast<std::uint32_t>(best - entries);
            message[row] = *best;
            continue;
        }
        double sum = 0.0;
        if constexpr (Numbers::are_logarithms) {
            const double largest = *std::max_element(entries, entries + arity);
            sum = largest == minus_infinity ? largest : sum_of_logarithms(entries, arity, largest);
        } else {
            for (std::uint32_t i = 0; i < arity; ++i) sum += entries[i];
        }
        message[row] = sum;
        if (kept == KeptTables::mass) continue;
        if (sum == (Numbers::are_logarithms ? minus_infinity : 0.0)) {
            std::fill_n(entries, arity, 0.0);
        } else {
            for (std::uint32_t i = 0; i < arity; ++i)
                entries[i] =
                    Numbers::are_logarithms ? std::exp(entries[i] - sum) : entries[i] / sum;
        }
    }
}

void ComponentSolver::put_best(std::int32_t* cells) const {
    for (auto clique = plan_->cliques.rbegin(); clique != plan_->cliques.rend(); ++clique)
        cells[clique->variable] =
            static_cast<std::int32_t>(best_[clique->message_at + row_of(*clique, cells)]);
}

void ComponentSolver::draw(std::int32_t* cells, RandomStream& random) const {
    for (auto clique = plan_->cliques.rbegin(); clique != plan_->cliques.rend(); ++clique) {
        const double* entries =
            tables_.data() + clique->table_at + row_of(*clique, cells) * clique->arity;
        cells[clique->variable] = drawn_state({entries, clique->arity}, random);
    }
}

void ComponentSolver::join() {
    for (std::size_t i = plan_->cliques.size(); i-- > 0;) {
        const Clique& clique = plan_->cliques[i];
        double* table = tables_.data() + clique.table_at;
        if (clique.first_term != clique.last_term) {  // its row weights came from a later clique
            const double* weights = messages_.data() + clique.message_at;
            for (std::uint32_t row = 0; row < clique.n_rows; ++row)
                for (std::uint32_t j = 0; j < clique.arity; ++j) *table++ *= weights[row];
            table = tables_.data() + clique.table_at;
        }
        for (std::uint32_t k = clique.first_message; k < clique.last_message; ++k) {
            const Operand& operand = plan_->operands[k];
            const Clique& sender = plan_->cliques[operand.source];
            double* weights = messages_.data() + sender.message_at;
            std::fill_n(weights, sender.n_rows, 0.0);
            for_each_entry(*plan_, clique, operand,
                           [&](std::size_t from, std::size_t to) { weights[to] += table[from]; });
        }
    }
}

void ComponentSolver::marginal(const Clique& clique, std::span<double> marginal) const {
    std::ranges::fill(marginal, 0.0);
    const double* entry = tables_.data() + clique.table_at;
    for (std::uint32_t row = 0; row < clique.n_rows; ++row)
        for (double& probability : marginal) probability += *entry++;
}

void ComponentSolver::add_counts(double weight, std::span<double> counts) const {
    for (const Clique& clique : plan_->cliques) {
        const double* table = tables_.data() + clique.table_at;
        for (std::uint32_t i = clique.first_family; i < clique.last_family; ++i) {
            const Operand& operand = plan_->operands[i];
            double* family =
                counts.data() + network_->first_entry(operand.source) + bases_[operand.base_at];
            for_each_entry(*plan_, clique, operand, [&](std::size_t from, std::size_t to) {
                family[to] += weight * table[from];
            });
        }
    }
}

std::size_t ComponentSolver::row_of(const Clique& clique, const std::int32_t* cells) const {
    std::size_t row = 0;
    for (std::uint32_t i = clique.first_term; i < clique.last_term; ++i) {
        const FamilyTerm& term = plan_->terms[i];
        row += static_cast<std::size_t>(cells[term.variable]) * term.stride;
    }
    return row;
}

std::int32_t drawn_state(std::span<const double> distribution, RandomStream& random) {
    double left = random.uniform();
    std::size_t last = 0;  // rounding may leave a rest: the last possible state takes it
    for (std::size_t state = 0; state < distribution.size(); ++state) {
        if (distribution[state] <= 0.0) continue;
        last = state;
        left -= distribution[state];
        if (left < 0.0) break;
    }
    return static_cast<std::int32_t>(last);
}

}  // namespace baytree
