#include "data/row_sample.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "runtime/instruction_set.hpp"
#include "runtime/parallel_for.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

namespace {

constexpr std::uint32_t max_arity = 32;
constexpr double least_weight = 2.0;
constexpr double max_planes = 4096;  // their pairs take up to 160 MB

// Seconds of a triple, fitted on AVX-512; only the order of magnitude matters.
constexpr double seconds_a_triple = 1.5e-8;
constexpr double seconds_a_count = 4e-9;
constexpr double seconds_a_cell = 1e-9;

/// Rows of the dataset, one from each of equal shares of the weight.
std::vector<std::size_t> drawn_rows(const Dataset& dataset) {
    const auto n = static_cast<std::size_t>(
        std::min(std::floor(dataset.total_weight()), static_cast<double>(RowSample::max_rows)));
    RandomStream random(0, 0);  // any: the same table is to give the same rows
    std::vector<std::size_t> rows;
    double passed = 0.0;
    std::size_t row = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double place = (static_cast<double>(i) + random.uniform()) * dataset.total_weight() /
                             static_cast<double>(n);
        while (row + 1 < dataset.n_distinct_rows() && passed + dataset.weights()[row] <= place)
            passed += dataset.weights()[row++];
        rows.push_back(row);
    }
    return rows;
}

bool is_usable(const Dataset& dataset, VariableId variable) {
    const std::uint32_t arity = dataset.arity(variable);
    return arity > 1 && arity <= max_arity && !dataset.has_missing(variable);
}

}  // namespace

double RowSample::seconds_of_triples(const Dataset& dataset) noexcept {
    double n_variables = 0.0;
    double n_states = 0.0;
    for (VariableId variable = 0; variable < dataset.n_variables(); ++variable)
        if (is_usable(dataset, variable)) {
            n_variables += 1.0;
            n_states += dataset.arity(variable);
        }
    if (dataset.total_weight() < least_weight || n_states - n_variables > max_planes)
        return std::numeric_limits<double>::infinity();
    const auto triples_of = [](double n_each) { return n_each * n_each * n_each / 6.0; };
    return seconds_a_triple * triples_of(n_variables) +
           seconds_a_count * triples_of(n_states - n_variables) +
           seconds_a_cell * triples_of(n_states);
}

RowSample::RowSample(const Dataset& dataset, int n_threads)
    : kernels_(counting_kernels(best_instruction_set())),
      first_plane_{0} {
    const std::vector<std::size_t> rows = drawn_rows(dataset);
    n_rows_ = rows.size();
    for (VariableId variable = 0; variable < dataset.n_variables(); ++variable) {
        if (!is_usable(dataset, variable)) continue;
        variables_.push_back(variable);
        first_plane_.push_back(first_plane_.back() + dataset.arity(variable) - 1);
    }
    planes_.resize(first_plane_.back());
    for (std::size_t v = 0; v < variables_.size(); ++v)
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t state = dataset.codes(variables_[v]).code(rows[i]);
            if (state > 0)
                planes_[first_plane_[v] + state - 1].words[i / 64] |= std::uint64_t{1} << (i % 64);
        }
    n_log_n_.resize(n_rows_ + 1);
    for (std::size_t n = 2; n <= n_rows_; ++n)
        n_log_n_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
    count_pairs(n_threads);
}

void RowSample::count_pairs(int n_threads) {
    const std::size_t n_planes = first_plane_.back();
    common_.resize(n_planes * n_planes);
    parallel_for(n_planes, n_threads, [&](std::size_t p) {
        for (std::size_t q = 0; q < n_planes; ++q)
            common_[p * n_planes + q] =
                static_cast<std::uint16_t>(kernels_.count_common(plane(p), plane(q), n_words));
    });
    single_sums_.resize(variables_.size());
    pair_sums_.resize(variables_.size() * variables_.size());
    parallel_for(variables_.size(), n_threads, [&](std::size_t v) {
        std::vector<std::int32_t> counts;
        for (std::size_t w = 0; w < variables_.size(); ++w) {
            count_states(v, w, counts);
            pair_sums_[v * variables_.size() + w] = sum_of(counts);
        }
        single_sums_[v] = pair_sums_[v * variables_.size() + v];
    });
}

/// Rows by the states of two variables, those of `w` running fastest.
void RowSample::count_states(std::size_t v, std::size_t w,
                             std::vector<std::int32_t>& counts) const {
    const std::size_t width = n_states_beyond_first(w) + 1;
    counts.assign((n_states_beyond_first(v) + 1) * width, 0);
    counts[0] = static_cast<std::int32_t>(n_rows_);
    for (std::size_t j = 1; j < width; ++j) {
        counts[j] = size_of(first_plane_[w] + j - 1);
        counts[0] -= counts[j];
    }
    for (std::size_t i = 1; i * width < counts.size(); ++i) {
        const std::size_t p = first_plane_[v] + i - 1;
        counts[i * width] = size_of(p);
        counts[0] -= counts[i * width];
        for (std::size_t j = 1; j < width; ++j) {
            const std::int32_t n = common(p, first_plane_[w] + j - 1);
            counts[i * width + j] = n;
            counts[i * width] -= n;
            counts[j] -= n;
            counts[0] += n;
        }
    }
}

double RowSample::sum_of(const std::vector<std::int32_t>& counts) const {
    return std::transform_reduce(counts.begin(), counts.end(), 0.0, std::plus<>{},
                                 [&](std::int32_t n) { return n_log_n(n); });
}

void RowSample::Pair::set(std::size_t b, std::size_t c) {
    b_ = b;
    c_ = c;
    n_b_ = sample_.n_states_beyond_first(b);
    n_c_ = sample_.n_states_beyond_first(c);
    both_.resize(n_b_ * n_c_);
    for (std::size_t j = 0; j < n_b_; ++j)
        for (std::size_t k = 0; k < n_c_; ++k)
            for (std::size_t word = 0; word < n_words; ++word)
                both_[j * n_c_ + k].words[word] = sample_.plane(sample_.first_plane_[b] + j)[word] &
                                                  sample_.plane(sample_.first_plane_[c] + k)[word];
    sample_.count_states(b, c, counts_);
    fixed_sum_ = sample_.single_sums_[b] + sample_.single_sums_[c] - sample_.pair_sum(b, c) -
                 sample_.n_log_n(static_cast<std::int32_t>(sample_.n_rows_));
    most_surplus_ = std::min(sample_.information(b), sample_.information(c));
}

double RowSample::Pair::surplus(std::size_t a) {
    const std::size_t n_a = sample_.n_states_beyond_first(a);
    const double penalty = 0.5 * std::log(static_cast<double>(sample_.n_rows_)) *
                           static_cast<double>(n_a * n_b_ * n_c_);
    if (penalty >= std::min(most_surplus_, sample_.information(a))) return -penalty;
    rest_ = counts_;
    double sum = fixed_sum_ + sample_.single_sums_[a] - sample_.pair_sum(a, b_) -
                 sample_.pair_sum(a, c_) - penalty;
    for (std::size_t i = 0; i < n_a; ++i) sum += sum_of_state(sample_.first_plane_[a] + i);
    return sum + sample_.sum_of(rest_);
}

/// The sum of n log n over the rows in a plane, by the states of b and c; takes these rows out of
/// the rest. Counts of first states are what the others leave over.
double RowSample::Pair::sum_of_state(std::size_t plane) {
    const std::size_t width = n_c_ + 1;
    const auto take = [&](std::size_t cell, std::int32_t n) {
        rest_[cell] -= n;
        return sample_.n_log_n(n);
    };
    double sum = 0.0;
    left_.resize(width);
    left_[0] = sample_.size_of(plane);
    for (std::size_t k = 1; k < width; ++k) {
        left_[k] = sample_.common(plane, sample_.first_plane_[c_] + k - 1);
        left_[0] -= left_[k];
    }
    for (std::size_t j = 1; j <= n_b_; ++j) {
        std::int32_t left = sample_.common(plane, sample_.first_plane_[b_] + j - 1);
        for (std::size_t k = 1; k < width; ++k) {
            const auto n = static_cast<std::int32_t>(sample_.kernels_.count_common(
                sample_.plane(plane), both_[(j - 1) * n_c_ + k - 1].words, n_words));
            sum += take(j * width + k, n);
            left -= n;
            left_[k] -= n;
        }
        sum += take(j * width, left);
        left_[0] -= left;
    }
    for (std::size_t k = 0; k < width; ++k) sum += take(k, left_[k]);
    return sum;
}

}  // namespace baytree
