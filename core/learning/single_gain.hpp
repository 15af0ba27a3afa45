#pragma once

#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// A parent that a child could have, and what the score of the child alone gains from it.
struct SingleGain {
    VariableId parent;
    VariableId child;
    double gain;
};

/// For each child, some of its possible parents, the highest gains first.
using GainLists = std::vector<std::vector<SingleGain>>;

}  // namespace baytree
