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

constexpr std::size_t near_end = std::size_t{1}
                                 << 16;  // the last row nearly always ends within this many bytes of the end

// Skips rows that end before `from`: searching backwards for a line feed at every quote is slow.
WholeRows rows_ending_after(const std::size_t from, const std::string_view text,
                            const Separators& separators) noexcept {
  constexpr auto npos = std::string_view::npos;
  const auto at_an_edge = [&](const char c) { return c == separators.delimiter || c == '\n' || c == '\r'; };
  WholeRows found;
  // Rows end outside of quotes: between the last closing quote and the next opening one.
  std::size_t outside = 0;
  const auto end_before = [&](const std::size_t end) {
    if (end < from) return;
    const auto last = text.substr(outside, end - outside).rfind(separators.newline);
    if (last != npos) found.end = outside + last + 1;
  };
  std::size_t open = separators.quotes ? text.find('"') : npos;
  while (open != npos) {
    if (open != outside && !at_an_edge(text[open - 1])) {
      open = text.find('"', open + 1);  // an ordinary character
      continue;
    }
    end_before(open);
    std::size_t close = text.find('"', open + 1);
    while (close != npos && close + 1 < text.size() && text[close + 1] == '"') close = text.find('"', close + 2);
    if (close == npos) {
      found.left_open = open;
      outside = text.size();
      break;
    }
    outside = close + 1;
    const std::size_t next = text.find_first_not_of(' ', outside);
    if (next != npos && !at_an_edge(text[next]) && found.misquoted == nowhere) found.misquoted = open;
    open = text.find('"', outside);
  }
  end_before(text.size());
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
