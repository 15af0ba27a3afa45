#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/variable.hpp"

namespace baytree {

/// Variables that wait for their turn, the one of highest rank first; ranks may rise meanwhile.
class VariableQueue {
public:
    /// Priority, then a random number that decides between equals.
    using Rank = std::pair<double, std::uint32_t>;

    /// Empties the queue, for variables 0 ... n_variables - 1.
    void reset(std::size_t n_variables) {
        heap_.clear();
        place_.assign(n_variables, absent);
    }
    bool is_empty() const noexcept { return heap_.empty(); }

    /// Puts a variable in, or gives it a higher rank; a lower one changes nothing.
    void raise(VariableId variable, Rank rank) {
        if (place_[variable] == absent) {
            place_[variable] = static_cast<std::uint32_t>(heap_.size());
            heap_.emplace_back();
        } else if (!(heap_[place_[variable]].rank < rank)) {
            return;
        }
        move_up(place_[variable], {rank, variable});
    }

    VariableId pop() {
        const VariableId first = heap_.front().variable;
        place_[first] = absent;
        const Entry last = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) move_down(last);
        return first;
    }

private:
    static constexpr std::uint32_t absent = static_cast<std::uint32_t>(-1);

    struct Entry {
        Rank rank;
        VariableId variable;
    };

    void put(std::size_t place, const Entry& entry) {
        heap_[place] = entry;
        place_[entry.variable] = static_cast<std::uint32_t>(place);
    }

    void move_up(std::size_t place, const Entry& entry) {
        for (; place > 0 && heap_[(place - 1) / 2].rank < entry.rank; place = (place - 1) / 2)
            put(place, heap_[(place - 1) / 2]);
        put(place, entry);
    }

    /// From the top.
    void move_down(const Entry& entry) {
        std::size_t place = 0;
        for (std::size_t child = 1; child < heap_.size(); child = 2 * place + 1) {
            if (child + 1 < heap_.size() && heap_[child].rank < heap_[child + 1].rank) ++child;
            if (!(entry.rank < heap_[child].rank)) break;
            put(place, heap_[child]);
            place = child;
        }
        put(place, entry);
    }

    std::vector<Entry> heap_;
    std::vector<std::uint32_t> place_;  // in the heap, by variable
};

}  // namespace baytree
