// Words to columns. A counter learns which words there are, in blocks of rows, each thread with a table of its own; the
// columns are then chosen and numbered by how many rows have the word (ties by its bytes), which does not depend on
// who met it first. A vocabulary turns texts into sparse rows of such columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokens.hpp"

namespace rosenblatt {

inline constexpr std::uint32_t no_column = UINT32_MAX;

// A column of texts as Arrow lays it out.
struct Texts {
  std::string_view data;
  const std::int32_t* offsets = nullptr;  // one more than rows; this or the wide ones
  const std::int64_t* wide_offsets = nullptr;
  std::size_t count = 0;
  const std::uint8_t* valid = nullptr;  // bits; null means that every row has a text
  std::size_t first_bit = 0;

  void check() const;  // throws where offsets lead out of the data; `row` trusts them
  std::string_view row(std::size_t i) const noexcept;
};

// How words are made of a text.
struct Reading {
  std::size_t ngrams = 1;  // runs of up to so many words are columns too
  std::size_t shortest = 2;  // characters of a word
};

// Words up to 16 bytes are their own key. Longer ones have their hash and their place among the long words; a run of
// words has the number of the run without its last word, and the number of that.
struct WordKey {
  std::uint64_t a, b;
  bool operator==(const WordKey&) const = default;
};

// Numbers for words, in the order in which they come.
class WordTable {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  WordTable();
  std::size_t size() const noexcept { return keys_.size(); }

  // A word as it will be looked for: its key, and where it stands if it is long.
  struct Word {
    WordKey key;
    std::string_view bytes;  // empty unless long
    std::uint32_t hash;
  };
  Word word(const char* folded, std::size_t bytes) const noexcept;  // 16 bytes must be readable
  Word run(std::uint32_t front, std::uint32_t last) const noexcept;
  void fetch(const Word& w) const noexcept { __builtin_prefetch(&slots_[w.hash & mask_]); }
  std::uint32_t find(const Word& w) const noexcept;
  std::uint32_t add(const Word& w);

  bool is_run(const std::uint32_t id) const noexcept { return keys_[id].b >> 56 == run_mark; }
  std::uint32_t front(const std::uint32_t id) const noexcept { return static_cast<std::uint32_t>(keys_[id].a >> 32); }
  std::uint32_t last(const std::uint32_t id) const noexcept { return static_cast<std::uint32_t>(keys_[id].a); }
  Word stored(std::uint32_t id) const noexcept;  // not of a run
  void append_name(std::uint32_t id, std::string& out) const;

 private:
  static constexpr std::uint64_t long_mark = 0xff, run_mark = 0xfe;  // in the last byte, which UTF-8 never has
  struct Slot {
    std::uint32_t hash, id;
  };
  std::uint32_t hash(WordKey key) const noexcept;
  std::string_view long_word(std::uint64_t b) const noexcept;
  void grow();

  std::vector<Slot> slots_;
  std::size_t mask_;
  std::vector<WordKey> keys_;
  std::vector<char> long_words_;
  std::uint64_t seed_;
};

struct WordCount {
  std::uint32_t word, count;
};

// The words of some rows that follow each other, each word once a row, with its count.
struct CountedRows {
  std::size_t first_row = 0, owner = 0;  // the owner's table numbers the words
  std::vector<std::size_t> ends;
  std::vector<WordCount> words;
};

// What a count is worth.
struct Worth {
  std::span<const double> weights;  // of each column; empty: 1
  bool sublinear = false;  // 1 + log(count)
  bool unit = true;  // rows of length 1
};

template <class Value>
struct SparseTexts {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> columns;
  std::vector<Value> values;
};

// The chosen words, most rows first: their bytes one after the other, where each ends, and how many rows have each.
struct ChosenWords {
  std::string bytes;
  std::vector<std::int64_t> ends, rows;
};

class WordCounter {
 public:
  explicit WordCounter(Reading reading) : reading_(reading) {}
  void learn(const Texts& texts, bool keep, std::size_t threads);
  std::size_t rows() const noexcept { return rows_; }

  // Ends the learning. Words of fewer than `least` rows or more than `most` are left out, then all but the first.
  ChosenWords choose(std::size_t least, std::size_t most, std::size_t at_most);
  template <class Value>
  SparseTexts<Value> kept_rows(const Worth& worth, std::size_t threads) const;
  void forget() { kept_ = {}; }

 private:
  struct Mark {
    std::uint64_t row = 0;  // the last one with this word, counted from 1
    std::uint32_t place = 0, rows = 0;
  };
  struct Shard {
    WordTable table;
    std::vector<Mark> marks;
    FoldedText text;
    std::vector<WordTable::Word> pending;
    std::vector<std::uint32_t> words, runs;
    std::uint64_t row = 0;
    std::vector<std::uint32_t> columns;  // when chosen
  };
  void count_row(Shard& shard, std::string_view text, std::vector<WordCount>& out) const;

  Reading reading_;
  std::vector<Shard> shards_;
  std::vector<CountedRows> kept_;
  std::size_t rows_ = 0;
};

class Vocabulary {
 public:
  // Columns in the order of the names, each of words with one space between them. Throws what is wrong with them.
  Vocabulary(std::string_view bytes, std::span<const std::int64_t> ends, Reading reading);
  std::size_t size() const noexcept { return size_; }
  template <class Value>
  SparseTexts<Value> encode(const Texts& texts, const Worth& worth, std::size_t threads) const;

 private:
  struct Counting;
  void count_row(Counting& c, std::string_view text, std::vector<WordCount>& out) const;

  Reading reading_;
  WordTable table_;
  std::vector<std::uint32_t> columns_;  // of each word in the table
  std::size_t size_ = 0;
};

// log((1 + n) / (1 + rows)) + 1, the same bits on every machine.
std::vector<double> inverse_row_frequency(std::span<const std::int64_t> rows, std::int64_t n);

}  // namespace rosenblatt
