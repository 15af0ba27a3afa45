#include "data/counting_kernels.hpp"

namespace baytree {

const CountingKernels& counting_kernels(InstructionSet set) {
    switch (set) {
#ifdef BAYTREE_X86
        case InstructionSet::popcnt:
            return popcnt_counting_kernels;
        case InstructionSet::avx2:
            return avx2_counting_kernels;
        case InstructionSet::avx512:
            return avx512_counting_kernels;
#endif
        default:
            return portable_counting_kernels;
    }
}

}  // namespace baytree
