#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "inference/row_blocks.hpp"
#include "inference/row_network.hpp"
#include "inference/tabular_network.hpp"
#include "runtime/run_control.hpp"
#include "structure/dag.hpp"

namespace baytree {

struct EstimationOptions {
    /// Rows that the prior is worth: each entry of a table counts an equal share of it more. Zero
    /// for maximum likelihood.
    double equivalent_sample_size = 1.0;
    std::size_t max_iterations = 100;
    /// EM ends when an iteration gains less than this, in nats for each row.
    double tolerance = 1e-5;
    /// Whether EM is to say how likely its last tables make the rows. That is one look more at what
    /// it has at hand, and would take several times as long elsewhere.
    bool evaluates_last = false;
    RowLimits limits;
};

struct EstimatedNetwork {
    TabularNetwork network;
    /// Exact log-likelihood plus log prior before each iteration of EM; empty for tables without
    /// missing cells, where counts are the answer.
    std::vector<double> objectives;
    bool has_converged = true;
    /// Of the rows by these tables, if EM was to say it and not stopped before.
    std::optional<double> log_likelihood{};
};

/// Tables from counts, which lie one behind the other. A distribution that nothing was counted for,
/// with no prior either, is that of the child over all its counts, or else uniform.
std::vector<std::vector<double>> tables_from_counts(const RowNetwork& structure,
                                                    std::span<const double> counts,
                                                    double equivalent_sample_size);

/// Log density, up to a constant, of the prior that `tables_from_counts` has.
double log_prior(const RowNetwork& network, double equivalent_sample_size);

/// The tables of a structure, from counts or, where cells are missing, by EM with exact expected
/// counts, which never lowers the log-likelihood plus log prior. `weights` is empty or has a number
/// for each row. EM starts from the tables of `initial` (same structure), if that is given, else
/// from the rows where whole families are observed. After a stop request, the tables of the last
/// whole iteration. Throws RowsTooLarge where a row would take more memory than the limits allow.
EstimatedNetwork estimate_network(const std::vector<std::uint32_t>& arities,
                                  const ParentLists& parents,
                                  std::span<const VariableId> elimination_order,
                                  const RowTable& table, std::span<const double> weights,
                                  const EstimationOptions& options, RunControl& control,
                                  const TabularNetwork* initial = nullptr);

}  // namespace baytree
