#pragma once

#include <cstddef>

#include "learning/join_bound.hpp"
#include "runtime/run_control.hpp"

namespace baytree {

/// Weights of pairs by which bounds are lower. No k-tree weighs more than it does by these, plus
/// `constant`: where the heaviest pairs that `JoinBound` allows have a treewidth above k, one of
/// them at least must be left out, at a price (Lagrangian relaxation of such cuts).
struct RelaxedWeights {
    PairWeights weights;
    double constant = 0.0;
};

/// `to_beat` is the weight of some k-tree. Ends early when the run is over, or at `until`.
RelaxedWeights relaxed_weights(const PairWeights& weights, std::size_t k, double to_beat,
                               const RunControl& control, Clock::time_point until);

}  // namespace baytree
