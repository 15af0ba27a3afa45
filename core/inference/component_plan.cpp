#include "inference/component_plan.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace baytree {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
// Long enough for a tight inner loop, and offsets take a small share of a large table.
constexpr std::uint32_t low_part = 64;

}  // namespace

void ComponentPlan::find_bases(const std::int32_t* cells, std::vector<std::uint32_t>& bases) const {
    bases.assign(n_bases, 0);
    for (const Clique& clique : cliques)
        for (std::uint32_t i = clique.first_family; i < clique.last_family; ++i) {
            const Operand& operand = operands[i];
            for (std::uint32_t j = operand.first_term; j < operand.last_term; ++j)
                bases[operand.base_at] +=
                    static_cast<std::uint32_t>(cells[terms[j].variable]) * terms[j].stride;
        }
}

ComponentPlanner::ComponentPlanner(const RowNetwork& network)
    : network_(&network),
      place_(network.n_variables(), none),
      stride_(network.n_variables(), 0) {}

void ComponentPlanner::plan(VariableSpan members, VariableSpan families, double max_bytes,
                            ComponentPlan& made) {
    if (buckets_.size() < members.size()) buckets_.resize(members.size());
    for (std::uint32_t i = 0; i < members.size(); ++i) place_[members[i]] = i;
    sort_into_buckets(members, families);
    seen_.assign(members.size(), none);
    for (std::uint32_t i = 0; i < members.size(); ++i) find_separator(i);
    try {
        lay_out(members, max_bytes, made);
    } catch (...) {
        for (const VariableId member : members) place_[member] = none;
        throw;
    }
    for (const VariableId member : members) place_[member] = none;
}

/// A family belongs to the member that is eliminated first.
void ComponentPlanner::sort_into_buckets(VariableSpan members, VariableSpan families) {
    for (std::size_t i = 0; i < members.size(); ++i) {
        buckets_[i].families.clear();
        buckets_[i].messages.clear();
        buckets_[i].separator.clear();
    }
    for (const VariableId child : families) {
        std::uint32_t first = none;
        for (const FamilyTerm& term : network_->family(child))
            first = std::min(first, place_[term.variable]);
        assert(first != none);
        buckets_[first].families.push_back(child);
    }
}

void ComponentPlanner::find_separator(std::uint32_t place) {
    Bucket& bucket = buckets_[place];
    seen_[place] = place;
    const auto meet = [&](std::uint32_t other) {
        if (other == none || seen_[other] == place) return;
        seen_[other] = place;
        bucket.separator.push_back(other);
    };
    for (const VariableId child : bucket.families)
        for (const FamilyTerm& term : network_->family(child)) meet(place_[term.variable]);
    for (const std::uint32_t sender : bucket.messages)
        for (const std::uint32_t other : buckets_[sender].separator) meet(other);
    std::ranges::sort(bucket.separator);
    if (!bucket.separator.empty()) buckets_[bucket.separator.front()].messages.push_back(place);
}

void ComponentPlanner::lay_out(VariableSpan members, double max_bytes, ComponentPlan& made) {
    double n_tables = 0.0;
    double n_messages = 0.0;
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        double n_rows = 1.0;
        for (const std::uint32_t other : buckets_[i].separator)
            n_rows *= network_->arity(members[other]);
        n_messages += n_rows;
        n_tables += n_rows * network_->arity(members[i]);
    }
    const double n_bytes = sizeof(double) * (n_tables + n_messages);
    if (n_bytes > max_bytes || n_tables > none) throw RowsTooLarge(n_bytes, max_bytes);
    made.cliques.clear();
    made.operands.clear();
    made.terms.clear();
    made.offsets.clear();
    made.n_table_entries = 0;
    made.n_message_entries = 0;
    made.n_bases = 0;
    for (std::uint32_t i = 0; i < members.size(); ++i) add_clique(members, i, made);
}

void ComponentPlanner::add_clique(VariableSpan members, std::uint32_t place, ComponentPlan& made) {
    const Bucket& bucket = buckets_[place];
    scope_.clear();
    for (const std::uint32_t other : bucket.separator) scope_.push_back(members[other]);
    scope_.push_back(members[place]);
    ComponentPlan::Clique clique{};
    clique.variable = members[place];
    clique.arity = network_->arity(members[place]);
    clique.n_low = clique.arity;
    first_low_ = scope_.size() - 1;
    while (first_low_ > 0 && clique.n_low < low_part)
        clique.n_low *= network_->arity(scope_[--first_low_]);
    clique.n_high = 1;
    for (std::size_t i = 0; i < first_low_; ++i) clique.n_high *= network_->arity(scope_[i]);
    clique.n_rows = clique.n_high * clique.n_low / clique.arity;
    clique.first_term = static_cast<std::uint32_t>(made.terms.size());
    std::uint32_t stride = clique.n_rows;
    for (const std::uint32_t other : bucket.separator) {
        stride /= network_->arity(members[other]);
        made.terms.push_back({members[other], stride});
    }
    clique.last_term = static_cast<std::uint32_t>(made.terms.size());
    clique.first_family = static_cast<std::uint32_t>(made.operands.size());
    for (const VariableId child : bucket.families) add_family(child, made);
    clique.last_family = static_cast<std::uint32_t>(made.operands.size());
    clique.first_message = clique.last_family;
    for (const std::uint32_t sender : bucket.messages) add_message(sender, members, made);
    clique.last_message = static_cast<std::uint32_t>(made.operands.size());
    clique.table_at = made.n_table_entries;
    clique.message_at = made.n_message_entries;
    made.n_table_entries += static_cast<std::size_t>(clique.n_rows) * clique.arity;
    made.n_message_entries += clique.n_rows;
    made.cliques.push_back(clique);
}

void ComponentPlanner::add_family(VariableId child, ComponentPlan& made) {
    ComponentPlan::Operand operand{};
    operand.source = child;
    operand.base_at = made.n_bases++;
    operand.first_term = static_cast<std::uint32_t>(made.terms.size());
    for (const FamilyTerm& term : network_->family(child)) {
        if (place_[term.variable] == none)
            made.terms.push_back(term);
        else
            stride_[term.variable] = term.stride;
    }
    operand.last_term = static_cast<std::uint32_t>(made.terms.size());
    add_offsets(made, operand);
}

void ComponentPlanner::add_message(std::uint32_t sender, VariableSpan members,
                                   ComponentPlan& made) {
    ComponentPlan::Operand operand{};
    operand.source = sender;
    std::uint32_t stride = made.cliques[sender].n_rows;
    for (const std::uint32_t other : buckets_[sender].separator) {
        stride /= network_->arity(members[other]);
        stride_[members[other]] = stride;
    }
    add_offsets(made, operand);
}

void ComponentPlanner::add_offsets(ComponentPlan& made, ComponentPlan::Operand& operand) {
    operand.high_at = static_cast<std::uint32_t>(made.offsets.size());
    append_part(0, first_low_, made);
    operand.low_at = static_cast<std::uint32_t>(made.offsets.size());
    append_part(first_low_, scope_.size(), made);
    made.operands.push_back(operand);
    for (const VariableId variable : scope_) stride_[variable] = 0;
}

/// The offsets of all joint states of a part of the scope, the last variable's changing fastest.
void ComponentPlanner::append_part(std::size_t begin, std::size_t end, ComponentPlan& made) {
    auto& offsets = made.offsets;
    const std::size_t first = offsets.size();
    offsets.push_back(0);
    std::size_t n_joint = 1;
    // From the last variable to the first, so that what is there is repeated behind itself.
    for (std::size_t i = end; i-- > begin;) {
        const std::uint32_t arity = network_->arity(scope_[i]);
        offsets.resize(first + n_joint * arity);
        for (std::uint32_t state = 1; state < arity; ++state)
            for (std::size_t j = 0; j < n_joint; ++j)
                offsets[first + state * n_joint + j] =
                    offsets[first + j] + state * stride_[scope_[i]];
        n_joint *= arity;
    }
}

}  // namespace baytree
