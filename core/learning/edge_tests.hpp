#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "data/family_counter.hpp"
#include "data/variable.hpp"

namespace baytree {

/// What the counts of a set of variables say.
struct SetContent {
    double information;  // N times the entropy, in nats
    double code_length;  // log of N! over the product of c!; 0 where it is not asked for
};

/// How much a and b say about each other given their separator.
struct EdgeStatistic {
    double g2;                  // 2 N times the conditional mutual information
    double degrees;             // of freedom
    double code_length_change;  // of two cliques and a separator to one clique
};

/// Statistics of edges between variables of complete rows. What cliques say is remembered.
class EdgeTests {
public:
    /// `counter` must outlive this. With a phantom state each variable has one that never occurs.
    EdgeTests(const FamilyCounter& counter, bool has_code_lengths, bool phantom_state);

    std::size_t n_variables() const noexcept { return dataset().n_variables(); }
    const Dataset& dataset() const noexcept { return counter_.dataset(); }

    /// What the sides of an edge say, apart from the two together.
    struct Sides {
        std::vector<VariableId> clique;  // separator and both ends, ascending
        SetContent apart;                // of the two sides, less that of the separator
    };
    /// Not for several threads at once.
    Sides sides(VariableId a, VariableId b, const std::vector<VariableId>& separator);
    /// Without a separator; for several threads.
    Sides sides(VariableId a, VariableId b) const;

    /// For several threads, each with its own scratch.
    EdgeStatistic statistic(VariableId a, VariableId b, const Sides& sides,
                            CountScratch& scratch) const;

private:
    SetContent count_cells(VariableSpan members, CountScratch& scratch) const;
    const SetContent& content_of_set(const std::vector<VariableId>& members);
    template <class Count>
    SetContent content_of(const FamilyCounts<Count>& counts) const;
    double round_off(double statistic) const;
    double arity(VariableId variable) const noexcept {
        return dataset().arity(variable) + (phantom_state_ ? 1.0 : 0.0);
    }

    const FamilyCounter& counter_;
    bool has_code_lengths_;
    bool phantom_state_;
    double resolution_;
    std::vector<double> n_log_n_;  // of the smaller whole numbers
    std::vector<SetContent> alone_;
    std::map<std::vector<VariableId>, SetContent> known_;
    CountScratch scratch_;
};

}  // namespace baytree
