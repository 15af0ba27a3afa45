#pragma once

namespace baytree {

/// log of the probability that a chi-square variable exceeds `x`, accurate where the probability
/// itself is too small for a double. 0 unless `x` and `degrees` of freedom are positive.
double log_chi_square_tail(double x, double degrees);

}  // namespace baytree
