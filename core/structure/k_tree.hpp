#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/variable.hpp"
#include "runtime/random_stream.hpp"

namespace baytree {

/// A chordal graph as it is built: variables join one after the other, each connected with a clique
/// of those before it. In a k-tree that clique has k members, or all if there are fewer.
struct KTree {
    std::vector<VariableId> order;
    std::vector<std::size_t> starts{0};  // of the cliques, in this order, and the end
    std::vector<VariableId> members;     // of all cliques; each clique ascending

    /// What the i-th variable of the order is connected with when it joins.
    VariableSpan clique(std::size_t i) const noexcept {
        return {members.data() + starts[i], starts[i + 1] - starts[i]};
    }
    void join(VariableId variable, VariableSpan clique);
};

/// The number of a k-tree among all on n > k labelled variables ([dandelion]): the clique that its
/// largest leaf hangs on, and a word over 0 ... k (n - k). Codes and k-trees are one to one, so a
/// random code gives each k-tree with the same probability. Where n = k + 1 all codes mean the one
/// k-tree there is.
struct DandelionCode {
    std::vector<VariableId> root;     // k variables, ascending
    std::vector<std::uint32_t> word;  // n - k - 2 letters, if so many
};

/// Throws std::invalid_argument for a code that is none of `n_variables` and `k`.
KTree decode_k_tree(std::size_t n_variables, std::size_t k, const DandelionCode& code);

/// Each k-tree with the same probability; the complete graph if there are at most k + 1 variables.
KTree random_k_tree(std::size_t n_variables, std::size_t k, RandomStream& random);

}  // namespace baytree
