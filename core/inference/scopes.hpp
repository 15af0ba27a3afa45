#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// Sets of variables, one after the other in one piece of memory.
class Scopes {
public:
    std::size_t size() const noexcept { return ends_.size(); }
    std::span<const VariableId> operator[](std::size_t i) const noexcept {
        return {members_.data() + begin(i), ends_[i] - begin(i)};
    }
    /// Where the members of a set begin in `members`.
    std::size_t begin(std::size_t i) const noexcept { return i == 0 ? 0 : ends_[i - 1]; }
    const std::vector<VariableId>& members() const noexcept { return members_; }

    /// Adds a member to the set that is not closed yet.
    void add_member(VariableId variable) { members_.push_back(variable); }
    void close_set() { ends_.push_back(members_.size()); }
    void add_set(std::span<const VariableId> set) {
        members_.insert(members_.end(), set.begin(), set.end());
        close_set();
    }

private:
    std::vector<VariableId> members_;
    std::vector<std::size_t> ends_;
};

}  // namespace baytree
