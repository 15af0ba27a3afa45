#include "inference/table_projection.hpp"

#include <algorithm>
#include <numeric>

namespace baytree {

TableProjection::TableProjection(VariableSpan scope, VariableSpan part,
                                 const std::vector<std::uint32_t>& arities) {
    std::vector<Block> blocks;  // innermost first
    std::size_t stride = 1;
    auto last = part.rbegin();
    for (auto variable = scope.rbegin(); variable != scope.rend(); ++variable) {
        const bool is_inside = last != part.rend() && *last == *variable;
        const std::size_t arity = arities[*variable];
        if (!blocks.empty() && (blocks.back().stride > 0) == is_inside)
            blocks.back().size *= arity;
        else
            blocks.push_back({arity, is_inside ? stride : 0});
        if (is_inside) {
            stride *= arity;
            ++last;
        }
    }
    if (blocks.empty()) return;
    run_ = blocks.front().size;
    is_run_inside_ = blocks.front().stride > 0;
    outer_.assign(blocks.rbegin(), blocks.rend() - 1);
}

template <class Visit>
void TableProjection::for_each_run(Visit visit) const {
    std::vector<std::size_t> at(outer_.size());
    std::size_t in_table = 0, in_part = 0;
    while (true) {
        visit(in_table, in_part);
        in_table += run_;
        std::size_t block = outer_.size();
        while (block > 0) {
            --block;
            in_part += outer_[block].stride;
            if (++at[block] < outer_[block].size) break;
            in_part -= outer_[block].stride * outer_[block].size;
            at[block] = 0;
            if (block == 0) return;
        }
        if (outer_.empty()) return;
    }
}

void TableProjection::multiply(std::span<double> table, std::span<const double> part) const {
    for_each_run([&](std::size_t in_table, std::size_t in_part) {
        double* entry = table.data() + in_table;
        const double* factor = part.data() + in_part;
        if (is_run_inside_)
            for (std::size_t i = 0; i < run_; ++i) entry[i] *= factor[i];
        else
            for (std::size_t i = 0; i < run_; ++i) entry[i] *= *factor;
    });
}

void TableProjection::add_to(std::span<double> part, std::span<const double> table) const {
    for_each_run([&](std::size_t in_table, std::size_t in_part) {
        const double* entry = table.data() + in_table;
        double* sum = part.data() + in_part;
        if (is_run_inside_)
            for (std::size_t i = 0; i < run_; ++i) sum[i] += entry[i];
        else
            *sum = std::accumulate(entry, entry + run_, *sum);
    });
}

double n_table_entries(VariableSpan scope, const std::vector<std::uint32_t>& arities) {
    double n_entries = 1.0;
    for (const VariableId variable : scope) n_entries *= arities[variable];
    return n_entries;
}

}  // namespace baytree
