// Complete rows of delimited text, against a loop over single characters.
#include <string>

#include "tests/check.hpp"
#include "text/lines.hpp"

using namespace rosenblatt;

static WholeRows slow_whole_rows(const std::string& text, const Separators& separators) {
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

static std::string random_text(const std::size_t length, const std::uint64_t seed) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += "\"\"\",,\n\nab \r"[random_bits(seed, i) % 11];
  return text;
}

int main() {
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    const std::string text = random_text(seed % 60, seed);
    for (const char newline : {'\n', '\r'})
      for (const bool quotes : {false, true}) {
        const Separators separators{newline, ',', quotes};
        const WholeRows fast = whole_rows(text, separators), slow = slow_whole_rows(text, separators);
        // Text after a closing quote makes the rest meaningless: then only its position is compared.
        CHECK(fast.misquoted == slow.misquoted);
        if (slow.misquoted != nowhere) continue;
        CHECK(fast.end == slow.end && fast.lines == slow.lines && fast.left_open == slow.left_open);
      }
  }
  for (const std::size_t lines : {0u, 1u, 254u, 255u, 256u, 100000u})
    CHECK(whole_rows(std::string(lines, '\n') + "x", {}).lines == lines);
  // The last row may end long before the text does.
  for (const std::string& rest : {std::string(100000, 'x'), '"' + std::string(100000, '\n'), random_text(70000, 1)})
    for (const std::string begin : {"a,b\n", "\"a\"\n\"b\",", ""}) {
      const std::string text = begin + rest;
      const WholeRows fast = whole_rows(text, {'\n', ',', true}), slow = slow_whole_rows(text, {'\n', ',', true});
      CHECK(fast.misquoted == slow.misquoted);
      if (slow.misquoted != nowhere) continue;
      CHECK(fast.end == slow.end && fast.lines == slow.lines && fast.left_open == slow.left_open);
    }
  return report();
}
