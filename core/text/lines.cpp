#include "text/lines.hpp"

#include <algorithm>
#include <cstdint>

namespace rosenblatt {

// Sums of one byte, so the compiler vectorizes the loop.
std::size_t count_letter(const std::string_view text, const char letter) noexcept {
  std::size_t all = 0;
  for (std::size_t from = 0; from < text.size(); from += 255) {
    std::uint8_t some = 0;
    for (const char c : text.substr(from, 255)) some = static_cast<std::uint8_t>(some + (c == letter));
    all += some;
  }
  return all;
}

namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::size_t near_end = std::size_t{1}
                                 << 16;  // the last row nearly always ends within this many bytes of the end

bool is_edge(const char c, const Separators& separators) noexcept {
  return c == separators.delimiter || c == '\n' || c == '\r';
}

// The next quote that opens a value, where the last quoted value ended at `outside`. Other quotes are ordinary
// characters.
std::size_t next_opening(const std::string_view text, const std::size_t outside,
                         const Separators& separators) noexcept {
  std::size_t open = text.find('"', outside);
  while (open != npos && open != outside && !is_edge(text[open - 1], separators)) open = text.find('"', open + 1);
  return open;
}

// The place behind the quote that closes a value; npos if none does. A doubled quote is part of the value.
std::size_t after_closing(const std::string_view text, const std::size_t open) noexcept {
  std::size_t close = text.find('"', open + 1);
  while (close != npos && close + 1 < text.size() && text[close + 1] == '"') close = text.find('"', close + 2);
  return close == npos ? npos : close + 1;
}

// Whether other text than blanks follows a quoted value in its field.
bool is_misquoted(const std::string_view text, const std::size_t outside, const Separators& separators) noexcept {
  const std::size_t next = text.find_first_not_of(' ', outside);
  return next != npos && !is_edge(text[next], separators);
}

// Where the last row that ends between two places ends; 0 if none does.
std::size_t last_row_end(const std::string_view text, const std::size_t begin, const std::size_t end,
                         const char newline) noexcept {
  const std::size_t last = text.substr(begin, end - begin).rfind(newline);
  return last == npos ? 0 : begin + last + 1;
}

// Rows end outside of quotes: between the last closing quote and the next opening one. Skips rows that end before
// `from`: searching backwards for a line feed at every quote is slow.
WholeRows rows_ending_after(const std::size_t from, const std::string_view text,
                            const Separators& separators) noexcept {
  WholeRows found;
  std::size_t outside = 0, open = separators.quotes ? next_opening(text, 0, separators) : npos;
  for (; open != npos; open = next_opening(text, outside, separators)) {
    if (open >= from) found.end = std::max(found.end, last_row_end(text, outside, open, separators.newline));
    const std::size_t after = after_closing(text, open);
    if (after == npos) found.left_open = open;
    outside = std::min(after, text.size());
    if (found.misquoted == nowhere && is_misquoted(text, outside, separators)) found.misquoted = open;
  }
  found.end = std::max(found.end, last_row_end(text, outside, text.size(), separators.newline));
  return found;
}

}  // namespace

WholeRows whole_rows(const std::string_view text, const Separators& separators) noexcept {
  const std::size_t from = text.size() > near_end ? text.size() - near_end : 0;
  WholeRows found = rows_ending_after(from, text, separators);
  if (found.end == 0 && from != 0) found = rows_ending_after(0, text, separators);
  found.lines = count_letter(text.substr(0, found.end), separators.newline);
  return found;
}

}  // namespace rosenblatt
