// Counts the words of texts, and their runs of words ("n-grams"), row by row.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "system/parallel.hpp"
#include "text/texts.hpp"
#include "text/tokens.hpp"
#include "text/word_table.hpp"

namespace rosenblatt {

inline constexpr std::uint32_t no_column = UINT32_MAX;

// How a text is split into words.
struct TokenRules {
  std::size_t ngrams = 1;    // runs of up to this many words are columns too
  std::size_t shortest = 2;  // characters of a word
};

struct WordCount {
  std::uint32_t word, count;
};

// The distinct words of consecutive rows, with their counts.
struct CountedRows {
  std::size_t first_row = 0, owner = 0;  // the table of the owner numbers the words
  std::vector<std::size_t> ends;
  std::vector<WordCount> words;
};

// Counts the words of one row after another: the distinct words in order of appearance, and how often each occurs.
class RowWordCounts {
 public:
  void begin(std::size_t most_words) {
    ++row_;
    size_ = 0;
    if (words_.size() < most_words) words_.resize(2 * most_words);
  }
  // No branches: whether a word is new to a row is hard to predict.
  void add(const std::uint32_t id) noexcept {
    Mark& mark = marks_[id];
    const bool first = mark.row != row_;
    words_[size_] = {id, 0};  // the next word overwrites it if this one is not new
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
  // Adds rows that were counted elsewhere. There must be room for the word.
  void add_rows(const std::uint32_t id, const std::uint32_t rows) noexcept { marks_[id].rows += rows; }
  // Replaces the words; rows[id] is the number of rows with word `id`.
  void renumber(const std::vector<std::uint32_t>& rows) {
    marks_ = std::vector<Mark>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) marks_[i].rows = rows[i];
  }

 private:
  struct Mark {
    std::uint64_t row = 0;  // the last row with this word, counted from 1
    std::uint32_t count = 0, rows = 0;  // occurrences in that row, and rows with the word
  };
  std::vector<Mark> marks_;
  std::vector<WordCount> words_;
  std::uint64_t row_ = 0;
  std::uint32_t size_ = 0;
};

// The buffers of one thread.
struct TextReader {
  FoldedText text;
  RowWordCounts count;
  std::vector<std::uint32_t> words, runs;
  std::vector<WordCount> scratch;
};

inline constexpr std::size_t rows_in_block = 128;

inline std::size_t blocks_of(const std::size_t rows) noexcept { return (rows + rows_in_block - 1) / rows_in_block; }

// Distributes blocks of rows over threads: work(thread, block, first row, end row).
template <class Work>
void for_each_text_block(const std::size_t rows, const std::size_t threads, const Work& work) {
  const std::size_t blocks = blocks_of(rows);
  std::atomic<std::size_t> next{0};
  parallel_rethrow(threads, std::min(blocks, threads), [&](const std::size_t thread) {
    for (std::size_t block; (block = next.fetch_add(1)) < blocks;)
      work(thread, block, block * rows_in_block, std::min(rows, (block + 1) * rows_in_block));
  });
}

inline constexpr std::size_t word_batch = 64;  // words are looked up in batches, so their slots are prefetched

// Finds the number of each word of a text with find_number(word), and passes it to use_number(number).
template <class Look, class Have>
void number_words(const WordTable& table, const FoldedText& text, const std::size_t shortest, const Look& find_number,
                  const Have& use_number) {
  std::array<WordTable::Word, word_batch> pending;
  std::array<std::uint32_t, word_batch> ids;
  std::size_t count = 0;
  const auto flush = [&] {
    for (std::size_t i = 0; i < count; ++i) ids[i] = find_number(pending[i]);
    for (std::size_t i = 0; i < count; ++i) use_number(ids[i]);
    count = 0;
  };
  text.each_word(shortest, [&](const char* begin, const std::size_t bytes) {
    new (&pending[count])
        WordTable::Word(table.word(begin, bytes));  // constructed in place, without a copy through the stack
    table.fetch(pending[count]);
    if (++count == word_batch) flush();
  });
  flush();
}

// Replaces `some` runs from `from` on by those with one word more: by their numbers, or none.
template <class Look, class Have>
[[gnu::always_inline]] inline void extend_runs(const WordTable& table, TextReader& r, const std::size_t from,
                                               const std::size_t some, const std::size_t words_before,
                                               const Look& find_number, const Have& use_number) {
  std::array<WordTable::Word, word_batch> pending;
  const std::uint32_t* const last = r.words.data() + from + words_before;
  for (std::size_t i = 0; i < some; ++i) {
    new (&pending[i]) WordTable::Word(table.run(r.runs[from + i], last[i]));
    table.fetch(pending[i]);
  }
  for (std::size_t i = 0; i < some; ++i) {
    auto& front = r.runs[from + i];
    const bool known = front != WordTable::none && last[i] != WordTable::none;
    front = known ? find_number(pending[i]) : WordTable::none;
    use_number(front);
  }
}

// The same for runs of 2 words, then of 3, and so on. Each run is a shorter run plus one word.
template <class Look, class Have>
void number_runs(const WordTable& table, TextReader& r, const std::size_t ngrams, const Look& find_number,
                 const Have& use_number) {
  r.runs = r.words;
  for (std::size_t n = 2; n <= ngrams && n <= r.words.size(); ++n) {
    const std::size_t count = r.words.size() - n + 1;
    for (std::size_t from = 0; from < count; from += word_batch)
      extend_runs(table, r, from, std::min(word_batch, count - from), n - 1, find_number, use_number);
  }
}

// Counts the words and runs of a text. find_number(word) numbers them, column(number) is what is counted.
template <class Look, class Column>
std::span<const WordCount> count_words(const WordTable& table, const TokenRules& rules, const std::string_view text,
                                       TextReader& r, const Look& find_number, const Column& column) {
  r.text.fold(text);
  r.count.begin(r.text.most_words() * rules.ngrams + 1);
  const auto count = [&](const std::uint32_t id) {
    if (id == WordTable::none) return;
    if (const auto c = column(id); c != no_column) r.count.add(c);
  };
  if (rules.ngrams == 1) {
    number_words(table, r.text, rules.shortest, find_number, count);
  } else {
    r.words.clear();
    number_words(table, r.text, rules.shortest, find_number, [&](const std::uint32_t id) {
      count(id);
      r.words.push_back(id);
    });
    number_runs(table, r, rules.ngrams, find_number, count);
  }
  return r.count.words();
}

// Counts the rows of a block with count(text).
template <class Count>
CountedRows count_block(const Texts& texts, const std::size_t from, const std::size_t to, const std::size_t owner,
                        std::vector<WordCount>& scratch, const Count& count) {
  CountedRows block{from, owner, {}, {}};
  block.ends.reserve(to - from);
  scratch.clear();
  for (std::size_t i = from; i < to; ++i) {
    const auto words = count(texts.row(i));
    scratch.insert(scratch.end(), words.begin(), words.end());
    block.ends.push_back(scratch.size());
  }
  block.words.assign(scratch.begin(), scratch.end());
  return block;
}

}  // namespace rosenblatt
