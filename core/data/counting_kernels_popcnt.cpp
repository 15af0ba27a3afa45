#include <immintrin.h>

#include "data/counting_kernels_body.hpp"

namespace baytree {

namespace {

struct PopcntInstruction {
    static std::uint64_t count(std::uint64_t word) {
        return static_cast<std::uint64_t>(_mm_popcnt_u64(word));
    }
};

}  // namespace

const CountingKernels popcnt_counting_kernels{
    count_planes<OneWord<PopcntInstruction>>, cell_numbers<std::uint16_t>,
    cell_numbers<std::uint32_t>, count_common<OneWord<PopcntInstruction>>, 0.62};

}  // namespace baytree
