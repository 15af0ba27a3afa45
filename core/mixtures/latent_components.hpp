#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "inference/expected_counts.hpp"
#include "inference/row_blocks.hpp"
#include "inference/row_network.hpp"
#include "mixtures/batches.hpp"
#include "mixtures/decoder.hpp"
#include "mixtures/family_entries.hpp"
#include "mixtures/lane_kernels.hpp"
#include "mixtures/latent_tables.hpp"
#include "runtime/run_control.hpp"
#include "structure/dag.hpp"

namespace baytree {

/// What is learned about: arities and parents without the component, and for each component a point
/// of the unit cube, one behind the other.
struct LatentMixtureShape {
    std::vector<std::uint32_t> arities;
    ParentLists parents;
    std::vector<VariableId> elimination_order;
    std::vector<double> points;
    std::size_t n_latent = 1;

    std::size_t n_components() const noexcept { return points.size() / n_latent; }
};

/// All components of a mixture, in groups of `n_lanes`. What it is made of must live on.
class LatentComponents {
public:
    LatentComponents(const LatentMixtureShape& shape, const FamilyEntries& entries,
                     const Decoder& decoder, InstructionSet instructions, int n_threads);

    /// Tables at the points, all moved in one direction around the unit cube.
    void move_points(std::span<const double> shift);

    /// Weighted log-likelihood of the complete rows of a batch. `keeps_shares` turns the sums into
    /// the weighted shares of the components in each row.
    double add_complete(const Batch& batch, bool keeps_shares);

    /// Expected counts of the incomplete rows of a batch, with their weighted log-likelihood.
    ExpectedCounts count_incomplete(const BatchRows& rows, const Batch& batch,
                                    const RowLimits& limits, const RunControl& control) const;
    double likelihood_of_incomplete(const BatchRows& rows, const Batch& batch,
                                    const RowLimits& limits, const RunControl& control) const;

    /// Gradients of the mean log-likelihood of a batch, which was added before.
    void find_gradients(const Batch& batch, const ExpectedCounts& of_incomplete,
                        std::vector<float>& sums);

    const std::vector<double>& weights() const noexcept { return weights_; }
    void set_weights(const std::vector<double>& weights) { weights_ = weights; }
    /// Moves the weights towards the shares of the components in a batch, which was added before.
    void move_weights(const Batch& batch, const ExpectedCounts& of_incomplete);

    /// Tables by variable, with the component as the last parent.
    std::vector<std::vector<double>> tables() const;

private:
    struct Group {
        LatentTables tables;
        std::vector<float> points, sums, gradients;
    };

    template <class Visit>
    void for_each_group(const Visit& visit);
    template <class Visit>
    void for_each_part(std::size_t n, std::size_t part, const Visit& visit);
    void add_log_weights(std::size_t g, std::size_t n_rows);
    double mix(std::size_t row, double weight, bool keeps_shares);
    void add_distribution(std::size_t entry, std::size_t arity, std::size_t component,
                          std::vector<double>& table) const;
    RowNetwork row_network() const;
    std::vector<std::int32_t> codes_of(const BatchRows& rows, std::span<const std::size_t> numbers,
                                       std::vector<double>* weights) const;
    void add_counts(std::size_t g, const std::vector<double>& counts);

    const LatentMixtureShape* shape_;
    const FamilyEntries* entries_;
    const Decoder* decoder_;
    const LaneKernels* kernels_;
    int n_threads_;
    std::vector<double> weights_;  // of the components
    std::vector<Group> groups_;
    std::vector<double> likelihoods_;
};

}  // namespace baytree
