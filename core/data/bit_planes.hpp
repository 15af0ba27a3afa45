#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/dataset.hpp"

namespace baytree {

/// A run of words in every plane whose rows all have the weight 2^shift.
struct PlaneLayer {
    std::size_t first_word;
    std::size_t n_words;  // a multiple of BitPlanes::words_per_block
    std::size_t n_rows;
    unsigned shift;
};

/// One bit a row and state. State 0 has no plane (it is what the others leave over), and variables
/// with missing cells have one for "observed". Whole-number weights are served by layers: a row of
/// weight w stands once in the layer of each binary digit of w, so that the weighted count is a sum
/// of shifted popcounts over at most as many bits as there are rows.
class BitPlanes {
public:
    static constexpr std::size_t words_per_block = 8;  // 512 bits: no kernel needs a tail loop
    static constexpr std::uint32_t max_arity = 32;     // beyond it row-wise counting always wins

    /// `dataset` must have integer weights.
    explicit BitPlanes(const Dataset& dataset, int n_threads = 1);

    bool has(VariableId variable) const noexcept { return has_planes_[variable]; }

    /// Words of the plane of `state` (1 .. arity - 1).
    const std::uint64_t* state_plane(VariableId variable, std::uint32_t state) const noexcept {
        return plane(variable, state - 1);
    }

    /// Words of the plane of observed cells; null where nothing is missing.
    const std::uint64_t* observed_plane(VariableId variable) const noexcept {
        return has_observed_plane_[variable] ? plane(variable, n_state_planes_[variable]) : nullptr;
    }

    const std::vector<PlaneLayer>& layers() const noexcept { return layers_; }

    /// Length of every plane.
    std::size_t n_words() const noexcept { return n_blocks_ * words_per_block; }

private:
    struct alignas(64) Block {  // a cache line, so that no vector load straddles two
        std::uint64_t words[words_per_block] = {};
    };
    using Blocks = std::vector<Block>;

    Blocks planes_of(const VariableCodes& codes,
                     const std::vector<std::uint32_t>& row_at_bit) const;
    const std::uint64_t* plane(VariableId variable, std::size_t number) const noexcept {
        return planes_[variable][number * n_blocks_].words;
    }

    std::size_t n_blocks_ = 0;
    std::vector<PlaneLayer> layers_;
    std::vector<Blocks> planes_;
    std::vector<std::uint32_t> n_state_planes_;
    std::vector<bool> has_planes_;
    std::vector<bool> has_observed_plane_;
};

}  // namespace baytree
