// Words, vocabularies and LIBSVM text, against slow loops and hostile input.
#include <map>
#include <string>

#include "tests/check.hpp"
#include "text/svmlight.hpp"
#include "text/vocabulary.hpp"
#include "text/word_counter.hpp"

using namespace rosenblatt;

static std::vector<std::string> words_of(const std::string& text, const std::size_t shortest = 1) {
  FoldedText folded;
  folded.fold(text);
  std::vector<std::string> words;
  folded.each_word(shortest, [&](const char* begin, const std::size_t bytes) { words.emplace_back(begin, bytes); });
  return words;
}

using Words = std::vector<std::string>;

static void words_end_where_they_should() {
  CHECK(words_of("") == Words{});
  CHECK(words_of("Don't STOP_2 me") == (Words{"don", "t", "stop_2", "me"}));
  CHECK(words_of("a bc d", 2) == Words{"bc"});
  CHECK(words_of("\xc3\x89T\xc3\x89") == Words{"\xc3\xa9t\xc3\xa9"});                      // ÉTÉ
  CHECK(words_of("\xc3\xa9 \xc3\xa9t", 2) == Words{"\xc3\xa9t"});                          // é is one character
  CHECK(words_of("e\xcc\x81t \xcc\x81") == Words{"e\xcc\x81t"});  // a mark continues a word but does not start one
  CHECK(words_of("\xe2\x84\xaa\xc8\xba") == Words{"k\xe2\xb1\xa5"});  // Kelvin shrinks, Ⱥ grows
  CHECK(words_of("ab\xff"
                 "cd\xc3") == (Words{"ab", "cd"}));  // not UTF-8
  CHECK(words_of("x\xed\xa0\x80y\xf4\x90\x80\x80z\xc0\xafw") == (Words{"x", "y", "z", "w"}));
}

// Words of many lengths at every position of a block.
static void blocks_join() {
  for (std::size_t before = 0; before < 130; ++before)
    for (const std::size_t length : {1u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 128u, 200u}) {
      const std::string word(length, 'Q'), low(length, 'q');
      CHECK(words_of(std::string(before, ' ') + word) == Words{low});
      CHECK(words_of(std::string(before, 'x') + " " + word + " z") ==
            (before ? Words{std::string(before, 'x'), low, "z"} : Words{low, "z"}));
    }
}

static std::string random_text(const std::size_t length, const std::uint64_t seed) {
  static const std::string alphabet[] = {"a",        "B",    "c",    " ", " ", "é", "Σ",
                                         "\xcc\x81", "\xff", "\xe2", "9", "_", "-", "漢"};
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += alphabet[random_bits(seed, i) % std::size(alphabet)];
  return text;
}

struct Column {
  std::string bytes;
  std::vector<std::int64_t> offsets{0};
  Texts texts() const { return {bytes, nullptr, offsets.data(), offsets.size() - 1, nullptr, 0}; }
  void add(const std::string& text) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
};

static void counts_are_right_for_any_threads() {
  Column column;
  std::map<std::string, std::int64_t> rows;
  for (std::size_t i = 0; i < 700; ++i) {
    const std::string text = random_text(1 + i % 90, i);
    column.add(text);
    std::map<std::string, int> here;
    const auto words = words_of(text);
    for (std::size_t w = 0; w < words.size(); ++w) {
      here[words[w]] = 1;
      if (w + 1 < words.size()) here[words[w] + ' ' + words[w + 1]] = 1;
    }
    for (const auto& [word, one] : here) rows[word] += one;
  }
  std::string bytes;
  CsrTexts<double> first;
  for (const std::size_t threads : {1u, 2u, 5u}) {
    WordCounter counter({2, 1});
    counter.learn(column.texts(), true, threads);
    const ChosenWords chosen = counter.choose(1, SIZE_MAX, SIZE_MAX);
    CHECK(chosen.rows.size() == rows.size());
    for (std::size_t i = 0, begin = 0; i < chosen.rows.size(); begin = static_cast<std::size_t>(chosen.ends[i++])) {
      const auto name = chosen.bytes.substr(begin, static_cast<std::size_t>(chosen.ends[i]) - begin);
      CHECK(rows.at(name) == chosen.rows[i]);
      CHECK(i == 0 || chosen.rows[i] <= chosen.rows[i - 1]);
    }
    const auto weights = inverse_row_frequency(chosen.rows, 700);
    const TermWeighting weighting{weights, true, true};
    const auto kept = counter.kept_rows<double>(weighting, threads);
    const auto encoded =
        Vocabulary(chosen.bytes, chosen.ends, {2, 1}).encode<double>(column.texts(), weighting, threads);
    CHECK(kept.starts == encoded.starts && kept.columns == encoded.columns && kept.values == encoded.values);
    if (threads == 1) bytes = chosen.bytes, first = kept;
    CHECK(bytes == chosen.bytes && first.columns == kept.columns && first.values == kept.values);
  }
}

template <class Work>
static bool refused(const Work& work) {
  try {
    work();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

static void hostile_input_is_refused() {
  const std::int32_t falling[] = {0, 5, 3}, beyond[] = {0, 2, 9}, negative[] = {-4, 2, 3};
  for (const auto* offsets : {falling, beyond, negative}) {
    Texts texts;
    texts.data = "abc";
    texts.offsets = offsets;
    texts.count = 2;
    CHECK(refused([&] { WordCounter({1, 1}).learn(texts, true, 1); }));
  }
  const auto vocabulary = [](const std::string& bytes, const std::vector<std::int64_t>& ends) {
    return refused([&] { Vocabulary(bytes, ends, {2, 1}); });
  };
  CHECK(!vocabulary("abb c", {1, 2, 5}));
  CHECK(vocabulary("ab", {1}) && vocabulary("ab", {2, 1}) && vocabulary("ab", {1, 3}) && vocabulary("", {0}));
  CHECK(vocabulary("aa", {1, 2}) && vocabulary("a b c", {5}) && vocabulary("a  b", {4}));
  CHECK(vocabulary(std::string(15, 'a') + '\xff', {16}) && vocabulary(std::string(1, '\0'), {1}));
}

static void svmlight_is_read_and_checked() {
  const auto rows = read_svmlight("# top\n+1 qid:7 1:0.1 3:-2e-3 # c\r\n\n-1.5\t2:1\n0", 10, 1);
  CHECK((rows.labels == std::vector<double>{1.0, -1.5, 0.0}));
  CHECK((rows.starts == std::vector<std::int64_t>{0, 2, 3, 3}) && (rows.indices == std::vector<std::int32_t>{1, 3, 2}));
  CHECK((rows.values == std::vector<double>{0.1, -2e-3, 1.0}) &&
        (rows.queries == std::vector<std::int64_t>{7, -1, -1}));
  CHECK(rows.least == 1 && rows.most == 3 && rows.lines == 5);
  for (const char* bad :
       {"1 1", "1 1:", "1 :1", "1 2:1 2:1", "1 11:1", "x", "1,2 1:1", "1 1:nan", "1 1:1e999", "1 1:1e", "1 qid:x 1:1",
        "1 99999999999:1", "1 1:1 qid:3", "-", "+-1 1:1", "1 1:1:1", "1 -1:2"}) {
    bool said = false;
    try {
      read_svmlight(std::string("1 1:1\n") + bad, 10, 2);
    } catch (const SvmlightError& error) {
      said = error.line == 1;
    }
    CHECK(said);
  }
  std::string many;
  for (int i = 0; i < 200000; ++i) many += i % 2 ? "1 1:0.5 7:3\n" : "-1 2:1.25\n";
  const auto one = read_svmlight(many, 10, 1), three = read_svmlight(many, 10, 3);
  CHECK(one.labels == three.labels && one.starts == three.starts && one.values == three.values);
  CHECK(one.labels.size() == 200000 && one.indices.size() == 300000);
}

int main() {
  words_end_where_they_should();
  blocks_join();
  counts_are_right_for_any_threads();
  hostile_input_is_refused();
  svmlight_is_read_and_checked();
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::string junk;
    for (std::size_t i = 0; i < seed % 200; ++i) junk += static_cast<char>(random_bits(seed, i));
    words_of(junk);
    try {
      read_svmlight(junk, 1000, 1);
    } catch (const SvmlightError&) {
      // refusing is fine: the test only looks for crashes
    }
  }
  return report();
}
