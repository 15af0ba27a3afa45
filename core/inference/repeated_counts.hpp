#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "inference/component_tasks.hpp"
#include "inference/expected_counts.hpp"
#include "inference/row_blocks.hpp"
#include "inference/row_network.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Expected counts of one table under one structure, again and again with other probabilities. What
/// does not depend on these is found once and kept, as far as the memory for it goes.
class RepeatedCounts {
public:
    /// About so many bytes are kept. Fixed, as the rows that are kept are summed in another order.
    static constexpr std::size_t max_kept_bytes = std::size_t{1} << 28;

    /// Table and weights, as for `expected_counts`, must live on.
    RepeatedCounts(const RowTable& table, std::span<const double> weights, const RowLimits& limits,
                   std::size_t max_kept = max_kept_bytes);

    /// The same as `expected_counts`, up to rounding. All networks must have one structure and one
    /// elimination order. One call at a time.
    ExpectedCounts count(const RowNetwork& network, RunControl& control);

    /// How many components are kept, those that are alike counted once in each part.
    std::size_t n_kept() const noexcept;

private:
    /// Where the rows of a part begin that are not kept.
    struct Place {
        std::size_t block = 0;
        std::size_t row = 0;  // among those of the block that have missing cells
    };

    void prepare(const RowNetwork& network, RunControl& control);
    void keep_block(RowWorker& worker, std::size_t part, const RunControl& control);
    void count_kept(const RowNetwork& network, std::vector<ExpectedCounts>& parts,
                    RunControl& control) const;
    void count_others(const RowNetwork& network, std::vector<ExpectedCounts>& parts,
                      RunControl& control) const;
    void add_complete(const RowNetwork& network, ExpectedCounts& sums) const;
    /// Calls `visit(plan, bases, weight)` for every component of the i-th row of a block with
    /// missing cells.
    template <class Visit>
    void for_each_component(RowWorker& worker, std::size_t i, const Visit& visit) const;

    RowTable table_;
    std::span<const double> weights_;
    RowLimits limits_;
    std::size_t max_kept_;
    bool is_prepared_ = false;
    std::vector<double> complete_;       // counts of families without missing cells
    std::vector<ComponentTasks> tasks_;  // by part
    std::vector<Place> kept_until_;      // by part
};

}  // namespace baytree
