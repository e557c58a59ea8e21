#include "text/vocabulary.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace rosenblatt {

namespace {

void check_names(const std::string_view bytes, const std::span<const std::int64_t> ends) {
  if (ends.size() > std::numeric_limits<std::int32_t>::max()) throw std::invalid_argument("there are too many words");
  if (ends.empty() ? !bytes.empty() : ends.back() != static_cast<std::int64_t>(bytes.size()))
    throw std::invalid_argument("the words do not end where their bytes end");
  const auto strange = [](const char c) { return c == 0 || static_cast<unsigned char>(c) >= 0xf8; };
  if (std::any_of(bytes.begin(), bytes.end(), strange)) throw std::invalid_argument("the words are not UTF-8");
}

}  // namespace

Vocabulary::Vocabulary(const std::string_view bytes, const std::span<const std::int64_t> ends, const TokenRules rules)
    : rules_(rules), size_(ends.size()) {
  check_names(bytes, ends);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < size_; begin = ends[i++]) {
    if (ends[i] <= begin || ends[i] > static_cast<std::int64_t>(bytes.size()))
      throw std::invalid_argument("word " + std::to_string(i) + " has no bytes");
    const auto name = bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(ends[i] - begin));
    const auto id = table_.add_name(name, rules.ngrams);
    columns_.resize(table_.size(), no_column);
    if (columns_[id] != no_column) throw std::invalid_argument("word " + std::to_string(i) + " comes twice");
    columns_[id] = static_cast<std::uint32_t>(i);
  }
}

template <class Value>
CsrTexts<Value> Vocabulary::encode(const Texts& texts, const TermWeighting& weighting,
                                   const std::size_t threads) const {
  texts.check();
  std::vector<CountedRows> blocks(blocks_of(texts.count));
  std::vector<TextReader> readers(std::min(threads, blocks.size()));
  for_each_text_block(texts.count, threads,
                      [&](const std::size_t t, const std::size_t b, const std::size_t from, const std::size_t to) {
                        TextReader& r = readers[t];
                        r.count.make_room(static_cast<std::uint32_t>(size_));
                        blocks[b] = count_block(texts, from, to, 0, r.scratch, [&](const std::string_view text) {
                          return count_words(
                              table_, rules_, text, r, [&](const WordTable::Word& w) { return table_.find(w); },
                              [&](const std::uint32_t id) { return columns_[id]; });
                        });
                      });
  return to_csr<Value>(blocks, texts.count, static_cast<std::uint32_t>(size_), weighting, threads,
                       [](std::size_t, const std::uint32_t column) { return column; });
}

template CsrTexts<float> Vocabulary::encode(const Texts&, const TermWeighting&, std::size_t) const;
template CsrTexts<double> Vocabulary::encode(const Texts&, const TermWeighting&, std::size_t) const;

}  // namespace rosenblatt
