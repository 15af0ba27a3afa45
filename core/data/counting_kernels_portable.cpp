#include "data/counting_kernels_body.hpp"

namespace baytree {

namespace {

/// Adds neighbouring bit fields until one is left.
struct AddedFields {
    static std::uint64_t count(std::uint64_t word) {
        word -= (word >> 1) & 0x5555555555555555ULL;
        word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
        word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
        return (word * 0x0101010101010101ULL) >> 56;
    }
};

}  // namespace

const CountingKernels portable_counting_kernels{
    count_planes<OneWord<AddedFields>>, cell_numbers<std::uint16_t>, cell_numbers<std::uint32_t>,
    count_common<OneWord<AddedFields>>, 1.6};

}  // namespace baytree
