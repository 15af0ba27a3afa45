#include "inference/expected_counts.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

namespace baytree {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
constexpr std::size_t most_parts = 32;
constexpr std::size_t most_counts = 1 << 25;  // in all parts together

/// The counts of one block after the other.
class BlockCounter {
public:
    BlockCounter(const RowNetwork& network, std::span<const double> weights, RunControl& control)
        : network_(&network),
          weights_(weights),
          control_(&control) {}

    void add(RowWorker& worker, ExpectedCounts& sums) const {
        std::vector<double> weight(worker.block.size(), 1.0);
        if (!weights_.empty())
            std::ranges::copy(weights_.subspan(worker.block.first(), weight.size()),
                              weight.begin());
        std::vector<double> likelihood(weight.size());
        add_observed_likelihood(worker.block, likelihood);
        for (std::size_t i = 0; i < worker.block.n_incomplete() && !is_over(*control_); ++i) {
            const std::size_t row = worker.block.row(i);
            if (weight[row] > 0.0)
                likelihood[row] += add_row(worker, i, weight[row], likelihood[row], sums.counts);
        }
        for (std::size_t row = 0; row < weight.size(); ++row) {
            if (weight[row] > 0.0) sums.log_likelihood += weight[row] * likelihood[row];
            if (likelihood[row] == minus_infinity) weight[row] = 0.0;
        }
        add_complete(worker.block, weight, sums.counts);
    }

    void add_complete(RowBlock& block, std::span<const double> weight,
                      std::span<double> counts) const {
        for (VariableId child = 0; child < network_->n_variables(); ++child) {
            double* family = counts.data() + network_->first_entry(child);
            block.for_each_complete(*network_, child, [&](std::size_t row, std::uint32_t entry) {
                family[entry] += weight[row];
            });
        }
    }

private:
    void add_observed_likelihood(RowBlock& block, std::span<double> likelihood) const {
        for (VariableId child = 0; child < network_->n_variables(); ++child) {
            const double* logs = network_->log_table(child).data();
            block.for_each_complete(*network_, child, [&](std::size_t row, std::uint32_t entry) {
                likelihood[row] += logs[entry];
            });
        }
    }

    /// The likelihood of the missing cells of a row; its counts are added if that is above zero.
    double add_row(RowWorker& worker, std::size_t i, double weight, double observed,
                   std::span<double> counts) const {
        std::int32_t* cells = worker.block.cells(i);
        worker.components.find(cells);
        const auto plans = worker.components.plans();
        const bool is_possible = observed != minus_infinity;
        double sum = 0.0;
        if (network_->has_zeros())  // all must be possible before one is counted
            for (const auto& plan : plans)
                sum += worker.solver.solve(*plan, cells, KeptTables::mass);
        if (!is_possible || sum == minus_infinity) return sum;
        double total = 0.0;
        for (const auto& plan : plans) {
            total += worker.solver.solve(*plan, cells, KeptTables::conditional);
            if (total == minus_infinity) return total;
            worker.solver.join();
            worker.solver.add_counts(weight, counts);
        }
        return total;
    }

    const RowNetwork* network_;
    std::span<const double> weights_;
    RunControl* control_;
};

template <class Add>
ExpectedCounts count_in_parts(const RowNetwork& network, const RowTable& table,
                              std::span<const double> weights, const RowLimits& limits,
                              RunControl& control, const Add& add) {
    if (!weights.empty() && weights.size() != table.n_rows)
        throw std::invalid_argument("weights must be as many as rows");
    std::vector<ExpectedCounts> parts = empty_counts(network, table.n_rows);
    for_each_block_in_parts(network, table, {}, {.n_parts = parts.size()}, limits, control,
                            [&](RowWorker& worker, std::size_t part) { add(worker, parts[part]); });
    return summed(std::move(parts));
}

}  // namespace

std::size_t number_of_parts(const RowNetwork& network, std::size_t n_rows) {
    const std::size_t n_blocks = n_rows / rows_per_block(network) + 1;
    const std::size_t n_affordable = most_counts / network.n_entries();
    return std::min({n_blocks, most_parts, std::max<std::size_t>(n_affordable, 2)});
}

std::vector<ExpectedCounts> empty_counts(const RowNetwork& network, std::size_t n_rows) {
    std::vector<ExpectedCounts> parts(number_of_parts(network, n_rows));
    for (ExpectedCounts& part : parts) part.counts.resize(network.n_entries());
    return parts;
}

ExpectedCounts summed(std::vector<ExpectedCounts> parts) {
    ExpectedCounts sums = std::move(parts.front());
    for (std::size_t part = 1; part < parts.size(); ++part) {
        sums.log_likelihood += parts[part].log_likelihood;
        std::ranges::transform(sums.counts, parts[part].counts, sums.counts.begin(), std::plus{});
    }
    return sums;
}

ExpectedCounts expected_counts(const RowNetwork& network, const RowTable& table,
                               std::span<const double> weights, const RowLimits& limits,
                               RunControl& control) {
    const BlockCounter counter(network, weights, control);
    return count_in_parts(
        network, table, weights, limits, control,
        [&](RowWorker& worker, ExpectedCounts& part) { counter.add(worker, part); });
}

std::vector<double> complete_counts(const RowNetwork& network, const RowTable& table,
                                    std::span<const double> weights, const RowLimits& limits,
                                    RunControl& control) {
    const BlockCounter counter(network, weights, control);
    const std::vector<double> ones(rows_per_block(network), 1.0);
    const auto add = [&](RowWorker& worker, ExpectedCounts& part) {
        const auto weight =
            weights.empty() ? std::span<const double>(ones) : weights.subspan(worker.block.first());
        counter.add_complete(worker.block, weight, part.counts);
    };
    return count_in_parts(network, table, weights, limits, control, add).counts;
}

}  // namespace baytree
