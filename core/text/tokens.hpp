// Words of a text. A word is a longest run of letters, digits and underscores, as Unicode and Python's \w define them,
// with the marks and joiners that follow. Letters are case-folded one by one. Bytes that are not UTF-8 end a word.
//
// Two steps: `fold` writes the text with letters folded and 0 for every byte outside words. Then the edges of the runs
// between zeros are found, 64 bytes at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace rosenblatt {

class FoldedText {
 public:
  void fold(std::string_view text);

  // Calls word(begin, bytes) for each word of at least `shortest` characters. Memory is readable in blocks of 16 bytes
  // from `begin` to the end of the word.
  template <class Word>
  void each_word(const std::size_t shortest, const Word& word) const {
    for (std::size_t i = 0; i < edge_count_; i += 2) {
      const char* const begin = bytes_.data() + edges_[i];
      const std::size_t bytes = edges_[i + 1] - edges_[i];
      if (bytes < shortest || (!ascii_ && characters(begin, bytes) < shortest)) continue;
      word(begin, bytes);
    }
  }
  std::size_t most_words() const noexcept { return edge_count_ / 2; }

 private:
  static std::size_t characters(const char* word, const std::size_t bytes) noexcept {
    std::size_t count = 0;
    for (std::size_t i = 0; i < bytes; ++i) count += (word[i] & 0xc0) != 0x80;
    return count;
  }
  void find_edges();

  std::vector<char> bytes_;                   // the folded text, padded with zeros to whole blocks
  std::vector<std::size_t> edges_;            // alternately where words begin and end
  std::size_t size_ = 0, edge_count_ = 0;
  bool ascii_ = true;
};

}  // namespace rosenblatt
