#include "inference/table_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace baytree {

namespace {

constexpr std::size_t max_inner_runs = 1024;

/// Entries that are worked on between two looks at the clock.
constexpr std::size_t chunk = std::size_t{1} << 16;

/// Calls `kept(table, part, n)` for runs that go with neighbours, else `lacking`. Lengths of two
/// and three are constants to the compiler: small arities are the rule.
template <class Kept, class Lacking>
void over_runs(const Broadcast& plan, WorkMeter& meter, const Kept& kept, const Lacking& lacking) {
    const auto go = [&](auto n) {
        if (plan.is_run_kept())
            plan.for_each_run(meter, [&](std::size_t t, std::size_t p) { kept(t, p, n); });
        else
            plan.for_each_run(meter, [&](std::size_t t, std::size_t p) { lacking(t, p, n); });
    };
    if (plan.run() == 2)
        go(std::integral_constant<std::size_t, 2>{});
    else if (plan.run() == 3)
        go(std::integral_constant<std::size_t, 3>{});
    else if (plan.run() == 4)
        go(std::integral_constant<std::size_t, 4>{});
    else
        go(plan.run());
}

}  // namespace

void Broadcast::assign(std::span<const std::uint32_t> arities,
                       std::span<const std::uint8_t> is_kept) {
    merge_axes(arities, is_kept);
    run_ = 1;
    is_run_kept_ = false;
    if (!outer_.empty()) {
        run_ = outer_.back().size;
        is_run_kept_ = outer_.back().stride != 0;
        outer_.pop_back();
    }
    list_inner_runs();
}

/// Axes from the slowest to the fastest; neighbours that are both kept or both lacking become one
/// as long as a run is short enough to look for a wish to stop behind it.
void Broadcast::merge_axes(std::span<const std::uint32_t> arities,
                           std::span<const std::uint8_t> is_kept) {
    outer_.clear();
    table_size_ = 1;
    part_size_ = 1;
    for (std::size_t i = arities.size(); i-- > 0;) {
        const std::size_t stride = is_kept[i] != 0 ? part_size_ : 0;
        if (!outer_.empty() && (outer_.back().stride != 0) == (is_kept[i] != 0) &&
            outer_.back().size * arities[i] <= chunk)
            outer_.back().size *= arities[i];
        else
            outer_.push_back({arities[i], stride});
        table_size_ *= arities[i];
        if (is_kept[i] != 0) part_size_ *= arities[i];
    }
    std::ranges::reverse(outer_);
}

void Broadcast::list_inner_runs() {
    inner_.assign(1, 0);
    while (!outer_.empty() && inner_.size() * outer_.back().size <= max_inner_runs) {
        const std::size_t n_before = inner_.size();
        for (std::size_t digit = 1; digit < outer_.back().size; ++digit)
            for (std::size_t i = 0; i < n_before; ++i)
                inner_.push_back(inner_[i] + digit * outer_.back().stride);
        outer_.pop_back();
    }
}

std::size_t Broadcast::next(std::vector<std::uint32_t>& digits, std::size_t base) const {
    for (std::size_t i = outer_.size(); i-- > 0;) {
        base += outer_[i].stride;
        if (++digits[i] < outer_[i].size) return base;
        base -= outer_[i].stride * outer_[i].size;
        digits[i] = 0;
    }
    return base;
}

void spread(const Broadcast& plan, const double* part, double* table, WorkMeter& meter) {
    over_runs(
        plan, meter,
        [=](std::size_t t, std::size_t p, auto n) { std::copy_n(part + p, +n, table + t); },
        [=](std::size_t t, std::size_t p, auto n) { std::fill_n(table + t, +n, part[p]); });
}

void multiply(const Broadcast& plan, const double* part, double* table, WorkMeter& meter) {
    multiply_to(plan, table, part, table, meter);
}

void multiply_to(const Broadcast& plan, const double* table, const double* part, double* product,
                 WorkMeter& meter) {
    over_runs(
        plan, meter,
        [=](std::size_t t, std::size_t p, auto n) {
            for (std::size_t i = 0; i < n; ++i) product[t + i] = table[t + i] * part[p + i];
        },
        [=](std::size_t t, std::size_t p, auto n) {
            const double factor = part[p];
            for (std::size_t i = 0; i < n; ++i) product[t + i] = table[t + i] * factor;
        });
}

void sum_out(const Broadcast& plan, const double* table, double* part, WorkMeter& meter) {
    std::fill_n(part, plan.part_size(), 0.0);
    over_runs(
        plan, meter,
        [=](std::size_t t, std::size_t p, auto n) {
            for (std::size_t i = 0; i < n; ++i) part[p + i] += table[t + i];
        },
        [=](std::size_t t, std::size_t p, auto n) {
            double sum = 0.0;
            for (std::size_t i = 0; i < n; ++i) sum += table[t + i];
            part[p] += sum;
        });
}

void sum_out_first(std::span<const double> table, std::span<double> part, WorkMeter& meter) {
    const std::size_t size = part.size();
    if (size == 1) {
        // The only sum over a whole table: what is left of the last variables.
        double sum = 0.0;
        for (std::size_t begin = 0; begin < table.size(); begin += chunk) {
            const auto some = table.subspan(begin, std::min(chunk, table.size() - begin));
            sum += std::reduce(some.begin(), some.end());
            meter.add(some.size());
        }
        part[0] = sum;
        return;
    }
    for (std::size_t begin = 0; begin < size; begin += chunk) {
        const std::size_t n = std::min(chunk, size - begin);
        double* const sums = part.data() + begin;
        std::copy_n(table.data() + begin, n, sums);
        for (std::size_t r = size; r < table.size(); r += size) {
            const double* const row = table.data() + r + begin;
            for (std::size_t j = 0; j < n; ++j) sums[j] += row[j];
            meter.add(n);
        }
    }
}

void multiply_last(std::span<const double> table, std::span<const double> part,
                   std::span<double> product, WorkMeter& meter) {
    for (std::size_t r = 0; r < table.size(); r += part.size()) {
        for (std::size_t j = 0; j < part.size(); ++j) product[r + j] = table[r + j] * part[j];
        meter.add(part.size());
    }
}

void max_out_first(std::span<const double> table, std::span<double> part,
                   std::span<std::uint32_t> best, WorkMeter& meter) {
    const std::size_t size = part.size();
    std::copy_n(table.data(), size, part.data());
    std::ranges::fill(best, 0U);
    for (std::size_t r = 1; r < table.size() / size; ++r) {
        const double* const row = table.data() + r * size;
        for (std::size_t j = 0; j < size; ++j) {
            best[j] = row[j] > part[j] ? static_cast<std::uint32_t>(r) : best[j];
            part[j] = std::max(part[j], row[j]);
        }
        meter.add(size);
    }
}

void weight_axis(TableAxis axis, std::span<const double> weights, std::span<double> table,
                 WorkMeter& meter) {
    double* entry = table.data();
    double* const end = entry + table.size();
    while (entry != end) {
        for (std::size_t state = 0; state < axis.arity; ++state, entry += axis.stride)
            for (std::size_t i = 0; i < axis.stride; ++i) entry[i] *= weights[state];
        meter.add(axis.arity * axis.stride);
    }
}

void keep_state(TableAxis axis, std::size_t state, std::span<double> table, WorkMeter& meter) {
    const std::size_t n_before = state * axis.stride;
    const std::size_t n_until = n_before + axis.stride;
    const std::size_t n_all = axis.arity * axis.stride;
    for (std::size_t begin = 0; begin < table.size(); begin += n_all) {
        std::fill_n(table.data() + begin, n_before, 0.0);
        std::fill_n(table.data() + begin + n_until, n_all - n_until, 0.0);
        meter.add(n_all);
    }
}

void add_axis_sums(TableAxis axis, std::span<const double> table, std::span<double> sums,
                   WorkMeter& meter) {
    const double* entry = table.data();
    const double* const end = entry + table.size();
    while (entry != end) {
        for (std::size_t state = 0; state < axis.arity; ++state, entry += axis.stride)
            sums[state] += std::reduce(entry, entry + axis.stride);
        meter.add(axis.arity * axis.stride);
    }
}

void copy_strided(const double* table, std::span<const std::uint32_t> arities,
                  std::span<const std::size_t> strides, double* copy) {
    if (arities.empty()) {
        *copy = *table;
        return;
    }
    if (arities.size() == 1) {
        for (std::uint32_t state = 0; state < arities[0]; ++state)
            copy[state] = table[state * strides[0]];
        return;
    }
    std::size_t size = 1;
    for (std::size_t i = 1; i < arities.size(); ++i) size *= arities[i];
    for (std::uint32_t state = 0; state < arities[0]; ++state)
        copy_strided(table + state * strides[0], arities.subspan(1), strides.subspan(1),
                     copy + state * size);
}

void normalise(std::span<double> values) {
    const double sum = std::reduce(values.begin(), values.end());
    for (double& value : values) value /= sum;
}

int scale_to_one(std::span<double> values) {
    const double sum = std::reduce(values.begin(), values.end());
    int exponent = 0;
    std::frexp(sum, &exponent);
    if (sum == 0.0 || exponent == 0) return 0;
    // Two steps, for 2 to the power of a denormal's exponent is infinite.
    const double first = std::ldexp(1.0, -exponent / 2);
    const double second = std::ldexp(1.0, -exponent - (-exponent / 2));
    for (double& value : values) value = value * first * second;
    return exponent;
}

}  // namespace baytree
