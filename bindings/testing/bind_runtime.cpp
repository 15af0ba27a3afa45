#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "runtime/instruction_set.hpp"
#include "testing/binders.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace baytree {

void bind_runtime_testing(nb::module_& m) {
    m.def("instruction_sets", [] {
        std::vector<std::string> names;
        for (const InstructionSet set : supported_instruction_sets())
            names.emplace_back(name_of(set));
        return names;
    });
}

}  // namespace baytree
