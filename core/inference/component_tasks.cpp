#include "inference/component_tasks.hpp"

#include <algorithm>

namespace baytree {

namespace {

constexpr std::size_t bytes_a_hash_entry = 40;

std::size_t bytes_of(const ComponentPlan& plan) {
    return sizeof(plan) + plan.cliques.size() * sizeof(ComponentPlan::Clique) +
           plan.operands.size() * sizeof(ComponentPlan::Operand) +
           plan.terms.size() * sizeof(FamilyTerm) + plan.offsets.size() * sizeof(std::uint32_t);
}

std::uint64_t hash_of(std::uint32_t plan, std::span<const std::uint32_t> bases) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    const auto add = [&](std::uint32_t word) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 32;
    };
    add(plan);
    for (const std::uint32_t base : bases) add(base);
    return hash;
}

}  // namespace

void ComponentTasks::add(const std::shared_ptr<const ComponentPlan>& plan,
                         std::span<const std::uint32_t> bases, double weight) {
    const std::uint32_t number = number_of(plan);
    const auto [known, is_new] = task_of_.try_emplace(hash_of(number, bases), tasks_.size());
    if (!is_new) {  // different ones of the same hash are never joined
        Task& task = tasks_[known->second];
        if (task.plan == number && std::ranges::equal(this->bases(known->second), bases)) {
            task.weight += weight;
            return;
        }
    }
    tasks_.push_back({bases_.size(), weight, number});
    bases_.insert(bases_.end(), bases.begin(), bases.end());
    n_bytes_ += sizeof(Task) + bases.size_bytes() + bytes_a_hash_entry;
}

std::uint32_t ComponentTasks::number_of(const std::shared_ptr<const ComponentPlan>& plan) {
    const auto number = static_cast<std::uint32_t>(plans_.size());
    const auto [known, is_new] = number_of_.try_emplace(plan.get(), number);
    if (is_new) {
        plans_.push_back(plan);
        n_bytes_ += bytes_of(*plan) + bytes_a_hash_entry;
    }
    return known->second;
}

void ComponentTasks::close() {
    number_of_ = {};
    task_of_ = {};
    tasks_.shrink_to_fit();
    bases_.shrink_to_fit();
}

}  // namespace baytree
