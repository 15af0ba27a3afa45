#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "inference/component_plan.hpp"

namespace baytree {

/// Components of rows that are solved again and again, with other probabilities each time. Those of
/// one plan and the same observed states are one, with the sum of their weights.
class ComponentTasks {
public:
    void add(const std::shared_ptr<const ComponentPlan>& plan, std::span<const std::uint32_t> bases,
             double weight);

    /// Frees what is needed for `add` alone, which must not come again.
    void close();

    /// About the memory that is in use.
    std::size_t n_bytes() const noexcept { return n_bytes_; }

    std::size_t size() const noexcept { return tasks_.size(); }
    const ComponentPlan& plan(std::size_t i) const noexcept { return *plans_[tasks_[i].plan]; }
    double weight(std::size_t i) const noexcept { return tasks_[i].weight; }
    std::span<const std::uint32_t> bases(std::size_t i) const noexcept {
        return std::span(bases_).subspan(tasks_[i].first_base, plan(i).n_bases);
    }

private:
    struct Task {
        std::size_t first_base;
        double weight;
        std::uint32_t plan;
    };

    std::uint32_t number_of(const std::shared_ptr<const ComponentPlan>& plan);

    std::vector<std::shared_ptr<const ComponentPlan>> plans_;
    std::vector<Task> tasks_;
    std::vector<std::uint32_t> bases_;
    std::size_t n_bytes_ = 0;
    std::unordered_map<const ComponentPlan*, std::uint32_t> number_of_;
    std::unordered_map<std::uint64_t, std::size_t> task_of_;  // by a hash of plan and bases
};

}  // namespace baytree
