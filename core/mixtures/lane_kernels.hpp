#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/instruction_set.hpp"

namespace baytree {

/// Components of a mixture that are computed side by side: every value of a decoder or a table is
/// an array of so many floats, one for each component.
inline constexpr std::size_t n_lanes = 32;

/// One layer of a decoder: `weights[i * n_in + j]` leads from input j to output i.
struct LayerShape {
    std::size_t n_in, n_out;
};

/// Entries of the tables of all components that belong to some rows: `n_families` a row.
struct RowEntries {
    const std::uint32_t* entries;
    std::size_t n_rows, n_families;
};

/// The inner loops of learning a mixture, compiled once per instruction set. Sums over lanes are
/// added in one order, so that all sets give the same bits.
struct LaneKernels {
    /// out = bias + weights * in.
    void (*apply)(LayerShape shape, const float* weights, const float* bias, const float* in,
                  float* out);
    /// in = transposed weights * out: gradients on their way back.
    void (*apply_transposed)(LayerShape shape, const float* weights, const float* out, float* in);
    /// weights += out * transposed in, bias += out, each summed over the lanes. Of the inputs, each
    /// lane's values follow each other.
    void (*add_products)(LayerShape shape, const float* out, const float* lanes_in, float* weights,
                         float* bias);
    /// Of n arrays of lanes, numbers below zero are multiplied by `leaky_slope`.
    void (*rectify)(float* values, std::size_t n);
    /// Gradients in front of `rectify`, where `values` are those behind it.
    void (*rectify_gradients)(const float* values, float* gradients, std::size_t n);
    /// Logarithms of a distribution of `arity` states, from the logits of all but the first, whose
    /// logit is zero.
    void (*log_distribution)(const float* logits, std::size_t arity, float* logarithms);
    /// Gradients of the logits, from expected counts of `arity` states.
    void (*logit_gradients)(const float* counts, const float* logarithms, std::size_t arity,
                            float scale, float* gradients);
    /// sums[row] = the sum of table[entry] over the entries of the row.
    void (*sum_entries)(RowEntries rows, const float* table, float* sums);
    /// table[entry] += shares[row] for the entries of every row.
    void (*add_shares)(RowEntries rows, const float* shares, float* table);
    /// values = exp(values - subtracted), zero where that is hardly more; returns their sum over
    /// the lanes.
    float (*exponentials)(float* values, float subtracted);
    /// The largest of the lanes.
    float (*largest)(const float* values);
};

inline constexpr float leaky_slope = 0.1F;

const LaneKernels& lane_kernels(InstructionSet set = best_instruction_set());

// One per source file lane_kernels_*.cpp; those beyond the first exist on x86-64 only.
extern const LaneKernels portable_lane_kernels;
extern const LaneKernels avx2_lane_kernels;
extern const LaneKernels avx512_lane_kernels;

}  // namespace baytree
