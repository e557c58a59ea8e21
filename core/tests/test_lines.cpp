// Complete rows of delimited text, against a loop over single characters.
#include <string>

#include "tests/check.hpp"
#include "tests/slow_whole_rows.hpp"

using namespace rosenblatt;

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
        CHECK(same_rows(fast, slow));
      }
  }
  for (const std::size_t lines : {0u, 1u, 254u, 255u, 256u, 100000u})
    CHECK(whole_rows(std::string(lines, '\n') + "x", {}).lines == lines);
  // The last row may end long before the text does.
  for (const std::string& rest : {std::string(100000, 'x'), '"' + std::string(100000, '\n'), random_text(70000, 1)})
    for (const std::string begin : {"a,b\n", "\"a\"\n\"b\",", ""}) {
      const std::string text = begin + rest;
      const WholeRows fast = whole_rows(text, {'\n', ',', true}), slow = slow_whole_rows(text, {'\n', ',', true});
      CHECK(same_rows(fast, slow));
    }
  return report();
}
