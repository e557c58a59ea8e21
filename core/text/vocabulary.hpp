// A fixed list of words as columns. It encodes texts as CSR rows of term weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/count_words.hpp"
#include "text/term_rows.hpp"
#include "text/texts.hpp"
#include "text/word_table.hpp"

namespace rosenblatt {

class Vocabulary {
 public:
  // Column i is word i: its words separated by one space. Throws std::invalid_argument for names that cannot occur.
  Vocabulary(std::string_view bytes, std::span<const std::int64_t> ends, TokenRules rules);
  std::size_t size() const noexcept { return size_; }
  template <class Value>
  CsrTexts<Value> encode(const Texts& texts, const TermWeighting& weighting, std::size_t threads) const;

 private:
  TokenRules rules_;
  WordTable table_;
  std::vector<std::uint32_t> columns_;  // of each word in the table
  std::size_t size_ = 0;
};

}  // namespace rosenblatt
