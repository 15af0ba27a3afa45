#include <cstddef>

namespace baytree {
namespace {
constexpr std::size_t vector_floats = 16;
}
}  // namespace baytree

#include "mixtures/lane_kernels_body.hpp"

namespace baytree {

const LaneKernels avx512_lane_kernels = kernels_of_this_set;

}  // namespace baytree
