#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <span>

#include "conversions.hpp"
#include "inference/row_inference.hpp"

namespace baytree {

using Weights = std::optional<Vector<double>>;

inline RowTable to_rows(const StateCodes& codes) {
    return {{codes.data(), codes.shape(0) * codes.shape(1)}, codes.shape(0)};
}

inline std::span<const double> to_weights(const Weights& weights) {
    return weights ? to_span(*weights) : std::span<const double>();
}

}  // namespace baytree
