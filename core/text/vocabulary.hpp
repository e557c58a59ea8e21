// Words to columns. A counter learns which words there are, in blocks of rows, each thread with a table of its own; the
// columns are then chosen and numbered by how many rows have the word (ties by its bytes), which does not depend on
// who met it first. A vocabulary turns texts into sparse rows of such columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "system/uninitialized_vector.hpp"
#include "text/tokens.hpp"
#include "text/word_table.hpp"

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
  UnsetVector<std::int32_t> columns;
  UnsetVector<Value> values;
};

// The chosen words, most rows first: their bytes one after the other, where each ends, and how many rows have each.
struct ChosenWords {
  std::string bytes;
  std::vector<std::int64_t> ends, rows;
};

// Counts the words of one row after the other: which were met, in the order in which they came, and how often.
class RowCount {
 public:
  void begin(std::size_t most_words) {
    ++row_;
    size_ = 0;
    if (words_.size() < most_words) words_.resize(2 * most_words);
  }
  // No branches: whether a word is new to a row is hard to foresee.
  void add(const std::uint32_t id) noexcept {
    Mark& mark = marks_[id];
    const bool first = mark.row != row_;
    words_[size_] = {id, 0};  // overwritten by the next word if this one is not new
    size_ += first;
    mark = {row_, (mark.count & (first - 1u)) + 1, mark.rows + first};
  }
  void make_room(const std::uint32_t id) {
    if (marks_.size() <= id) marks_.resize(2 * (std::size_t{id} + 1));
    __builtin_prefetch(&marks_[id]);
  }
  std::span<const WordCount> words() noexcept {
    for (std::size_t i = 0; i < size_; ++i) words_[i].count = marks_[words_[i].word].count;
    return {words_.data(), size_};
  }
  std::uint32_t rows(const std::size_t id) const noexcept { return id < marks_.size() ? marks_[id].rows : 0; }
  // Other words from here on, each in so many rows.
  void renumber(const std::vector<std::uint32_t>& rows) {
    marks_ = std::vector<Mark>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) marks_[i].rows = rows[i];
  }

 private:
  struct Mark {
    std::uint64_t row = 0;  // the last one with this word, counted from 1
    std::uint32_t count = 0, rows = 0;  // there, and rows so far
  };
  std::vector<Mark> marks_;
  std::vector<WordCount> words_;
  std::uint64_t row_ = 0;
  std::uint32_t size_ = 0;
};

// What one thread reads texts with.
struct Reader {
  FoldedText text;
  RowCount count;
  std::vector<std::uint32_t> words, runs;
  std::vector<WordCount> scratch;
};

class WordCounter {
 public:
  explicit WordCounter(Reading reading) : reading_(reading) {}
  void learn(const Texts& texts, bool keep, std::size_t threads);
  std::size_t rows() const noexcept { return rows_; }

  // Where more than `most` words are counted, forgets the rarest, down to half as many; whether the rows kept are still
  // there. What is forgotten does not depend on the number of threads, nor on whether rows are kept.
  bool bound(std::size_t most);

  // Ends the learning. Words of fewer than `least` rows or more than `most` are left out, then all but the first.
  ChosenWords choose(std::size_t least, std::size_t most, std::size_t at_most);
  template <class Value>
  SparseTexts<Value> kept_rows(const Worth& worth, std::size_t threads) const;

 private:
  struct Shard {
    WordTable table;
    Reader reader;
    std::vector<std::uint32_t> columns;  // when chosen
  };

  std::vector<std::uint32_t> merge();  // into the first shard; the rows of each of its words

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
  Reading reading_;
  WordTable table_;
  std::vector<std::uint32_t> columns_;  // of each word in the table
  std::size_t size_ = 0;
};

// log((1 + n) / (1 + rows)) + 1, the same bits on every machine.
std::vector<double> inverse_row_frequency(std::span<const std::int64_t> rows, std::int64_t n);

}  // namespace rosenblatt
