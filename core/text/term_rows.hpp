// Word counts to CSR rows of term weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "system/uninitialized_vector.hpp"
#include "text/count_words.hpp"

namespace rosenblatt {

// The value of a count.
struct TermWeighting {
  std::span<const double> weights;  // one per column; empty means 1
  bool sublinear = false;           // 1 + log(count) instead of the count
  bool unit = true;                 // scale rows to length 1
};

template <class Value>
struct CsrTexts {
  std::vector<std::int64_t> starts;
  UninitializedVector<std::int32_t> columns;
  UninitializedVector<Value> values;
};

// log(x) for x > 0, with the same bits on every machine.
double natural_log(double x) noexcept;

// log((1 + n) / (1 + rows)) + 1, with the same bits on every machine.
std::vector<double> inverse_row_frequency(std::span<const std::int64_t> rows, std::int64_t n);

// Sorts by column. `buffer` is working memory; columns are at most `max_column`.
void sort_words(std::vector<WordCount>& words, std::vector<WordCount>& buffer, std::uint32_t max_column);

// Writes one row; `exact` is working memory.
template <class Value>
void write_term_weights(const std::vector<WordCount>& words, const TermWeighting& weighting, std::int32_t* columns,
                        Value* values, std::vector<double>& exact);

// Counts the words of each row that have a column: starts[i + 1] for row i.
template <class Column>
void count_entries(const CountedRows& block, const Column& column, std::vector<std::int64_t>& starts) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < block.ends.size(); ++i)
    for (; at < block.ends[i]; ++at)
      starts[block.first_row + i + 1] += column(block.owner, block.words[at].word) != no_column;
}

// Writes the entries of the rows of a block to their places.
template <class Value, class Column>
void write_entries(const CountedRows& block, const std::uint32_t max_column, const TermWeighting& weighting,
                   const Column& column, CsrTexts<Value>& out) {
  std::vector<WordCount> row, buffer;
  std::vector<double> exact;
  std::size_t at = 0;
  for (std::size_t i = 0; i < block.ends.size(); ++i) {
    row.clear();
    for (; at < block.ends[i]; ++at) {
      const auto [word, count] = block.words[at];
      if (const auto c = column(block.owner, word); c != no_column) row.push_back({c, count});
    }
    sort_words(row, buffer, max_column);
    const auto start = out.starts[block.first_row + i];
    write_term_weights(row, weighting, out.columns.data() + start, out.values.data() + start, exact);
  }
}

// Rows in their order, columns ascending. column(owner, word) is the column of a word, or no_column.
template <class Value, class Column>
CsrTexts<Value> to_csr(const std::vector<CountedRows>& blocks, const std::size_t rows, const std::uint32_t max_column,
                       const TermWeighting& weighting, const std::size_t threads, const Column& column) {
  CsrTexts<Value> out;
  out.starts.assign(rows + 1, 0);
  parallel_rethrow(threads, blocks.size(), [&](const std::size_t b) { count_entries(blocks[b], column, out.starts); });
  for (std::size_t i = 0; i < rows; ++i) out.starts[i + 1] += out.starts[i];
  out.columns.resize(static_cast<std::size_t>(out.starts[rows]));
  out.values.resize(static_cast<std::size_t>(out.starts[rows]));
  parallel_rethrow(threads, blocks.size(),
                   [&](const std::size_t b) { write_entries(blocks[b], max_column, weighting, column, out); });
  return out;
}

}  // namespace rosenblatt
