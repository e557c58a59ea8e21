// A fast reader of plain delimited text: numbers in usual notation, and texts unchanged. Anything else (escaped quotes,
// non-ASCII characters, words among numbers, rows of another length) makes it refuse the whole text; a slower reader
// takes over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "system/uninitialized_vector.hpp"

namespace rosenblatt {

enum class Field : std::uint8_t { skipped, number, text };

// Either numbers, or ends and bytes, are filled.
struct DelimitedColumn {
  UninitializedVector<double> numbers;  // NaN where a field is empty
  std::vector<std::int32_t> ends;  // of texts, after a leading 0
  std::vector<std::uint8_t> bytes;
};

// The columns of a text whose rows have these fields. Nothing if the text is not plain.
std::optional<std::vector<DelimitedColumn>> read_delimited(std::string_view text, char delimiter, bool quotes,
                                                           std::span<const Field> fields);

}  // namespace rosenblatt
