#include <cstddef>

namespace baytree {
namespace {
constexpr std::size_t vector_floats = 4;
}
}  // namespace baytree

#include "mixtures/lane_kernels_body.hpp"

namespace baytree {

const LaneKernels portable_lane_kernels = kernels_of_this_set;

}  // namespace baytree
