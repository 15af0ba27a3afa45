#include "mixtures/lane_kernels.hpp"

namespace baytree {

const LaneKernels& lane_kernels(InstructionSet set) {
    switch (set) {
#ifdef BAYTREE_X86
        case InstructionSet::avx2:
            return avx2_lane_kernels;
        case InstructionSet::avx512:
            return avx512_lane_kernels;
#endif
        default:
            return portable_lane_kernels;
    }
}

}  // namespace baytree
