// Counting the words of texts and choosing columns.
#include "text/word_counter.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/guard.hpp"
#include "bindings/module.hpp"
#include "bindings/texts.hpp"

namespace rosenblatt {
namespace {

constexpr const char* busy = "these words are being learned in another thread";

struct CountedWords {
  WordCounter counter;
  std::size_t columns = 0;
  enum { learning, chosen, broken } stage = learning;

  explicit CountedWords(const TokenRules& rules) : counter(rules) {}

  // Calls work(counter) without the GIL. If it throws halfway, the words stay broken.
  template <class Work>
  void learn(const Work& work) {
    if (stage == broken) throw std::runtime_error("learning these words was broken off");
    if (stage == chosen) throw std::runtime_error("these words are chosen");
    nb::gil_scoped_release release;
    stage = broken;
    work(counter);
    stage = learning;
  }
};
using PyWordCounter = Guarded<CountedWords>;

void learn(PyWordCounter& c, const Offsets& offsets, const Bytes& data, const OptionalBytes& valid,
           const std::size_t first, const bool keep, const std::size_t threads) {
  const Texts texts = make_texts(offsets, data, valid, first);
  c.use(busy, [&](CountedWords& words) {
    if (words.stage == CountedWords::learning) texts.check();  // bad offsets must not break the words
    words.learn([&](WordCounter& counter) { counter.learn(texts, keep, threads); });
  });
}

void add(PyWordCounter& c, const Bytes& bytes, const Vector<std::int64_t>& ends, const Vector<std::int64_t>& rows,
         const std::size_t count) {
  ChosenWords words{std::string(text_view(bytes)),
                    {ends.data(), ends.data() + ends.shape(0)},
                    {rows.data(), rows.data() + rows.shape(0)}};
  const auto size = static_cast<std::int64_t>(words.bytes.size());
  if (words.ends.size() != words.rows.size() || (words.ends.empty() ? 0 : words.ends.back()) != size ||
      !std::is_sorted(words.ends.begin(), words.ends.end()) || (!words.ends.empty() && words.ends.front() < 0))
    throw std::invalid_argument("the words do not end where their bytes end");
  c.use(busy, [&](CountedWords& counted) { counted.learn([&](WordCounter& counter) { counter.add(words, count); }); });
}

nb::tuple choose(PyWordCounter& c, const std::size_t least, const std::size_t most, const std::size_t at_most) {
  return c.use(busy, [&](CountedWords& words) {
    ChosenWords chosen;
    words.learn([&](WordCounter& counter) { chosen = counter.choose(least, most, at_most); });
    words.stage = CountedWords::chosen;
    words.columns = chosen.ends.size();
    return nb::make_tuple(to_numpy(std::vector<std::uint8_t>(chosen.bytes.begin(), chosen.bytes.end())),
                          to_numpy(std::move(chosen.ends)), to_numpy(std::move(chosen.rows)));
  });
}

bool limit_words(PyWordCounter& c, const std::size_t most) {
  return c.use(busy, [&](CountedWords& words) {
    bool kept = false;
    words.learn([&](WordCounter& counter) { kept = counter.limit_words(most); });
    return kept;
  });
}

nb::tuple kept_rows(PyWordCounter& c, const OptionalWeights& weights, const bool sublinear, const bool unit,
                    const bool wide, const std::size_t threads) {
  return c.use(busy, [&](const CountedWords& words) {
    if (words.stage == CountedWords::broken) throw std::runtime_error("learning these words was broken off");
    if (words.stage != CountedWords::chosen) throw std::runtime_error("these words are not chosen yet");
    const TermWeighting weighting = make_weighting(weights, sublinear, unit, words.columns);
    return make_csr(wide, [&]<class Value>(Value) { return words.counter.kept_rows<Value>(weighting, threads); });
  });
}

}  // namespace

void bind_word_counter(nb::module_& m) {
  nb::class_<PyWordCounter>(m, "WordCounter")
      .def(
          "__init__",
          [](PyWordCounter* where, const std::size_t ngrams, const std::size_t shortest) {
            new (where) PyWordCounter(make_rules(ngrams, shortest));
          },
          nb::arg("ngrams"), nb::arg("shortest"))
      .def("learn", &learn, nb::arg("offsets"), nb::arg("data"), nb::arg("valid").none(), nb::arg("first"),
           nb::arg("keep"), nb::arg("threads"))
      .def("add", &add, nb::arg("bytes"), nb::arg("ends"), nb::arg("rows"), nb::arg("count"))
      .def("bound", &limit_words, nb::arg("most"))
      .def("choose", &choose, nb::arg("least"), nb::arg("most"), nb::arg("at_most"))
      .def("kept_rows", &kept_rows, nb::arg("weights").none(), nb::arg("sublinear"), nb::arg("unit"), nb::arg("wide"),
           nb::arg("threads"))
      .def_prop_ro("rows", [](const PyWordCounter& c) { return c.peek().counter.rows(); });
}

}  // namespace rosenblatt
