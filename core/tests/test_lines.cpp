// Whole rows of delimited text, against a loop that goes character by character.
#include <string>

#include "tests/check.hpp"
#include "text/lines.hpp"

using namespace rosenblatt;

static WholeRows slowly(const std::string& text, const Marks& marks) {
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
    const bool edge = c == marks.delimiter || c == '\n' || c == '\r';
    if (state == closed && !edge && c != ' ') {
      if (found.misquoted == nowhere) found.misquoted = opened;
      state = bare;
    }
    if (state == begin && marks.quotes && c == '"') {
      state = quoted;
      opened = i;
    } else if (edge) {
      state = begin;
      if (c == marks.newline) found.end = i + 1;
    } else if (state == begin) {
      state = bare;
    }
  }
  if (state == quoted) found.left_open = opened;
  for (std::size_t i = 0; i < found.end; ++i) found.lines += text[i] == marks.newline;  // those in quotes, too
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
        const Marks marks{newline, ',', quotes};
        const WholeRows fast = whole_rows(text, marks), slow = slowly(text, marks);
        // Text behind closing quotes makes nonsense of the rest: then only its place is asked for.
        CHECK(fast.misquoted == slow.misquoted);
        if (slow.misquoted != nowhere) continue;
        CHECK(fast.end == slow.end && fast.lines == slow.lines && fast.left_open == slow.left_open);
      }
  }
  for (const std::size_t lines : {0, 1, 254, 255, 256, 100000})
    CHECK(whole_rows(std::string(lines, '\n') + "x", {}).lines == lines);
  // The last row may end long before the text does.
  for (const std::string& rest : {std::string(100000, 'x'), '"' + std::string(100000, '\n'), random_text(70000, 1)})
    for (const std::string begin : {"a,b\n", "\"a\"\n\"b\",", ""}) {
      const std::string text = begin + rest;
      const WholeRows fast = whole_rows(text, {'\n', ',', true}), slow = slowly(text, {'\n', ',', true});
      CHECK(fast.misquoted == slow.misquoted);
      if (slow.misquoted != nowhere) continue;
      CHECK(fast.end == slow.end && fast.lines == slow.lines && fast.left_open == slow.left_open);
    }
  return report();
}
