#include "inference/row_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr std::size_t most_rows = 1024;
constexpr std::size_t most_rows_per_answer = 256;
constexpr std::size_t most_cells = 1 << 20;
constexpr std::size_t rows_a_tile = 16;  // whose cells are copied together

/// Workers that wait for a block. Which one a block gets does not change its result.
class WorkerPool {
public:
    explicit WorkerPool(std::function<std::unique_ptr<RowWorker>()> make)
        : make_(std::move(make)) {}

    std::unique_ptr<RowWorker> take() {
        {
            const std::scoped_lock lock(mutex_);
            if (!idle_.empty()) {
                auto worker = std::move(idle_.back());
                idle_.pop_back();
                return worker;
            }
        }
        return make_();
    }

    void give_back(std::unique_ptr<RowWorker> worker) {
        const std::scoped_lock lock(mutex_);
        idle_.push_back(std::move(worker));
    }

private:
    std::function<std::unique_ptr<RowWorker>()> make_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<RowWorker>> idle_;
};

/// Shifts where it can: the oldest processors have no quick product of several integers.
void add_term(const std::int32_t* codes, std::uint32_t stride, std::span<std::uint32_t> entries) {
    if (std::has_single_bit(stride)) {
        const int shift = std::countr_zero(stride);
        for (std::size_t row = 0; row < entries.size(); ++row)
            entries[row] += static_cast<std::uint32_t>(codes[row]) << shift;
    } else {
        for (std::size_t row = 0; row < entries.size(); ++row)
            entries[row] += static_cast<std::uint32_t>(codes[row]) * stride;
    }
}

void visit_blocks(const RowNetwork& network, const RowTable& table, std::size_t n_rows,
                  const RowQuestion& question, const BlockParts& parts, const RowLimits& limits,
                  RunControl& control, const std::function<void(RowWorker&, std::size_t)>& body) {
    if (table.codes.size() != table.n_rows * network.n_variables())
        throw std::invalid_argument("a table needs a column for every variable");
    const std::size_t n_blocks = (table.n_rows + n_rows - 1) / n_rows;
    const double max_bytes = limits.max_bytes / std::max(limits.n_threads, 1);
    WorkerPool pool([&] { return std::make_unique<RowWorker>(network, question, max_bytes); });
    std::atomic<std::size_t> n_waiting{parts.n_parts};
    const auto run_part = [&](std::size_t part) {
        --n_waiting;
        const std::size_t last = n_blocks * (part + 1) / parts.n_parts;
        std::size_t i = n_blocks * part / parts.n_parts;
        if (!parts.first_blocks.empty()) i = std::max(i, parts.first_blocks[part]);
        if (i >= last) return;
        auto worker = pool.take();
        for (; i < last && !is_over(control); ++i) {
            worker->block.load(network, table, i, n_rows, question.targets);
            body(*worker, part);
            control.add_done(worker->block.size());
        }
        // After the last part has begun, nobody takes a worker: its own thread ends it.
        if (n_waiting > 0) pool.give_back(std::move(worker));
    };
    parallel_for(parts.n_parts, limits.n_threads, control, run_part);
}

}  // namespace

void RowBlock::load(const RowNetwork& network, const RowTable& table, std::size_t number,
                    std::size_t rows_per_block, VariableSpan hidden) {
    table_ = table;
    number_ = number;
    first_ = number * rows_per_block;
    n_rows_ = std::min(rows_per_block, table.n_rows - first_);
    n_variables_ = network.n_variables();
    is_hidden_.assign(n_variables_, false);
    is_whole_.assign(n_variables_, false);
    for (const VariableId variable : hidden) is_hidden_[variable] = true;
    find_incomplete(network);
    copy_cells();
    sort_by_missing_cells();
}

void RowBlock::copy_columns(std::span<std::int32_t> codes) const {
    for (VariableId variable = 0; variable < n_variables_; ++variable)
        std::copy_n(column(variable), n_rows_, codes.data() + variable * table_.n_rows + first_);
}

void RowBlock::find_incomplete(const RowNetwork& network) {
    has_missing_.assign(n_rows_, 0);
    for (VariableId variable = 0; variable < n_variables_; ++variable) {
        if (is_hidden_[variable]) {
            std::ranges::fill(has_missing_, std::uint8_t{1});
            continue;
        }
        const std::int32_t* codes = column(variable);
        std::int32_t lowest = 0;
        std::int32_t highest = -1;
        for (std::size_t row = 0; row < n_rows_; ++row) {
            lowest = std::min(lowest, codes[row]);
            highest = std::max(highest, codes[row]);
        }
        if (lowest < -1 || highest >= static_cast<std::int64_t>(network.arity(variable)))
            throw std::invalid_argument("a code is not a state of its variable");
        is_whole_[variable] = lowest >= 0;
        if (lowest < 0)
            for (std::size_t row = 0; row < n_rows_; ++row) has_missing_[row] |= codes[row] < 0;
    }
    incomplete_.clear();
    for (std::uint32_t row = 0; row < n_rows_; ++row)
        if (has_missing_[row]) incomplete_.push_back(row);
}

void RowBlock::copy_cells() {
    cells_.resize(incomplete_.size() * n_variables_);
    missing_hashes_.assign(incomplete_.size(), 0);
    // In tiles: over all rows, every cell would bring a line into the cache that is gone again when
    // the next variable comes to it.
    for (std::size_t begin = 0; begin < incomplete_.size(); begin += rows_a_tile) {
        const std::size_t end = std::min(begin + rows_a_tile, incomplete_.size());
        for (VariableId variable = 0; variable < n_variables_; ++variable)
            copy_cells_of(variable, begin, end);
    }
}

void RowBlock::copy_cells_of(VariableId variable, std::size_t begin, std::size_t end) {
    const std::int32_t* codes = column(variable);
    const std::uint64_t word = (variable + 1) * 0x9E3779B97F4A7C15ULL;
    const std::uint64_t mark = (word ^ (word >> 29)) * (variable + 1);
    const bool is_hidden = is_hidden_[variable];
    for (std::size_t i = begin; i < end; ++i) {
        const std::int32_t code = is_hidden ? -1 : codes[incomplete_[i]];
        cells_[i * n_variables_ + variable] = code;
        missing_hashes_[i] += code < 0 ? mark : 0;
    }
}

/// Equal missing cells have equal hashes; where different ones collide, rows only cost a little
/// more.
void RowBlock::sort_by_missing_cells() {
    slot_.resize(incomplete_.size());
    std::iota(slot_.begin(), slot_.end(), 0U);
    std::ranges::sort(slot_, [&](std::uint32_t a, std::uint32_t b) {
        return missing_hashes_[a] != missing_hashes_[b] ? missing_hashes_[a] < missing_hashes_[b]
                                                        : a < b;
    });
    auto rows = incomplete_;
    for (std::size_t i = 0; i < rows.size(); ++i) incomplete_[i] = rows[slot_[i]];
}

bool RowBlock::find_entries(const RowNetwork& network, VariableId child) {
    const auto family = network.family(child);
    entries_.assign(n_rows_, 0);
    for (const FamilyTerm& term : family) add_term(column(term.variable), term.stride, entries_);
    if (std::ranges::all_of(family, [&](const auto& term) { return is_whole_[term.variable]; }))
        return false;
    has_missing_.assign(n_rows_, 0);
    for (const FamilyTerm& term : family) {
        const std::int32_t* codes = column(term.variable);
        const bool is_hidden = is_hidden_[term.variable];
        for (std::size_t row = 0; row < n_rows_; ++row)
            has_missing_[row] |= is_hidden || codes[row] < 0;
    }
    return true;
}

std::size_t rows_per_block(const RowNetwork& network) {
    return std::clamp<std::size_t>(most_cells / network.n_variables(), 16, most_rows);
}

std::size_t rows_per_answer(const RowNetwork& network) {
    return std::min(rows_per_block(network), most_rows_per_answer);
}

void for_each_block(const RowNetwork& network, const RowTable& table, const RowQuestion& question,
                    const RowLimits& limits, RunControl& control,
                    const std::function<void(RowWorker&)>& body) {
    const std::size_t n_rows = rows_per_answer(network);
    const BlockParts parts{.n_parts = (table.n_rows + n_rows - 1) / n_rows};
    visit_blocks(network, table, n_rows, question, parts, limits, control,
                 [&](RowWorker& worker, std::size_t) { body(worker); });
}

void for_each_block_in_parts(const RowNetwork& network, const RowTable& table,
                             const RowQuestion& question, const BlockParts& parts,
                             const RowLimits& limits, RunControl& control,
                             const std::function<void(RowWorker&, std::size_t)>& body) {
    visit_blocks(network, table, rows_per_block(network), question, parts, limits, control, body);
}

}  // namespace baytree
