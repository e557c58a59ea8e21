// Learns which words texts contain, in blocks of rows; each thread has its own table. Columns are then chosen and
// numbered by how many rows contain the word, ties by its bytes, so the numbers do not depend on the threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/count_words.hpp"
#include "text/term_rows.hpp"
#include "text/texts.hpp"
#include "text/word_table.hpp"

namespace rosenblatt {

// The chosen words, most frequent first: their concatenated bytes, where each ends, and how many rows contain each.
struct ChosenWords {
  std::string bytes;
  std::vector<std::int64_t> ends, rows;
};

class WordCounter {
 public:
  explicit WordCounter(TokenRules rules) : rules_(rules) {}
  void learn(const Texts& texts, bool keep, std::size_t threads);
  // Adds what another counter with the same rules counted in other texts. The result is as if this one had learned
  // them.
  void add(const ChosenWords& words, std::size_t rows);
  std::size_t rows() const noexcept { return rows_; }

  // If more than `most` words are counted, drops the rarest until at most half as many are left. Returns whether the
  // kept rows are still valid. The dropped words do not depend on threads, nor on whether rows are kept.
  bool limit_words(std::size_t most);

  // Ends the learning. Drops words in fewer than `least` or more than `most` rows, then all but the first `at_most`.
  ChosenWords choose(std::size_t least, std::size_t most, std::size_t at_most);
  template <class Value>
  CsrTexts<Value> kept_rows(const TermWeighting& weighting, std::size_t threads) const;

 private:
  struct Shard {
    WordTable table;
    TextReader reader;
    std::vector<std::uint32_t> columns;  // of each word, once chosen
  };

  std::span<const WordCount> count_row(Shard& s, std::string_view text) const;
  void give_columns(std::vector<std::uint32_t> columns, std::vector<std::vector<std::uint32_t>> numbers);

  // Merges all tables into that of the first shard. `numbers`, if not null, receives the numbers that the words of each
  // shard get there. Returns the number of rows of each word.
  template <class Count>
  std::vector<Count> merge(std::vector<std::vector<std::uint32_t>>* numbers);

  TokenRules rules_;
  std::vector<Shard> shards_;
  std::vector<CountedRows> kept_;
  std::size_t rows_ = 0;
};

}  // namespace rosenblatt
