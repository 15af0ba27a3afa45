#pragma once

#include <cstddef>

#include "data/dataset.hpp"
#include "data/variable.hpp"

namespace baytree {

/// Where a search gets the score of a family from. May be called from several threads.
class FamilyScores {
public:
    virtual ~FamilyScores() = default;

    virtual std::size_t n_variables() const noexcept = 0;

    /// Score of `child` with `parents` (ascending, `child` not among them); minus infinity if there
    /// is no such family.
    virtual double score(VariableId child, VariableSpan parents) const = 0;

    /// The same, for a family that is not likely to be asked for again.
    virtual double score_once(VariableId child, VariableSpan parents) const {
        return score(child, parents);
    }

    /// Says that `score` will soon be asked for the family, so that it can be quick then.
    virtual void announce(VariableId /*child*/, VariableSpan /*parents*/) const noexcept {}

    /// About how many seconds `score` takes for a family that was not asked for before.
    virtual double seconds(VariableId /*child*/, VariableSpan /*parents*/) const noexcept {
        return 0.0;
    }

    /// The rows that the scores speak of; null if there are none at hand.
    virtual const Dataset* rows() const noexcept { return nullptr; }

    /// Whether an arc between two variables without other parents gains the same in both
    /// directions.
    virtual bool has_symmetric_gains() const noexcept { return false; }
};

/// Throws std::invalid_argument unless `child` and `parents` name some of `n_variables` variables,
/// the parents in ascending order and without the child.
void check_family(std::size_t n_variables, VariableId child, VariableSpan parents);

}  // namespace baytree
