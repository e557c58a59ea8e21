// Words of a text: folding is idempotent, blanks separate, and buffers of earlier texts leave no trace.
#include "text/tokens.hpp"

#include <string>
#include <vector>

#include "fuzz/input.hpp"

using namespace rosenblatt;

using Words = std::vector<std::string>;

static Words words_of(FoldedText& folded, const std::string_view text, const std::size_t shortest = 1) {
  folded.fold(text);
  Words words;
  folded.each_word(shortest, [&](const char* begin, const std::size_t bytes) { words.emplace_back(begin, bytes); });
  return words;
}

static Words words_of(const std::string_view text) {
  FoldedText fresh;
  return words_of(fresh, text);
}

static std::size_t characters(const std::string& word) {
  std::size_t count = 0;
  for (const char c : word) count += (c & 0xc0) != 0x80;
  return count;
}

static Words ascii_words(const std::string_view text) {
  Words words;
  bool inside = false;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool letter = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (letter && !inside) words.emplace_back();
    if (letter) words.back() += static_cast<char>(upper ? c + 32 : c);
    inside = letter;
  }
  return words;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, const std::size_t size) {
  static FoldedText used;  // holds whatever the inputs before left
  Input input(data, size);
  const std::size_t shortest = 1 + input.below(4), cut = input.take<std::uint8_t>();
  const std::string_view text = input.text();
  const Words words = words_of(text);
  REQUIRE(words_of(used, text) == words);
  bool ascii = true;
  for (const char c : text) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
  if (ascii) REQUIRE(words == ascii_words(text));

  Words long_words;
  std::string joined;
  for (const auto& word : words) {
    REQUIRE(!word.empty() && word.find('\0') == word.npos);
    joined += word + ' ';
    if (characters(word) >= shortest) long_words.push_back(word);
  }
  REQUIRE(words_of(joined) == words);
  REQUIRE(words_of(used, text, shortest) == long_words);

  const std::string_view front = text.substr(0, cut), back = text.substr(front.size());
  Words parts = words_of(front);
  for (auto& word : words_of(back)) parts.push_back(word);
  REQUIRE(words_of(std::string(front) + ' ' + std::string(back)) == parts);
  return 0;
}
