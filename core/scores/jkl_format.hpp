#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scores/parent_set_cache.hpp"

namespace baytree {

/// Reads a parent-set cache in the .jkl form from pieces of text: comment lines that begin with #,
/// the number of variables, and for every variable a line `index count` followed by `count` lines
/// `score size parent ...`. Memory grows with the text read, never with the numbers it declares.
/// Throws std::invalid_argument with the line number for text that is not of this form.
class JklReader {
public:
    static constexpr std::size_t max_line_length = 1U << 20;

    /// Takes the next piece of the text, cut anywhere.
    void feed(std::string_view text);

    /// Ends the text and hands the cache over.
    ParentSetCache finish();

    /// Comment lines that begin with `# variable`, without that beginning.
    const std::vector<std::string>& variable_comments() const noexcept { return comments_; }

private:
    void read_line(std::string_view line);
    void read_variable_count(std::string_view line);
    void read_variable_header(std::string_view line);
    void read_parent_set(std::string_view line);
    [[noreturn]] void fail(const std::string& what) const;

    std::uint64_t line_number_ = 0;
    std::string unfinished_line_;
    std::vector<std::string> comments_;
    std::optional<std::uint64_t> n_variables_;
    std::map<VariableId, ScoredParentSets> of_variable_;
    std::optional<VariableId> variable_;  // whose sets are being read
    std::uint64_t n_sets_left_ = 0;
    std::vector<VariableId> parents_;
};

/// The block of one variable, `index count` and its sets; scores in the fewest digits that read
/// back as the same number.
std::string jkl_block(const ParentSetCache& cache, VariableId variable);

}  // namespace baytree
