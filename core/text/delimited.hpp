// A fast reader of plain delimited text: numbers in usual notation, texts unchanged, and categories as numbers of
// distinct texts. Anything else (escaped quotes, non-ASCII characters, words among numbers, rows of another length)
// makes it refuse the whole text; a slower reader takes over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "system/uninitialized_vector.hpp"

namespace rosenblatt {

enum class Field : std::uint8_t { skipped, number, text, category };

// Numbers are filled; or ends and bytes, of each text; or codes, and ends and bytes of the distinct texts.
struct DelimitedColumn {
  UninitializedVector<double> numbers;  // NaN: a missing value
  UninitializedVector<std::int32_t> codes;  // distinct texts are numbered by first appearance; -1: a missing value
  std::vector<std::int32_t> ends;  // of texts, after a leading 0
  std::vector<std::uint8_t> bytes;
};

// The columns of a text whose rows have these fields. Nothing if the text is not plain.
std::optional<std::vector<DelimitedColumn>> read_delimited(std::string_view text, char delimiter, bool quotes,
                                                           std::span<const Field> fields);

}  // namespace rosenblatt
