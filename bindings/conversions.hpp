#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "data/variable.hpp"
#include "structure/dag.hpp"

namespace baytree {

using StateCodes = nanobind::ndarray<const std::int32_t, nanobind::ndim<2>, nanobind::f_contig,
                                     nanobind::device::cpu>;

template <class T>
using Vector =
    nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
std::span<const T> to_span(const Vector<T>& vector) {
    return {vector.data(), vector.size()};
}

/// A NumPy array that owns the values.
template <class T, class Allocator>
nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>
to_numpy(std::vector<T, Allocator> values) {
    using Owned = std::vector<T, Allocator>;
    auto* owned = new Owned(std::move(values));  // freed by the capsule
    nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
    return {owned->data(), {owned->size()}, owner};
}

template <class T>
auto to_numpy(std::span<const T> values) {
    return to_numpy(std::vector<T>(values.begin(), values.end()));
}

/// Throws std::out_of_range, an IndexError in Python, unless the variable exists.
inline void check_variable(VariableId variable, std::size_t n_variables) {
    if (variable >= n_variables) throw std::out_of_range("there is no such variable");
}

inline void check_parents(const ParentLists& parents) {
    for (const auto& of_child : parents)
        for (const VariableId parent : of_child)
            if (parent >= parents.size()) throw std::invalid_argument("a parent is no variable");
}

inline nanobind::tuple to_tuple(VariableSpan variables) {
    nanobind::list items;
    for (const VariableId variable : variables) items.append(variable);
    return nanobind::tuple(items);
}

using VariableTuples =
    nanobind::typed<nanobind::list,
                    nanobind::typed<nanobind::tuple, VariableId, nanobind::ellipsis>>;

inline VariableTuples to_tuples(const std::vector<std::vector<VariableId>>& lists) {
    VariableTuples tuples;
    for (const auto& variables : lists) tuples.append(to_tuple(variables));
    return tuples;
}

}  // namespace baytree
