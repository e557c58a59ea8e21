// Delimited text in pieces: where the last whole row of a piece ends, and which quotes are wrong.
#pragma once

#include <cstddef>
#include <string_view>

namespace rosenblatt {

// How a text separates its rows and values.
struct Marks {
  char newline = '\n', delimiter = ',';
  bool quotes = false;  // a value may stand in quotes, and go over several lines there; a quote in it is written twice
};

inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

struct WholeRows {
  std::size_t end = 0, lines = 0;  // of the rows that end in the piece
  std::size_t left_open = nowhere;  // a quote that opens a value and has no other to close it
  std::size_t misquoted = nowhere;  // the first value in quotes with something behind them
};

std::size_t count_letter(std::string_view text, char letter) noexcept;

WholeRows whole_rows(std::string_view text, const Marks& marks) noexcept;

}  // namespace rosenblatt
