#pragma once

#include "runtime/large_vector.hpp"

namespace baytree {

/// Entries of a table. `resize` leaves new ones undefined: they are written before they are read.
using TableValues = LargeVector<double>;

}  // namespace baytree
