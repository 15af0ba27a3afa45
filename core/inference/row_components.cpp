#include "inference/row_components.hpp"

#include <algorithm>
#include <ranges>

namespace baytree {

namespace {

// Larger components hardly ever come twice.
constexpr std::size_t most_kept_members = 12;
// Bounds the memory of kept plans to some tens of megabytes.
constexpr std::size_t most_small_plans = 20'000;
constexpr std::size_t most_small_offsets = 4'000'000;

}  // namespace

std::size_t RowComponents::KeyHash::operator()(const Key& key) const noexcept {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const std::uint32_t word : key) hash = (hash ^ word) * 0x100000001B3ULL;
    return static_cast<std::size_t>(hash ^ (hash >> 29));
}

RowComponents::RowComponents(const RowNetwork& network, const RowQuestion& question,
                             double max_bytes)
    : network_(&network),
      question_(question),
      max_bytes_(max_bytes),
      is_target_(network.n_variables()),
      position_(network.n_variables()),
      is_kept_(network.n_variables()),
      is_joined_(network.n_variables()),
      above_(network.n_variables()),
      number_of_(network.n_variables()),
      planner_(network),
      lone_plans_(network.n_variables()) {
    for (const VariableId target : question.targets) is_target_[target] = true;
    const auto& order = network.topological_order();
    for (std::uint32_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
}

void RowComponents::find(const std::int32_t* cells) {
    if (has_same_missing_cells(cells)) return;
    has_row_ = false;  // until all is well
    barren_.clear();
    kept_ = missing_;
    if (question_.drops_barren) drop_barren(cells);
    join_families(cells);
    collect(cells);
    plan_all();
    has_row_ = true;
}

bool RowComponents::has_same_missing_cells(const std::int32_t* cells) {
    found_.clear();
    for (VariableId variable = 0; variable < network_->n_variables(); ++variable)
        if (cells[variable] < 0) found_.push_back(variable);
    if (has_row_ && found_ == missing_) return true;
    std::swap(found_, missing_);
    return false;
}

void RowComponents::drop_barren(const std::int32_t* cells) {
    std::ranges::sort(kept_, std::ranges::greater{}, [&](VariableId v) { return position_[v]; });
    for (const VariableId variable : kept_)
        is_kept_[variable] = is_target_[variable] ||
                             std::ranges::any_of(network_->children(variable), [&](VariableId c) {
                                 return cells[c] >= 0 || is_kept_[c];
                             });
    for (const VariableId variable : kept_ | std::views::reverse)
        if (!is_kept_[variable]) barren_.push_back(variable);
    std::erase_if(kept_, [&](VariableId variable) { return !is_kept_[variable]; });
    for (const VariableId variable : kept_) is_kept_[variable] = false;
    std::ranges::sort(kept_);
}

/// The families that count are those of kept variables and of their observed children.
void RowComponents::join_families(const std::int32_t* cells) {
    families_.clear();
    for (const VariableId variable : kept_) above_[variable] = variable;
    for (const VariableId variable : kept_) {
        join_family(variable, cells);
        for (const VariableId child : network_->children(variable))
            if (cells[child] >= 0 && !is_joined_[child]) join_family(child, cells);
    }
    for (const VariableId child : families_) is_joined_[child] = false;
}

void RowComponents::join_family(VariableId child, const std::int32_t* cells) {
    is_joined_[child] = true;
    families_.push_back(child);
    bool is_first = true;
    VariableId first = 0;
    for (const FamilyTerm& term : network_->family(child)) {
        if (cells[term.variable] >= 0) continue;
        const VariableId other = root(term.variable);
        if (is_first) first = other;
        // The lowest variable of a component is its root, so that results do not depend on order.
        const auto [low, high] = std::minmax(first, other);
        above_[high] = low;
        first = low;
        is_first = false;
    }
}

VariableId RowComponents::root(VariableId variable) {
    while (above_[variable] != variable) {
        above_[variable] = above_[above_[variable]];
        variable = above_[variable];
    }
    return variable;
}

void RowComponents::collect(const std::int32_t* cells) {
    n_components_ = 0;
    for (const VariableId variable : kept_) {  // ascending, so a root comes before its members
        const VariableId top = root(variable);
        if (top == variable) {
            number_of_[top] = static_cast<std::uint32_t>(n_components_++);
            if (components_.size() < n_components_) components_.emplace_back();
            Component& component = components_[n_components_ - 1];
            component.members.clear();
            component.families.clear();
            component.is_wanted = question_.targets.empty();
        }
        Component& component = components_[number_of_[top]];
        component.members.push_back(variable);
        if (is_target_[variable]) component.is_wanted = true;
    }
    for (const VariableId child : families_) {
        const auto family = network_->family(child);
        const auto member = std::ranges::find_if(
            family, [&](const FamilyTerm& term) { return cells[term.variable] < 0; });
        components_[number_of_[root(member->variable)]].families.push_back(child);
    }
}

void RowComponents::plan_all() {
    plans_.clear();
    if (small_plans_.size() > most_small_plans || n_small_offsets_ > most_small_offsets)
        forget_plans();
    std::size_t n_large = 0;
    for (Component& component : std::span(components_).first(n_components_)) {
        if (!component.is_wanted) continue;
        std::ranges::sort(component.members, {}, [&](VariableId v) { return network_->rank(v); });
        if (component.members.size() <= most_kept_members) {
            plans_.push_back(known_plan(component));
            continue;
        }
        if (large_plans_.size() <= n_large) large_plans_.emplace_back();
        std::shared_ptr<ComponentPlan>& plan = large_plans_[n_large++];
        if (plan.use_count() != 1) plan = std::make_shared<ComponentPlan>();  // none, or in use
        planner_.plan(component.members, component.families, max_bytes_, *plan);
        plans_.push_back(plan);
    }
}

void RowComponents::forget_plans() {
    small_plans_.clear();
    std::ranges::fill(lone_plans_, nullptr);
    n_small_offsets_ = 0;
    has_row_ = false;
}

/// Whether it is one variable whose children are all observed. Most are, where few cells are
/// missing, and the variable says all about them.
bool RowComponents::is_lone(const Component& component) const {
    return component.members.size() == 1 &&
           component.families.size() == network_->children(component.members[0]).size() + 1;
}

std::shared_ptr<const ComponentPlan> RowComponents::new_plan(const Component& component) {
    auto plan = std::make_shared<ComponentPlan>();
    planner_.plan(component.members, component.families, max_bytes_, *plan);
    n_small_offsets_ += plan->offsets.size();
    return plan;
}

std::shared_ptr<const ComponentPlan> RowComponents::known_plan(const Component& component) {
    if (is_lone(component)) {
        auto& plan = lone_plans_[component.members[0]];
        if (!plan) plan = new_plan(component);
        return plan;
    }
    key_.assign(component.members.begin(), component.members.end());
    key_.push_back(static_cast<std::uint32_t>(network_->n_variables()));
    key_.insert(key_.end(), component.families.begin(), component.families.end());
    if (const auto known = small_plans_.find(key_); known != small_plans_.end())
        return known->second;
    return small_plans_.emplace(key_, new_plan(component)).first->second;
}

}  // namespace baytree
