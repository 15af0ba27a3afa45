#include "data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr std::size_t rows_a_task = 8'192;  // their digests stay in the cache
constexpr std::size_t least_rows_a_share = 4'096;

void check_shape(std::span<const std::int32_t> codes, std::size_t n_rows,
                 std::span<const std::int32_t> arities, std::span<const double> weights) {
    if (arities.empty() || n_rows == 0)
        throw std::invalid_argument("a dataset needs at least one row and one variable");
    if (n_rows > std::numeric_limits<std::uint32_t>::max() ||
        arities.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::invalid_argument("a dataset holds fewer than 2^32 rows and variables");
    if (codes.size() != n_rows * arities.size())
        throw std::invalid_argument("codes must hold n_rows values for every variable");
    if (!weights.empty() && weights.size() != n_rows)
        throw std::invalid_argument("weights must hold one value a row");
}

void check_codes(std::span<const std::int32_t> column, std::int32_t arity, std::size_t variable) {
    if (arity < 1 || static_cast<std::uint32_t>(arity) > Dataset::max_arity)
        throw std::invalid_argument("arity of variable " + std::to_string(variable) +
                                    " is not in 1..65535");
    const auto [lowest, highest] = std::ranges::minmax(column);
    if (lowest < -1 || highest >= arity)
        throw std::invalid_argument("a code of variable " + std::to_string(variable) +
                                    " is not below its arity");
}

double checked_sum(std::span<const double> weights, std::size_t n_rows) {
    if (weights.empty()) return static_cast<double>(n_rows);
    double sum = 0.0;
    for (const double weight : weights) {
        if (!std::isfinite(weight) || weight < 0.0)
            throw std::invalid_argument("weights must be finite and not negative");
        sum += weight;
    }
    if (!(sum > 0.0) || !std::isfinite(sum))
        throw std::invalid_argument("weights must have a positive, finite sum");
    return sum;
}

/// One 64-bit digest a row. Equal rows have equal digests; the caller compares rows to be sure.
std::vector<std::uint64_t> row_digests(std::span<const std::int32_t> codes, std::size_t n_rows,
                                       int n_threads) {
    std::vector<std::uint64_t> digests(n_rows, 0);
    parallel_for((n_rows + rows_a_task - 1) / rows_a_task, n_threads, [&](std::size_t task) {
        const std::size_t last = std::min((task + 1) * rows_a_task, n_rows);
        for (std::size_t begin = 0; begin < codes.size(); begin += n_rows)
            for (std::size_t row = task * rows_a_task; row < last; ++row) {
                const auto code = static_cast<std::uint64_t>(codes[begin + row]) + 1;
                const std::uint64_t mixed = (digests[row] ^ code) * 0x9E3779B97F4A7C15ULL;
                digests[row] = mixed ^ (mixed >> 29);
            }
    });
    return digests;
}

bool rows_are_equal(std::span<const std::int32_t> codes, std::size_t n_rows, std::size_t a,
                    std::size_t b) {
    for (std::size_t begin = 0; begin < codes.size(); begin += n_rows)
        if (codes[begin + a] != codes[begin + b]) return false;
    return true;
}

template <class Code>
std::vector<Code> gather(std::span<const std::int32_t> column,
                         std::span<const std::uint32_t> rows) {
    std::vector<Code> gathered(rows.size());
    // -1 becomes the largest value of the type, which is the mark of a missing cell.
    std::ranges::transform(rows, gathered.begin(),
                           [&](std::uint32_t row) { return static_cast<Code>(column[row]); });
    return gathered;
}

}  // namespace

Dataset::Dataset(std::span<const std::int32_t> codes, std::size_t n_rows,
                 std::span<const std::int32_t> arities, std::span<const double> weights,
                 int n_threads)
    : n_rows_(n_rows) {
    check_shape(codes, n_rows, arities, weights);
    parallel_for(arities.size(), n_threads, [&](std::size_t i) {
        check_codes(codes.subspan(i * n_rows, n_rows), arities[i], i);
    });
    total_weight_ = checked_sum(weights, n_rows);
    has_integer_weights_ =
        total_weight_ <= std::numeric_limits<std::uint32_t>::max() &&
        std::ranges::all_of(weights, [](double weight) { return weight == std::floor(weight); });
    const std::vector<std::uint32_t> first_rows = merge_equal_rows(codes, weights, n_threads);
    if (has_integer_weights_) integer_weights_.assign(weights_.begin(), weights_.end());
    store_codes(codes, arities, first_rows, n_threads);
}

std::vector<std::uint32_t> Dataset::merge_equal_rows(std::span<const std::int32_t> codes,
                                                     std::span<const double> weights,
                                                     int n_threads) {
    const std::vector<std::uint64_t> digests = row_digests(codes, n_rows_, n_threads);
    std::vector<double> summed(n_rows_, 0.0);  // by the first of each group of equal rows
    // Equal rows are in one share, and their weights are added in order, however many there are.
    const std::size_t n_shares = std::min(static_cast<std::size_t>(std::max(n_threads, 1)),
                                          n_rows_ / least_rows_a_share + 1);
    parallel_for(n_shares, n_threads, [&](std::size_t share) {
        std::vector<std::uint32_t> by_digest;
        by_digest.reserve(n_shares > 1 ? 0 : n_rows_);
        for (std::uint32_t row = 0; row < n_rows_; ++row)
            if ((digests[row] >> 32) % n_shares == share) by_digest.push_back(row);
        std::ranges::sort(by_digest, [&](std::uint32_t a, std::uint32_t b) {
            return digests[a] != digests[b] ? digests[a] < digests[b] : a < b;
        });
        std::vector<std::uint32_t> firsts;  // of the current run of equal digests
        for (const std::uint32_t row : by_digest) {
            const double weight = weights.empty() ? 1.0 : weights[row];
            if (weight == 0.0) continue;
            if (!firsts.empty() && digests[firsts.front()] != digests[row]) firsts.clear();
            const auto same = std::ranges::find_if(firsts, [&](std::uint32_t first) {
                return rows_are_equal(codes, n_rows_, first, row);
            });
            const bool is_new = same == firsts.end();
            summed[is_new ? row : *same] += weight;
            if (is_new) firsts.push_back(row);
        }
    });
    std::vector<std::uint32_t> first_rows;
    for (std::uint32_t row = 0; row < n_rows_; ++row)
        if (summed[row] > 0.0) {
            first_rows.push_back(row);
            weights_.push_back(summed[row]);
        }
    return first_rows;
}

void Dataset::store_codes(std::span<const std::int32_t> codes,
                          std::span<const std::int32_t> arities,
                          std::span<const std::uint32_t> rows, int n_threads) {
    codes_.resize(arities.size());
    parallel_for(arities.size(), n_threads, [&](std::size_t i) {
        const auto column = codes.subspan(i * n_rows_, n_rows_);
        VariableCodes& stored = codes_[i];
        stored.arity = static_cast<std::uint32_t>(arities[i]);
        stored.n_missing = static_cast<std::uint64_t>(std::ranges::count(column, -1));
        if (stored.is_narrow())
            stored.narrow = gather<std::uint8_t>(column, rows);
        else
            stored.wide = gather<std::uint16_t>(column, rows);
    });
}

}  // namespace baytree
