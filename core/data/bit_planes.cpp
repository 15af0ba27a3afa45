#include "data/bit_planes.hpp"

#include <limits>

#include "runtime/parallel_for.hpp"

namespace baytree {

namespace {

constexpr std::size_t bits_per_block = BitPlanes::words_per_block * 64;
constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();

/// Which distinct row every bit of a plane speaks of, and the layers that the bits form.
struct RowLayout {
    std::vector<std::uint32_t> row_at_bit;  // no_row in the padding that ends each layer
    std::vector<PlaneLayer> layers;

    void close_layer(std::size_t first_bit, unsigned shift) {
        const std::size_t n_rows = row_at_bit.size() - first_bit;
        const std::size_t n_blocks = (n_rows + bits_per_block - 1) / bits_per_block;
        row_at_bit.resize(first_bit + n_blocks * bits_per_block, no_row);
        if (n_rows > 0)
            layers.push_back(
                {first_bit / 64, n_blocks * BitPlanes::words_per_block, n_rows, shift});
    }
};

RowLayout one_bit_a_row(const Dataset& dataset) {
    RowLayout layout;
    for (std::uint32_t row = 0; row < dataset.n_distinct_rows(); ++row)
        layout.row_at_bit.insert(layout.row_at_bit.end(), dataset.integer_weights()[row], row);
    layout.close_layer(0, 0);
    return layout;
}

RowLayout one_bit_a_binary_digit(const Dataset& dataset) {
    RowLayout layout;
    std::uint32_t all_digits = 0;
    for (const std::uint32_t weight : dataset.integer_weights()) all_digits |= weight;
    for (unsigned shift = 0; (all_digits >> shift) != 0 && shift < 32; ++shift) {
        const std::size_t first_bit = layout.row_at_bit.size();
        for (std::uint32_t row = 0; row < dataset.n_distinct_rows(); ++row)
            if ((dataset.integer_weights()[row] >> shift) & 1U) layout.row_at_bit.push_back(row);
        layout.close_layer(first_bit, shift);
    }
    return layout;
}

/// Layers cost a pass of the kernel each, so they must save a good part of the bits to pay.
RowLayout cheapest_layout(const Dataset& dataset) {
    RowLayout layered = one_bit_a_binary_digit(dataset);
    const double flat_bits = dataset.total_weight() + static_cast<double>(bits_per_block);
    const auto cost_of_layers = static_cast<double>(layered.layers.size() * bits_per_block);
    if (static_cast<double>(layered.row_at_bit.size()) + cost_of_layers < flat_bits) return layered;
    return layered.layers.size() == 1 ? layered : one_bit_a_row(dataset);
}

}  // namespace

BitPlanes::BitPlanes(const Dataset& dataset, int n_threads)
    : planes_(dataset.n_variables()),
      n_state_planes_(dataset.n_variables()),
      has_planes_(dataset.n_variables()),
      has_observed_plane_(dataset.n_variables()) {
    const RowLayout layout = cheapest_layout(dataset);
    layers_ = layout.layers;
    n_blocks_ = layout.row_at_bit.size() / bits_per_block;
    for (VariableId variable = 0; variable < dataset.n_variables(); ++variable) {
        if (dataset.arity(variable) > max_arity) continue;
        has_planes_[variable] = true;
        has_observed_plane_[variable] = dataset.has_missing(variable);
        n_state_planes_[variable] = dataset.arity(variable) - 1;
    }
    parallel_for(dataset.n_variables(), n_threads, [&](std::size_t task) {
        const auto variable = static_cast<VariableId>(task);
        if (has_planes_[variable])
            planes_[variable] = planes_of(dataset.codes(variable), layout.row_at_bit);
    });
}

BitPlanes::Blocks BitPlanes::planes_of(const VariableCodes& codes,
                                       const std::vector<std::uint32_t>& row_at_bit) const {
    const std::size_t n_state_planes = codes.arity - 1;
    const bool has_missing = codes.n_missing > 0;
    Blocks blocks((n_state_planes + (has_missing ? 1 : 0)) * n_blocks_);
    const auto set_bit = [&](std::size_t plane, std::size_t bit) {
        blocks[plane * n_blocks_ + bit / bits_per_block].words[bit / 64 % words_per_block] |=
            std::uint64_t{1} << (bit % 64);
    };
    for (std::size_t bit = 0; bit < row_at_bit.size(); ++bit) {
        if (row_at_bit[bit] == no_row || codes.is_missing(row_at_bit[bit])) continue;
        const std::uint8_t code = codes.narrow[row_at_bit[bit]];
        if (code > 0) set_bit(code - 1U, bit);
        if (has_missing) set_bit(n_state_planes, bit);
    }
    return blocks;
}

}  // namespace baytree
