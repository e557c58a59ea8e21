// Words of a text. A word is a longest run of letters, digits and underscores, as Unicode and Python's \w have them,
// with the marks and joiners that follow them; letters are folded to one case, each by itself. Bytes that are not
// UTF-8 end a word.
//
// In two steps: `fold` writes the text with letters folded and 0 for all that is no part of a word; `each_word` then
// finds the runs between the zeros, 64 bytes at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace rosenblatt {

// Folded text, followed by zeros enough to read whole blocks.
class FoldedText {
 public:
  void fold(std::string_view text);
  const char* data() const noexcept { return bytes_.data(); }
  std::size_t size() const noexcept { return size_; }

  static constexpr std::size_t block = 64;

 private:
  std::vector<char> bytes_;
  std::size_t size_ = 0;
};

// Which of 64 bytes are not 0, the first byte in the lowest bit.
inline std::uint64_t nonzero_bytes(const char* p) noexcept {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t x;
    std::memcpy(&x, p + 8 * i, 8);
    if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap64(x);
    constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f;
    const std::uint64_t high_bits = ((((x & low) + low) | x) & ~low) >> 7;
    mask |= (high_bits * 0x0102040810204080 >> 56) << (8 * i);  // gathers the eight bits in the top byte
  }
  return mask;
}

inline std::size_t characters(const char* word, const std::size_t bytes) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < bytes; ++i) count += (word[i] & 0xc0) != 0x80;
  return count;
}

// Calls word(begin, bytes) for each word of at least `shortest` characters.
template <class Word>
void each_word(const FoldedText& text, const std::size_t shortest, const Word& word) {
  const char *data = text.data(), *begin = data;
  const auto end_word = [&](const char* end) {
    const auto bytes = static_cast<std::size_t>(end - begin);
    if (bytes < shortest || (bytes < 4 * shortest && characters(begin, bytes) < shortest)) return;
    word(begin, bytes);
  };
  std::uint64_t inside = 0;                                         // 1 after a block that ended within a word
  for (std::size_t at = 0; at < text.size(); at += FoldedText::block) {
    const std::uint64_t mask = nonzero_bytes(data + at);
    std::uint64_t edges = mask ^ (mask << 1 | inside);              // where words begin and end, in turn
    if (inside && edges) {
      end_word(data + at + std::countr_zero(edges));
      edges &= edges - 1;
      inside = 0;
    }
    while (edges) {
      begin = data + at + std::countr_zero(edges);
      edges &= edges - 1;
      if (!edges) break;
      end_word(data + at + std::countr_zero(edges));
      edges &= edges - 1;
    }
    inside = mask >> 63;
  }
  if (inside) end_word(data + text.size());
}

}  // namespace rosenblatt
