#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

/// Maximal cliques of a k-tree that is being grown: one for the start and one for every variable
/// that joined after it. Where bags must stay smaller than k + 1, a bag of at most k members counts
/// as one k-clique.
class GrownBags {
public:
    GrownBags(std::size_t n_variables, std::size_t k) : k_(k), bags_with_(n_variables) {}

    void clear();
    void add_start(std::span<const VariableId> members) { add(members, nobody); }
    /// The bag of a variable and of the clique that it joins.
    void add(std::span<const VariableId> members, VariableId newcomer);

    std::size_t n_bags() const noexcept { return newcomers_.size(); }
    std::span<const VariableId> bag(std::size_t i) const noexcept {
        return {members_.data() + starts_[i], starts_[i + 1] - starts_[i]};
    }

    /// A random one of the k-cliques that hold `parents`, all of them equally probable, without
    /// these parents. Some bag must hold them; nothing if there is no bag at all.
    void draw_clique_around(VariableSpan parents, RandomStream& random,
                            std::vector<VariableId>& others);

private:
    static constexpr VariableId nobody = static_cast<VariableId>(-1);

    std::size_t n_new_cliques_with(VariableSpan parents, std::size_t i) const;
    std::size_t find_bags_with(VariableSpan parents);

    std::size_t k_;
    std::vector<VariableId> members_;
    std::vector<std::size_t> starts_{0};
    std::vector<VariableId> newcomers_;                  // by bag
    std::vector<std::size_t> n_cliques_;                 // of all bags up to each
    std::vector<std::vector<std::uint32_t>> bags_with_;  // by variable
    std::vector<std::uint32_t> holding_;                 // what is looked for
    std::vector<std::size_t> n_holding_;                 // their cliques, of all up to each
};

}  // namespace baytree
