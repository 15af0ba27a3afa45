#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "data/variable.hpp"
#include "inference/component_plan.hpp"
#include "inference/row_network.hpp"

namespace baytree {

/// What is asked of the missing variables of a row.
struct RowQuestion {
    /// Leave out those without an observed descendant or target below them: they say nothing about
    /// the others.
    bool drops_barren = false;
    /// If not empty: variables that are hidden in every row, and only components that hold one are
    /// of interest. Ascending.
    std::vector<VariableId> targets;
};

/// Splits the missing variables of a row into components that are independent given what is
/// observed, and plans how to solve each. Keeps plans, as the same small components come again and
/// again. For one thread.
class RowComponents {
public:
    /// Throws RowsTooLarge from `find` where a component would take more than `max_bytes`.
    RowComponents(const RowNetwork& network, const RowQuestion& question, double max_bytes);

    /// Looks at the cells of a row, by variable; -1 is missing. Rows with the same cells missing
    /// cost nothing if they follow each other.
    void find(const std::int32_t* cells);

    /// After `find`. A plan that is not shared may be another one after the next `find`.
    std::span<const std::shared_ptr<const ComponentPlan>> plans() const noexcept { return plans_; }
    /// Drops the plans that are kept, so that what is found next does not depend on rows before.
    void forget_plans();
    /// Missing variables of the row, ascending.
    VariableSpan missing() const noexcept { return missing_; }
    /// Missing variables that were left out, parents before their children.
    VariableSpan barren() const noexcept { return barren_; }

private:
    using Key = std::vector<std::uint32_t>;
    struct KeyHash {
        std::size_t operator()(const Key& key) const noexcept;
    };
    struct Component {
        std::vector<VariableId> members, families;
        bool is_wanted = false;
    };

    bool has_same_missing_cells(const std::int32_t* cells);
    void drop_barren(const std::int32_t* cells);
    void join_families(const std::int32_t* cells);
    void join_family(VariableId child, const std::int32_t* cells);
    VariableId root(VariableId variable);
    void collect(const std::int32_t* cells);
    void plan_all();
    std::shared_ptr<const ComponentPlan> known_plan(const Component& component);
    bool is_lone(const Component& component) const;
    std::shared_ptr<const ComponentPlan> new_plan(const Component& component);

    const RowNetwork* network_;
    RowQuestion question_;
    double max_bytes_;
    std::vector<bool> is_target_;
    std::vector<std::uint32_t> position_;  // of each variable in the topological order
    std::vector<VariableId> missing_, barren_, kept_, families_;
    std::vector<VariableId> found_;          // missing variables of the row at hand
    std::vector<bool> is_kept_, is_joined_;  // all false between rows
    std::vector<VariableId> above_;          // union-find
    std::vector<std::uint32_t> number_of_;   // component of a root
    std::vector<Component> components_;
    std::size_t n_components_ = 0;
    bool has_row_ = false;
    std::vector<std::shared_ptr<const ComponentPlan>> plans_;
    ComponentPlanner planner_;
    Key key_;
    std::unordered_map<Key, std::shared_ptr<const ComponentPlan>, KeyHash> small_plans_;
    std::vector<std::shared_ptr<const ComponentPlan>> lone_plans_;  // by variable
    std::size_t n_small_offsets_ = 0;                               // of both
    std::vector<std::shared_ptr<ComponentPlan>> large_plans_;       // of the row at hand
};

}  // namespace baytree
