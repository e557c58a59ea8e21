// Complete rows of a chunk, against a loop over single characters.
#include "fuzz/input.hpp"
#include "tests/slow_whole_rows.hpp"

using namespace rosenblatt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, const std::size_t size) {
  Input input(data, size);
  const Separators separators{input.flag() ? '\r' : '\n', ",;\t|"[input.below(4)], input.flag()};
  const std::string_view text = input.text();
  const WholeRows fast = whole_rows(text, separators), slow = slow_whole_rows(text, separators);
  REQUIRE(same_rows(fast, slow));
  // The rows that are complete stay so when more text follows.
  const WholeRows front = whole_rows(text.substr(0, fast.end), separators);
  if (fast.misquoted == nowhere) REQUIRE(front.end == fast.end && front.lines == fast.lines);
  return 0;
}
