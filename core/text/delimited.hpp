// Plain delimited text to columns, fast: numbers as people write them, and texts as they are. What is not plain
// (quotes, letters beyond ASCII, words among numbers, rows of another length) is refused whole, for a slower reader to
// look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "system/uninitialized_vector.hpp"

namespace rosenblatt {

enum class Field : std::uint8_t { passed_over, number, text };

// One of the two is filled.
struct DelimitedColumn {
  UnsetVector<double> numbers;  // NaN where there is nothing
  std::vector<std::int32_t> ends;  // of texts, a 0 before them
  std::vector<std::uint8_t> bytes;
};

// The columns of text whose rows have these fields; none where something is not plain.
std::optional<std::vector<DelimitedColumn>> read_delimited(std::string_view text, char delimiter, bool quotes,
                                                           std::span<const Field> fields);

}  // namespace rosenblatt
