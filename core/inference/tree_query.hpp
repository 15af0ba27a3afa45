#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "inference/calibrated_tree.hpp"
#include "inference/evidence.hpp"
#include "inference/scaled_number.hpp"
#include "inference/table_kernels.hpp"
#include "inference/table_values.hpp"
#include "inference/work_meter.hpp"

namespace baytree {

/// One question to a calibrated tree. Evidence changes the tree along the paths between observed
/// variables and the target alone, and beyond them only as far as its influence reaches. Keeps
/// references to tree, evidence and meter. Small queries are the rule, so memory is asked for
/// seldom.
class TreeQuery {
public:
    static TreeQuery of_evidence(const CalibratedTree& tree, const Evidence& evidence,
                                 WorkMeter& meter);
    /// The target is a variable that is not observed and has several states.
    static TreeQuery of_target(const CalibratedTree& tree, VariableId target,
                               const Evidence& evidence, WorkMeter& meter);
    static TreeQuery of_all(const CalibratedTree& tree, const Evidence& evidence, WorkMeter& meter);

    /// Entries that the answer of `of_evidence` or `of_target` takes, more or less.
    double entries() const;

    // One of these, once, by how the query was made.

    ScaledNumber probability();
    /// The distribution of the target; empty if the evidence is impossible.
    std::vector<double> posterior();
    /// Distributions of all variables of the network, one after the other; empty if the evidence is
    /// impossible.
    std::vector<double> marginals();

private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    /// What was observed of a variable: one state, or a weight for each.
    struct Finding {
        std::size_t clique;
        TableAxis axis;
        std::uint32_t state;
        std::span<const double> weights;  // empty if it is one state
    };

    /// What is known of each clique of the tree.
    struct Mark {
        std::size_t slot = none;
        std::size_t n_waiting = 0;  // for a root: cliques below it that are to be visited
    };

    /// A clique that is visited, with the first of its children that are, and the next sibling.
    struct Slot {
        std::size_t clique;
        bool is_top = false;
        bool is_kept = false;
        std::size_t first_child = none;
        std::size_t last_child = none;
        std::size_t next = none;
        std::size_t sums_at = 0;  // in sums_; as many ratios follow
        TableValues table{};      // if it is kept
    };

    TreeQuery(const CalibratedTree& tree, const Evidence& evidence, WorkMeter& meter);

    void add_finding(VariableId variable, std::uint32_t state, std::span<const double> weights);
    void need(std::size_t clique);
    void walk(bool is_to_roots);
    void keep_path(std::size_t clique);
    void collect();
    void fill(const Slot& slot, std::span<double> table);
    void pass_up(std::size_t slot, std::span<const double> table);
    bool send_down(std::size_t clique, std::span<const double> parent_table);

    std::size_t separator_size(std::size_t clique) const {
        return tree_.separators_[clique].size();
    }
    std::span<double> sums(const Slot& slot) {
        return std::span(sums_).subspan(slot.sums_at, separator_size(slot.clique));
    }
    std::span<double> ratios(const Slot& slot) {
        const std::size_t size = separator_size(slot.clique);
        return std::span(sums_).subspan(slot.sums_at + size, size);
    }
    Slot& slot_of(std::size_t clique) { return slots_[marks_[clique].slot]; }

    const CalibratedTree& tree_;
    WorkMeter& meter_;
    std::optional<VariableId> target_;
    std::vector<Finding> findings_;
    std::vector<Mark> marks_;
    std::vector<Slot> slots_;
    std::vector<std::size_t> waiting_;  // cliques in a heap, the largest number first
    std::vector<std::size_t> walked_;   // slots, children before their parents
    std::vector<std::size_t> path_;     // cliques from that of the target to its top
    TableValues sums_;   // of tables over their separators, and ratios of these to what they were
    TableValues table_;  // of one clique that is not kept after the other
    TableValues news_;   // of one separator after the other
    ScaledNumber total_;
};

}  // namespace baytree
