#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/counting_kernels.hpp"
#include "data/dataset.hpp"
#include "data/variable.hpp"

namespace baytree {

/// At most 512 rows of a dataset, a bit each, for a quick look at all triples of variables. Rows
/// are drawn by their weights, always the same ones. Immutable once made.
class RowSample {
public:
    static constexpr std::size_t max_rows = 512;
    struct alignas(64) Plane {  // a cache line
        std::uint64_t words[max_rows / 64] = {};
    };

    /// About how many seconds all triples of a dataset take: the same number on any machine.
    /// Infinity if it is of too little weight, or its variables have too many states, for a sample.
    static double seconds_of_triples(const Dataset& dataset) noexcept;

    explicit RowSample(const Dataset& dataset, int n_threads = 1);

    /// Variables that are looked at, ascending: those that have several states, but not too many,
    /// and no missing cells.
    const std::vector<VariableId>& variables() const noexcept { return variables_; }

    /// Two variables, to be met by all others.
    class Pair {
    public:
        /// `sample` outlives the pair.
        explicit Pair(const RowSample& sample) : sample_(sample) {}

        /// `b` and `c` are places among the variables.
        void set(std::size_t b, std::size_t c);
        /// What two of the three variables tell of the third together, beyond the sum of what each
        /// tells alone, by the BIC of the sample: the same whichever is the third. Some number
        /// below zero if it cannot be positive.
        double surplus(std::size_t a);

    private:
        double sum_of_state(std::size_t plane);

        const RowSample& sample_;
        std::size_t b_ = 0, c_ = 0;
        std::size_t n_b_ = 0, n_c_ = 0;     // states beyond the first
        std::vector<Plane> both_;           // rows in a state of b and one of c
        std::vector<std::int32_t> counts_;  // of the states of b and c
        std::vector<std::int32_t> rest_, left_;
        double fixed_sum_ = 0.0;
        double most_surplus_ = 0.0;
    };

private:
    static constexpr std::size_t n_words = max_rows / 64;

    std::size_t n_states_beyond_first(std::size_t place) const noexcept {
        return first_plane_[place + 1] - first_plane_[place];
    }
    const std::uint64_t* plane(std::size_t number) const noexcept { return planes_[number].words; }
    std::int32_t common(std::size_t plane, std::size_t other) const noexcept {
        return common_[plane * first_plane_.back() + other];
    }
    std::int32_t size_of(std::size_t plane) const noexcept { return common(plane, plane); }
    double n_log_n(std::int32_t n) const noexcept { return n_log_n_[static_cast<std::size_t>(n)]; }
    double pair_sum(std::size_t v, std::size_t w) const noexcept {
        return pair_sums_[v * variables_.size() + w];
    }
    /// The most that others can tell of a variable.
    double information(std::size_t v) const noexcept { return n_log_n_.back() - single_sums_[v]; }
    double sum_of(const std::vector<std::int32_t>& counts) const;
    void count_states(std::size_t v, std::size_t w, std::vector<std::int32_t>& counts) const;
    void count_pairs(int n_threads);

    const CountingKernels& kernels_;
    std::size_t n_rows_ = 0;
    std::vector<VariableId> variables_;
    std::vector<std::size_t> first_plane_;  // of each variable, and the number of all planes
    std::vector<Plane> planes_;             // rows in each state but the first
    std::vector<std::uint16_t> common_;     // rows of each pair of planes
    std::vector<double> n_log_n_;           // of 0 ... n_rows
    std::vector<double> single_sums_;       // of n log n over the states of a variable
    std::vector<double> pair_sums_;         // and of each pair of variables
};

}  // namespace baytree
