// LIBSVM text: the same rows and errors for blocks of any size, and the numbers that strtod reads.
#include "text/svmlight.hpp"

#include <optional>
#include <string>

#include "fuzz/input.hpp"

using namespace rosenblatt;

struct Outcome {
  SvmlightRows rows;
  std::string error;
  std::size_t line = 0;
};

static Outcome read(const std::string_view text, const std::int32_t limit, const std::size_t threads,
                    const std::size_t block_bytes) {
  Outcome outcome;
  try {
    outcome.rows = read_svmlight(text, limit, threads, block_bytes);
  } catch (const SvmlightError& error) {
    outcome.error = error.what();
    outcome.line = error.line;
  }
  return outcome;
}

static bool same(const SvmlightRows& a, const SvmlightRows& b) {
  return a.labels == b.labels && a.starts == b.starts && a.indices == b.indices && a.values == b.values &&
         a.queries == b.queries && a.least == b.least && a.most == b.most && a.lines == b.lines;
}

// Takes the next word of a line; empty at its end or at a comment.
static std::string next_word(std::string_view& line) {
  const char* const blanks = " \t\r\v\f";
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r\v\f#"));
  line.remove_prefix(word.size());
  return std::string(word);
}

// Reads accepted text again, a word at a time.
static void require_numbers(std::string_view text, const SvmlightRows& rows) {
  std::size_t row = 0, entry = 0, lines = 0;
  for (; !text.empty(); ++lines) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::string word = next_word(line);
    if (word.empty()) continue;
    REQUIRE(row < rows.labels.size() && rows.labels[row] == std::strtod(word.c_str(), nullptr));
    for (word = next_word(line); !word.empty(); word = next_word(line)) {
      char* after = nullptr;
      if (word.starts_with("qid:")) {
        REQUIRE(rows.queries[row] == std::strtoll(word.c_str() + 4, nullptr, 10));
        continue;
      }
      REQUIRE(entry < rows.values.size() && rows.indices[entry] == std::strtoll(word.c_str(), &after, 10));
      REQUIRE(*after == ':' && rows.values[entry] == std::strtod(after + 1, nullptr));
      ++entry;
    }
    REQUIRE(rows.starts[++row] == static_cast<std::int64_t>(entry));
  }
  REQUIRE(row == rows.labels.size() && entry == rows.values.size() && lines == rows.lines);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, const std::size_t size) {
  Input input(data, size);
  const std::int32_t limit = input.flag() ? INT32_MAX - 1 : 100;
  const std::size_t block_bytes = 1 + input.below(64), threads = input.below(64) == 1 ? 3 : 1;
  const std::string_view text = input.text();
  const Outcome whole = read(text, limit, 1, SIZE_MAX), blocks = read(text, limit, threads, block_bytes);
  REQUIRE(whole.error == blocks.error && whole.line == blocks.line && same(whole.rows, blocks.rows));
  if (whole.error.empty()) require_numbers(text, whole.rows);
  return 0;
}
