#include "learning/inverted_parent_sets.hpp"

namespace baytree {

namespace {

constexpr VariableId no_child = static_cast<VariableId>(-1);

/// Calls `visit(member, child, choice)` for every member of every set, by child and then best
/// first.
template <class Visit>
void for_each_member(const ParentSetLists& sets, const Visit& visit) {
    for (VariableId child = 0; child < sets.size(); ++child)
        for (std::uint32_t choice = 0; choice < sets[child].size(); ++choice)
            for (const VariableId member : sets[child].parents(choice))
                visit(member, child, choice);
}

}  // namespace

InvertedParentSets::InvertedParentSets(const ParentSetLists& sets) : first_group_(sets.size() + 1) {
    std::vector<std::size_t> n_sets(sets.size());  // that hold a member
    std::vector<VariableId> last_child(sets.size(), no_child);
    for_each_member(sets, [&](VariableId member, VariableId child, std::uint32_t) {
        ++n_sets[member];
        if (last_child[member] != child) ++first_group_[member + 1];
        last_child[member] = child;
    });
    std::vector<std::size_t> next_set(sets.size());
    for (std::size_t member = 0, n_before = 0; member < sets.size(); ++member) {
        next_set[member] = n_before;
        n_before += n_sets[member];
        first_group_[member + 1] += first_group_[member];
    }
    std::vector<std::size_t> next_group(first_group_.begin(), first_group_.end() - 1);
    children_.resize(first_group_.back());
    starts_.resize(first_group_.back() + 1);
    choices_.resize(sets.empty() ? 0 : next_set.back() + n_sets.back());
    signatures_.resize(choices_.size());
    starts_.back() = choices_.size();
    last_child.assign(sets.size(), no_child);
    for_each_member(sets, [&](VariableId member, VariableId child, std::uint32_t choice) {
        const std::size_t position = next_set[member]++;
        if (last_child[member] != child) {
            starts_[next_group[member]] = position;
            children_[next_group[member]++] = child;
            last_child[member] = child;
        }
        choices_[position] = choice;
        for (const VariableId parent : sets[child].parents(choice))
            signatures_[position] |= signature_of(parent);
    });
}

}  // namespace baytree
