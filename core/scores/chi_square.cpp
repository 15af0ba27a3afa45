#include "scores/chi_square.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scores/log_gamma.hpp"

namespace baytree {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double tiny = 1e-300;  // stands for 0 in denominators of the continued fraction
constexpr double min_stirling_shape = 50.0;  // the error of the series is below 1e-15 from here

/// log of z^a e^-z / gamma(a).
double log_density_factor(double a, double z) {
    if (a < min_stirling_shape) return a * std::log(z) - z - log_gamma(a);
    // The large terms, which nearly cancel, are taken out of Stirling's series.
    const double excess = (z - a) / a;
    const double series = (1.0 / 12 - (1.0 / 360 - 1.0 / (1260 * a * a)) / (a * a)) / a;
    return a * (std::log1p(excess) - excess) + std::log(a / (2 * std::numbers::pi)) / 2 - series;
}

/// The lower incomplete gamma function divided by z^a e^-z, by its power series.
double lower_series(double a, double z) {
    double term = 1.0 / a;
    double sum = term;
    for (double divisor = a + 1.0; term > sum * epsilon; ++divisor) {
        term *= z / divisor;
        sum += term;
    }
    return sum;
}

/// The upper incomplete gamma function divided by z^a e^-z, by Lentz's continued fraction.
double upper_fraction(double a, double z) {
    double b = z + 1.0 - a;
    double c = 1.0 / tiny;
    double d = 1.0 / b;
    double value = d;
    for (double i = 1.0;; ++i) {
        const double numerator = -i * (i - a);
        b += 2.0;
        d = numerator * d + b;
        d = 1.0 / (std::abs(d) < tiny ? tiny : d);
        c = b + numerator / c;
        c = std::abs(c) < tiny ? tiny : c;
        value *= c * d;
        if (std::abs(c * d - 1.0) <= epsilon) return value;
    }
}

}  // namespace

double log_chi_square_tail(double x, double degrees) {
    if (!(x > 0.0 && degrees > 0.0)) return 0.0;
    const double a = degrees / 2;
    const double z = x / 2;
    const double log_factor = log_density_factor(a, z);
    if (z >= a + 1.0) return log_factor + std::log(upper_fraction(a, z));
    const double lower = std::exp(log_factor + std::log(lower_series(a, z)));
    return std::log1p(-std::min(lower, 1.0));
}

}  // namespace baytree
