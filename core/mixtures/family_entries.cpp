#include "mixtures/family_entries.hpp"

#include <stdexcept>
#include <utility>

namespace baytree {

FamilyEntries::FamilyEntries(std::vector<std::uint32_t> arities, ParentLists parents)
    : arities_(std::move(arities)),
      parents_(std::move(parents)) {
    constexpr std::size_t most = std::size_t{1} << 31;
    for (VariableId child = 0; child < parents_.size(); ++child) {
        std::size_t n_configurations = 1;
        for (const VariableId parent : parents_[child]) {
            n_configurations *= arities_[parent];
            if (n_configurations >= most) throw std::invalid_argument("a table is too large");
        }
        const std::uint32_t arity = arities_[child];
        families_.push_back({child, arity, static_cast<std::uint32_t>(n_configurations),
                             static_cast<std::uint32_t>(n_entries_),
                             static_cast<std::uint32_t>(n_logits_)});
        n_entries_ += n_configurations * arity;
        n_logits_ += n_configurations * (arity - 1);
        if (n_entries_ >= most) throw std::invalid_argument("the tables are too large");
    }
}

void FamilyEntries::find(const std::uint16_t* codes, std::uint32_t* entries) const {
    for (const Family& family : families_) {
        std::uint32_t configuration = 0;
        for (const VariableId parent : parents_[family.child])
            configuration = configuration * arities_[parent] + codes[parent];
        entries[family.child] =
            family.first_entry + configuration * family.arity + codes[family.child];
    }
}

}  // namespace baytree
