#include "mixtures/latent_tables.hpp"

#include <algorithm>

namespace baytree {

LatentTables::LatentTables(const FamilyEntries& entries, const Decoder& decoder,
                           const LaneKernels& kernels)
    : entries_(&entries),
      kernels_(&kernels),
      pass_(decoder, kernels),
      logarithms_(entries.n_entries() * n_lanes),
      counts_(entries.n_entries() * n_lanes),
      gradients_(entries.n_logits() * n_lanes) {}

/// Calls `visit(family, place of the entries, place of the logits)`.
template <class Visit>
void LatentTables::for_each_distribution(const Visit& visit) const {
    for (const auto& family : entries_->families())
        for (std::size_t i = 0; i < family.n_configurations; ++i)
            visit(family, (family.first_entry + i * family.arity) * n_lanes,
                  (family.first_logit + i * (family.arity - 1)) * n_lanes);
}

void LatentTables::set_points(const Decoder& decoder, std::span<const float> points) {
    const float* logits = pass_.logits(decoder, points).data();
    for_each_distribution([&](const auto& family, std::size_t entry, std::size_t logit) {
        kernels_->log_distribution(logits + logit, family.arity, logarithms_.data() + entry);
    });
}

void LatentTables::log_likelihoods(RowEntries rows, float* sums) const {
    kernels_->sum_entries(rows, logarithms_.data(), sums);
}

void LatentTables::clear_counts() { std::ranges::fill(counts_, 0.0F); }

void LatentTables::add_counts(RowEntries rows, const float* shares) {
    kernels_->add_shares(rows, shares, counts_.data());
}

void LatentTables::back_propagate(const Decoder& decoder, float scale,
                                  std::vector<float>& gradients) {
    for_each_distribution([&](const auto& family, std::size_t entry, std::size_t logit) {
        kernels_->logit_gradients(counts_.data() + entry, logarithms_.data() + entry, family.arity,
                                  scale, gradients_.data() + logit);
    });
    pass_.back_propagate(decoder, gradients_, gradients);
}

}  // namespace baytree
