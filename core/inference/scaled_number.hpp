#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace baytree {

/// A number that is not negative, of any magnitude: products of thousands of probabilities neither
/// vanish nor lose digits. Zero has mantissa 0.
class ScaledNumber {
public:
    ScaledNumber() = default;
    explicit ScaledNumber(double value) { *this *= value; }

    ScaledNumber& operator*=(double factor) {
        int shift = 0;
        mantissa_ = std::frexp(mantissa_ * factor, &shift);
        exponent_ += shift;
        return *this;
    }
    ScaledNumber& operator*=(const ScaledNumber& other) {
        exponent_ += other.exponent_;
        return *this *= other.mantissa_;
    }

    /// Multiplies by 2 to this power.
    void shift(std::int64_t exponent) noexcept { exponent_ += exponent; }

    bool is_zero() const noexcept { return mantissa_ == 0.0; }

    /// Natural logarithm; minus infinity for zero.
    double log() const {
        if (is_zero()) return -std::numeric_limits<double>::infinity();
        return std::log(mantissa_) + static_cast<double>(exponent_) * std::numbers::ln2;
    }

    /// The nearest double; 0 if it is too small for one.
    double value() const {
        if (exponent_ < -10'000) return 0.0;
        if (exponent_ > 10'000) return std::numeric_limits<double>::infinity();
        return std::ldexp(mantissa_, static_cast<int>(exponent_));
    }

private:
    double mantissa_ = 1.0;
    std::int64_t exponent_ = 0;
};

}  // namespace baytree
