#include "mixtures/batches.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace baytree {

namespace {

constexpr double added_count = 0.5;  // to each state, for the logits at the start

/// The rows of a table that have a weight above zero.
std::vector<std::size_t> weighted_rows(std::span<const double> weights, std::size_t n_rows) {
    if (weights.size() != n_rows) throw std::invalid_argument("weights must be as many as rows");
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < n_rows; ++row)
        if (weights[row] > 0.0) rows.push_back(row);
    return rows;
}

RowCodes row_codes(const RowTable& table, std::span<const std::size_t> rows,
                   const std::vector<std::uint32_t>& arities) {
    RowCodes found{{}, rows.size(), arities.size()};
    if (table.codes.size() != table.n_rows * arities.size())
        throw std::invalid_argument("a table must have a column for every variable");
    found.codes.resize(rows.size() * arities.size());
    for (VariableId variable = 0; variable < arities.size(); ++variable)
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::int32_t code = table.column(variable)[rows[i]];
            if (code >= static_cast<std::int32_t>(arities[variable]))
                throw std::invalid_argument("a code is no state");
            found.codes[i * arities.size() + variable] =
                code < 0 ? RowCodes::missing : static_cast<std::uint16_t>(code);
        }
    return found;
}

}  // namespace

BatchRows::BatchRows(const RowTable& table, std::span<const double> weights,
                     const FamilyEntries& entries)
    : entries_(&entries) {
    const auto rows = weighted_rows(weights, table.n_rows);
    codes_ = row_codes(table, rows, entries.arities());
    for (const std::size_t row : rows) weights_.push_back(weights[row]);
}

void BatchRows::load(std::span<const std::size_t> rows, Batch& batch) const {
    const std::size_t n = entries_->n_variables();
    batch.entries.clear();
    batch.weights.clear();
    batch.incomplete.clear();
    batch.total_weight = 0.0;
    for (const std::size_t row : rows) {
        batch.total_weight += weights_[row];
        const std::uint16_t* codes = codes_.row(row);
        if (std::find(codes, codes + n, RowCodes::missing) != codes + n) {
            batch.incomplete.push_back(row);
            continue;
        }
        batch.entries.resize(batch.entries.size() + n);
        entries_->find(codes, batch.entries.data() + batch.entries.size() - n);
        batch.weights.push_back(weights_[row]);
    }
}

std::vector<float> BatchRows::base_logits() const {
    std::vector<double> counts(entries_->n_entries(), added_count);
    Batch batch;
    std::vector<std::size_t> rows(1);
    for (std::size_t row = 0; row < n_rows(); ++row) {
        rows[0] = row;
        load(rows, batch);
        for (const std::uint32_t entry : batch.entries) counts[entry] += weights_[row];
    }
    std::vector<float> logits;
    for (const auto& family : entries_->families())
        for (std::size_t i = 0; i < family.n_configurations; ++i) {
            const double* own = counts.data() + family.first_entry + i * family.arity;
            for (std::size_t state = 1; state < family.arity; ++state)
                logits.push_back(static_cast<float>(std::log(own[state] / own[0])));
        }
    return logits;
}

}  // namespace baytree
