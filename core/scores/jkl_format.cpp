#include "scores/jkl_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace baytree {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";
constexpr std::string_view variable_comment = "# variable ";

std::string_view next_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(blanks));
    line.remove_prefix(word.size());
    return word;
}

template <class Number>
std::optional<Number> parsed(std::string_view word) {
    Number number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
}

/// For error messages: bytes beyond plain text become question marks.
std::string quoted(std::string_view word) {
    std::string text(1, '\'');
    for (const char byte : word.substr(0, 40)) text += byte >= ' ' && byte <= '~' ? byte : '?';
    return text += '\'';
}

template <class Number>
void append_number(std::string& text, Number number) {
    std::array<char, 32> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text.append(digits.data(), end);
}

bool has_repeated_set(const ScoredParentSets& sets) {
    std::vector<std::uint32_t> order(sets.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
        return std::ranges::lexicographical_compare(sets.parents(a), sets.parents(b));
    };
    std::ranges::sort(order, less);
    return std::ranges::adjacent_find(order, [&](std::uint32_t a, std::uint32_t b) {
               return std::ranges::equal(sets.parents(a), sets.parents(b));
           }) != order.end();
}

}  // namespace

void JklReader::fail(const std::string& what) const {
    throw std::invalid_argument("line " + std::to_string(line_number_) + ": " + what);
}

void JklReader::feed(std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view piece = text.substr(0, end);
        if (unfinished_line_.size() + piece.size() > max_line_length) {
            ++line_number_;
            fail("the line is longer than a million characters");
        }
        if (end == std::string_view::npos) {
            unfinished_line_ += piece;
            return;
        }
        text.remove_prefix(end + 1);
        if (unfinished_line_.empty()) {
            read_line(piece);
        } else {
            unfinished_line_ += piece;
            read_line(unfinished_line_);
            unfinished_line_.clear();
        }
    }
}

void JklReader::read_line(std::string_view line) {
    ++line_number_;
    if (line.starts_with('#')) {
        if (line.starts_with(variable_comment))
            comments_.emplace_back(line.substr(variable_comment.size()));
        return;
    }
    if (line.find_first_not_of(blanks) == std::string_view::npos) return;
    if (!n_variables_)
        read_variable_count(line);
    else if (n_sets_left_ == 0)
        read_variable_header(line);
    else
        read_parent_set(line);
}

void JklReader::read_variable_count(std::string_view line) {
    const std::string_view word = next_word(line);
    const auto n_variables = parsed<std::uint32_t>(word);
    if (!n_variables || *n_variables == 0 || !next_word(line).empty())
        fail("expected the number of variables, found " + quoted(word));
    n_variables_ = *n_variables;
}

void JklReader::read_variable_header(std::string_view line) {
    const std::string_view index_word = next_word(line);
    const std::string_view count_word = next_word(line);
    const auto index = parsed<std::uint32_t>(index_word);
    const auto count = parsed<std::uint64_t>(count_word);
    if (!index || !count || !next_word(line).empty())
        fail("expected the number of a variable and of its parent sets, found " +
             quoted(index_word) + " and " + quoted(count_word));
    if (*index >= *n_variables_)
        fail("variable " + std::to_string(*index) + " is not below the number of variables, " +
             std::to_string(*n_variables_));
    if (of_variable_.contains(*index))
        fail("variable " + std::to_string(*index) + " has a block already");
    if (*count == 0) fail("variable " + std::to_string(*index) + " has no parent set");
    variable_ = index;
    n_sets_left_ = *count;
    of_variable_[*index];
}

void JklReader::read_parent_set(std::string_view line) {
    const std::string_view score_word = next_word(line);
    const auto score = parsed<double>(score_word);
    if (!score || !std::isfinite(*score))
        fail("expected a finite score, found " + quoted(score_word));
    const std::string_view size_word = next_word(line);
    const auto size = parsed<std::uint32_t>(size_word);
    if (!size) fail("expected the number of parents, found " + quoted(size_word));
    parents_.clear();
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        const auto parent = parsed<VariableId>(word);
        if (!parent || *parent >= *n_variables_ || *parent == *variable_)
            fail("expected another variable below " + std::to_string(*n_variables_) + ", found " +
                 quoted(word));
        parents_.push_back(*parent);
    }
    if (parents_.size() != *size)
        fail("expected " + std::to_string(*size) + " parents, found " +
             std::to_string(parents_.size()));
    std::ranges::sort(parents_);
    if (std::ranges::adjacent_find(parents_) != parents_.end()) fail("a parent is named twice");
    of_variable_[*variable_].add(*score, parents_);
    if (--n_sets_left_ == 0 && has_repeated_set(of_variable_[*variable_]))
        fail("variable " + std::to_string(*variable_) + " has a parent set twice");
}

ParentSetCache JklReader::finish() {
    if (!unfinished_line_.empty()) read_line(unfinished_line_);
    if (line_number_ == 0) {
        line_number_ = 1;
        fail("the file is empty");
    }
    if (!n_variables_) fail("the file ends before the number of variables");
    if (n_sets_left_ > 0)
        fail("the file ends " + std::to_string(n_sets_left_) + " parent sets early, in variable " +
             std::to_string(*variable_));
    if (of_variable_.size() != *n_variables_)
        fail("the file ends after " + std::to_string(of_variable_.size()) + " of " +
             std::to_string(*n_variables_) + " variables");
    std::vector<ScoredParentSets> sets;
    sets.reserve(of_variable_.size());
    for (auto& [variable, of_variable] : of_variable_) sets.push_back(std::move(of_variable));
    return ParentSetCache::from_unchecked(std::move(sets));
}

std::string jkl_block(const ParentSetCache& cache, VariableId variable) {
    const ScoredParentSets& sets = cache.of(variable);
    std::string text;
    append_number(text, variable);
    text += ' ';
    append_number(text, sets.size());
    text += '\n';
    for (std::size_t i = 0; i < sets.size(); ++i) {
        append_number(text, sets.score(i));
        text += ' ';
        append_number(text, sets.parents(i).size());
        for (const VariableId parent : sets.parents(i)) {
            text += ' ';
            append_number(text, parent);
        }
        text += '\n';
    }
    return text;
}

}  // namespace baytree
