#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

/// Cliques of a k-tree that is being grown: one for the start and one for every variable that
/// joined after it.
class GrownBags {
public:
    explicit GrownBags(std::size_t n_variables) : bags_with_(n_variables) {}

    void clear();
    void add(std::span<const VariableId> members);

    /// A random one of the bags that hold `parents`, of which there must be one; empty if there is
    /// no bag at all. Valid until the next bag is added.
    std::span<const VariableId> random_bag_with(VariableSpan parents, RandomStream& random);

private:
    std::size_t n_bags() const noexcept { return starts_.size() - 1; }
    std::span<const VariableId> bag(std::size_t i) const noexcept {
        return {members_.data() + starts_[i], starts_[i + 1] - starts_[i]};
    }

    std::vector<VariableId> members_;
    std::vector<std::size_t> starts_{0};
    std::vector<std::vector<std::uint32_t>> bags_with_;  // by variable
    std::vector<std::uint32_t> holding_;                 // what is looked for
};

}  // namespace baytree
