#include <cstddef>

namespace baytree {
namespace {
constexpr std::size_t vector_floats = 8;
}
}  // namespace baytree

#include "mixtures/lane_kernels_body.hpp"

namespace baytree {

const LaneKernels avx2_lane_kernels = kernels_of_this_set;

}  // namespace baytree
