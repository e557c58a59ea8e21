// Word counts, against std::map: for any number of threads, with words dropped or not, and encoded by the vocabulary.
#include "text/word_counter.hpp"

#include <map>
#include <set>
#include <string>

#include "fuzz/input.hpp"
#include "text/vocabulary.hpp"

using namespace rosenblatt;

struct Lines {
  std::string_view bytes;
  std::vector<std::int32_t> offsets{0};

  explicit Lines(const std::string_view text) : bytes(text) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') offsets.push_back(static_cast<std::int32_t>(i + 1));
    offsets.push_back(static_cast<std::int32_t>(text.size()));
  }
  Texts texts() const { return {bytes, offsets.data(), nullptr, offsets.size() - 1, nullptr, 0}; }
};

// The words and runs of words of one text.
static std::set<std::string> terms_of(const std::string_view text, const TokenRules rules) {
  FoldedText folded;
  folded.fold(text);
  std::vector<std::string> words;
  folded.each_word(rules.shortest, [&](const char* begin, const std::size_t n) { words.emplace_back(begin, n); });
  std::set<std::string> terms;
  for (std::size_t from = 0; from < words.size(); ++from) {
    std::string term;
    for (std::size_t n = 0; n < rules.ngrams && from + n < words.size(); ++n)
      terms.insert(term += (n ? " " : "") + words[from + n]);
  }
  return terms;
}

template <class Value>
static bool same(const CsrTexts<Value>& a, const CsrTexts<Value>& b) {
  return a.starts == b.starts && a.columns == b.columns && a.values == b.values;
}

static void require_counts(const ChosenWords& chosen, std::map<std::string, std::int64_t> rows) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < chosen.ends.size(); begin = static_cast<std::size_t>(chosen.ends[i++])) {
    const auto name = chosen.bytes.substr(begin, static_cast<std::size_t>(chosen.ends[i]) - begin);
    REQUIRE(rows.contains(name) && rows[name] == chosen.rows[i]);
    REQUIRE(i == 0 || chosen.rows[i] <= chosen.rows[i - 1]);
    rows.erase(name);
  }
  REQUIRE(rows.empty());
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, const std::size_t size) {
  Input input(data, size);
  const TokenRules rules{1 + input.below(3), 1 + input.below(3)};
  const std::size_t threads = 2 + input.below(3), most = input.take<std::uint8_t>();
  const Lines lines(input.text());
  std::map<std::string, std::int64_t> rows;
  for (std::size_t i = 0; i < lines.texts().count; ++i)
    for (const auto& term : terms_of(lines.texts().row(i), rules)) ++rows[term];

  WordCounter alone(rules), together(rules), limited(rules);
  alone.learn(lines.texts(), true, 1);
  together.learn(lines.texts(), true, threads);
  const ChosenWords chosen = alone.choose(1, SIZE_MAX, SIZE_MAX), again = together.choose(1, SIZE_MAX, SIZE_MAX);
  require_counts(chosen, rows);
  REQUIRE(chosen.bytes == again.bytes && chosen.ends == again.ends && chosen.rows == again.rows);

  const auto weights = inverse_row_frequency(chosen.rows, static_cast<std::int64_t>(alone.rows()));
  const TermWeighting weighting{weights, true, true};
  const auto kept = alone.kept_rows<double>(weighting, 1);
  const Vocabulary vocabulary(chosen.bytes, chosen.ends, rules);
  REQUIRE(same(kept, together.kept_rows<double>(weighting, threads)));
  REQUIRE(same(kept, vocabulary.encode<double>(lines.texts(), weighting, threads)));

  limited.learn(lines.texts(), false, threads);
  limited.limit_words(most);
  REQUIRE(limited.choose(1, SIZE_MAX, SIZE_MAX).ends.size() <= std::max(most, rows.size() > most ? most : rows.size()));
  return 0;
}
