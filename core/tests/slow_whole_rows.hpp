// Complete rows of delimited text by a loop over single characters: the definition that text/lines.hpp is compared
// with.
#pragma once

#include <string_view>

#include "text/lines.hpp"

namespace rosenblatt {

inline WholeRows slow_whole_rows(const std::string_view text, const Separators& separators) {
  enum { begin, bare, quoted, closed } state = begin;
  WholeRows found;
  std::size_t opened = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (state == quoted) {
      if (c != '"') continue;
      if (i + 1 < text.size() && text[i + 1] == '"') ++i;
      else state = closed;
      continue;
    }
    const bool edge = c == separators.delimiter || c == '\n' || c == '\r';
    if (state == closed && !edge && c != ' ') {
      if (found.misquoted == nowhere) found.misquoted = opened;
      state = bare;
    }
    if (state == begin && separators.quotes && c == '"') {
      state = quoted;
      opened = i;
    } else if (edge) {
      state = begin;
      if (c == separators.newline) found.end = i + 1;
    } else if (state == begin) {
      state = bare;
    }
  }
  if (state == quoted) found.left_open = opened;
  for (std::size_t i = 0; i < found.end; ++i)
    found.lines += text[i] == separators.newline;  // line feeds in quotes count too
  return found;
}

// Text after a closing quote makes the rest meaningless: then only its position is compared.
inline bool same_rows(const WholeRows& fast, const WholeRows& slow) {
  if (fast.misquoted != slow.misquoted || slow.misquoted != nowhere) return fast.misquoted == slow.misquoted;
  return fast.end == slow.end && fast.lines == slow.lines && fast.left_open == slow.left_open;
}

}  // namespace rosenblatt
