// A vocabulary and texts as a file may hold them: refused, or encoded as sound rows.
#include "text/vocabulary.hpp"

#include <cmath>
#include <stdexcept>

#include "fuzz/input.hpp"

using namespace rosenblatt;

static void require_sound(const CsrTexts<double>& rows, const std::size_t count, const std::size_t columns) {
  REQUIRE(rows.starts.size() == count + 1 && rows.starts[0] == 0);
  for (std::size_t i = 0; i < count; ++i) {
    double squares = 0.0;
    for (auto at = static_cast<std::size_t>(rows.starts[i]); at < static_cast<std::size_t>(rows.starts[i + 1]); ++at) {
      const std::int32_t column = rows.columns[at];
      REQUIRE(column >= 0 && static_cast<std::size_t>(column) < columns);
      REQUIRE(at == static_cast<std::size_t>(rows.starts[i]) || rows.columns[at - 1] < column);
      squares += rows.values[at] * rows.values[at];
    }
    REQUIRE(squares == 0.0 || std::abs(squares - 1.0) < 1e-9);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, const std::size_t size) {
  Input input(data, size);
  const TokenRules rules{1 + input.below(3), 1 + input.below(3)};
  const std::size_t word_bytes = input.take<std::uint8_t>();
  std::vector<std::int64_t> ends(input.below(12)), wide(1 + input.below(6));
  std::vector<std::int32_t> narrow(wide.size());
  for (auto& end : ends) end = input.take<std::int8_t>();
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = narrow[i] = input.take<std::int16_t>();
  const std::uint8_t valid = input.take<std::uint8_t>();
  const std::string_view text = input.text(), words = text.substr(0, word_bytes);
  Texts texts{text.substr(words.size()), nullptr, nullptr, wide.size() - 1, nullptr, 0};
  if (valid % 2) texts.offsets = narrow.data();
  else texts.wide_offsets = wide.data();
  if (valid % 4 > 1) texts.valid = &valid;
  try {
    const Vocabulary vocabulary(words, ends, rules);
    require_sound(vocabulary.encode<double>(texts, {}, 1), texts.count, vocabulary.size());
  } catch (const std::invalid_argument&) {
    // refused
  }
  return 0;
}
