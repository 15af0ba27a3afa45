#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "inference/row_network.hpp"

namespace baytree {

/// The distribution of every variable without evidence, found when it is first asked for.
class PriorMarginals {
public:
    PriorMarginals(const RowNetwork& network, double max_bytes)
        : network_(&network),
          max_bytes_(max_bytes) {}

    /// Threads may ask at the same time. Throws RowsTooLarge.
    std::span<const double> of(VariableId variable);

private:
    void find_all();

    const RowNetwork* network_;
    double max_bytes_;
    std::once_flag found_;
    std::vector<std::vector<double>> marginals_;
};

}  // namespace baytree
