#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/work_meter.hpp"

namespace baytree {

/// How the entries of a table go with those of a smaller one, over some of its variables in the
/// same order. The table falls into runs of equal length, each of which goes with as many
/// neighbouring entries of the smaller table, or with a single one.
class Broadcast {
public:
    Broadcast() = default;
    Broadcast(std::span<const std::uint32_t> arities, std::span<const std::uint8_t> is_kept) {
        assign(arities, is_kept);
    }

    /// `arities` of the table's variables, the last one's state changing fastest; which of them the
    /// smaller table has. Keeps its memory.
    void assign(std::span<const std::uint32_t> arities, std::span<const std::uint8_t> is_kept);

    std::size_t table_size() const noexcept { return table_size_; }
    std::size_t part_size() const noexcept { return part_size_; }

    /// Calls `visit(offset in the table, offset in the smaller one)` for every run.
    template <class Visit>
    void for_each_run(WorkMeter& meter, const Visit& visit) const {
        const std::size_t block = inner_.size() * run_;
        std::vector<std::uint32_t> digits(outer_.size());
        std::size_t base = 0;
        for (std::size_t table = 0; table < table_size_;) {
            for (const std::size_t offset : inner_) {
                visit(table, base + offset);
                table += run_;
            }
            meter.add(block);
            if (table < table_size_) base = next(digits, base);
        }
    }

    std::size_t run() const noexcept { return run_; }
    bool is_run_kept() const noexcept { return is_run_kept_; }

private:
    struct Axis {
        std::size_t size;
        std::size_t stride;  // in the smaller table; 0 if it lacks the axis
    };

    void merge_axes(std::span<const std::uint32_t> arities, std::span<const std::uint8_t> is_kept);
    void list_inner_runs();
    std::size_t next(std::vector<std::uint32_t>& digits, std::size_t base) const;

    std::vector<Axis> outer_;         // the last one fastest
    std::vector<std::size_t> inner_;  // offsets of the runs of one block
    std::size_t run_ = 1;
    std::size_t table_size_ = 1;
    std::size_t part_size_ = 1;
    bool is_run_kept_ = false;
};

/// table = part, spread over the variables that it lacks.
void spread(const Broadcast& plan, const double* part, double* table, WorkMeter& meter);
/// table *= part.
void multiply(const Broadcast& plan, const double* part, double* table, WorkMeter& meter);
/// product = table * part.
void multiply_to(const Broadcast& plan, const double* table, const double* part, double* product,
                 WorkMeter& meter);
/// part = sums of table over the variables that part lacks.
void sum_out(const Broadcast& plan, const double* table, double* part, WorkMeter& meter);

/// The last variables of a table are kept in order: part[j] = sum of table[r * size + j] over r.
void sum_out_first(std::span<const double> table, std::span<double> part, WorkMeter& meter);
/// The other way: product[r * size + j] = table[r * size + j] * part[j]. May be in place.
void multiply_last(std::span<const double> table, std::span<const double> part,
                   std::span<double> product, WorkMeter& meter);
/// As sum_out_first, with the largest entries, and the first r that has each.
void max_out_first(std::span<const double> table, std::span<double> part,
                   std::span<std::uint32_t> best, WorkMeter& meter);

/// One variable of a table, whose state changes every `stride` entries.
struct TableAxis {
    std::size_t arity;
    std::size_t stride;
};

/// table *= a weight for each state of one variable.
void weight_axis(TableAxis axis, std::span<const double> weights, std::span<double> table,
                 WorkMeter& meter);
/// table = 0 for all but one state of one variable.
void keep_state(TableAxis axis, std::size_t state, std::span<double> table, WorkMeter& meter);
/// Adds the sums of a table for each state of one variable to `sums`.
void add_axis_sums(TableAxis axis, std::span<const double> table, std::span<double> sums,
                   WorkMeter& meter);

/// Copies entries of a table at `strides`, one for each of `arities`, the last one fastest.
void copy_strided(const double* table, std::span<const std::uint32_t> arities,
                  std::span<const std::size_t> strides, double* copy);

/// Divides the values by their sum.
void normalise(std::span<double> values);

/// Multiplies the values by a power of 2 so that their sum lies in [0.5, 1); returns its exponent.
/// Zeros stay, for exponent 0.
int scale_to_one(std::span<double> values);

}  // namespace baytree
