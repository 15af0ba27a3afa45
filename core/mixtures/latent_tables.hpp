#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mixtures/decoder.hpp"
#include "mixtures/family_entries.hpp"
#include "mixtures/lane_kernels.hpp"

namespace baytree {

/// The tables of `n_lanes` components: logarithms of their probabilities, and counts.
class LatentTables {
public:
    LatentTables(const FamilyEntries& entries, const Decoder& decoder, const LaneKernels& kernels);

    /// Tables of the components at some points, an array of lanes for each dimension.
    void set_points(const Decoder& decoder, std::span<const float> points);
    /// For each row, an array of lanes of log-likelihoods.
    void log_likelihoods(RowEntries rows, float* sums) const;

    void clear_counts();
    void add_counts(RowEntries rows, const float* shares);
    std::span<float> counts() noexcept { return counts_; }

    /// Sets `gradients` of the decoder's parameters, of `scale` times the log-likelihood of what
    /// was counted.
    void back_propagate(const Decoder& decoder, float scale, std::vector<float>& gradients);

    /// The logarithm of an entry of one component.
    float logarithm(std::size_t entry, std::size_t lane) const noexcept {
        return logarithms_[entry * n_lanes + lane];
    }

private:
    template <class Visit>
    void for_each_distribution(const Visit& visit) const;

    const FamilyEntries* entries_;
    const LaneKernels* kernels_;
    DecoderPass pass_;
    std::vector<float> logarithms_, counts_, gradients_;
};

}  // namespace baytree
