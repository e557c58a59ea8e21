// Delimited text in chunks: where the last complete row of a chunk ends, and which quotes are wrong.
#pragma once

#include <cstddef>
#include <string_view>

namespace rosenblatt {

// The separators of a text.
struct Separators {
  char newline = '\n', delimiter = ',';
  bool quotes = false;  // values may be quoted and then span lines; a quote within is doubled
};

inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

struct WholeRows {
  std::size_t end = 0, lines = 0;  // of the complete rows in the chunk
  std::size_t left_open = nowhere;  // position of an opening quote without a closing one
  std::size_t misquoted = nowhere;  // position of the first quoted value followed by other text
};

std::size_t count_letter(std::string_view text, char letter) noexcept;

WholeRows whole_rows(std::string_view text, const Separators& separators) noexcept;

}  // namespace rosenblatt
