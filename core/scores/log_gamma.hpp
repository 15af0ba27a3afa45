#pragma once

#include <cmath>

namespace baytree {

/// log of the gamma function of a positive number. Threads may call it.
inline double log_gamma(double x) {
#if defined(__GLIBC__) || defined(__APPLE__)
    int sign = 0;  // std::lgamma writes the sign to a global, which threads must not share
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

}  // namespace baytree
