// Words, lines and LIBSVM text in Python; docstrings live in data/text.py, data/lines.py and data/svmlight.py.
#include <nanobind/stl/optional.h>

#include <atomic>
#include <optional>
#include <stdexcept>

#include "bindings/bindings.hpp"
#include "text/lines.hpp"
#include "text/svmlight.hpp"
#include "text/vocabulary.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

using Bytes = Vector<std::uint8_t>;
using Offsets = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu, nb::ro>;

std::string_view view(const Bytes& b) { return {reinterpret_cast<const char*>(b.data()), b.shape(0)}; }

Texts texts_of(const Offsets& offsets, const Bytes& data, const std::optional<Bytes>& valid, const std::size_t first) {
  Texts t;
  if (offsets.shape(0) == 0) throw std::invalid_argument("offsets are empty");
  t.data = view(data);
  t.count = offsets.shape(0) - 1;
  if (offsets.dtype() == nb::dtype<std::int32_t>()) t.offsets = static_cast<const std::int32_t*>(offsets.data());
  else if (offsets.dtype() == nb::dtype<std::int64_t>())
    t.wide_offsets = static_cast<const std::int64_t*>(offsets.data());
  else throw std::invalid_argument("offsets are neither int32 nor int64");
  if (valid) {
    if (t.count != 0 && (first + t.count - 1) / 8 >= valid->shape(0))
      throw std::invalid_argument("the bits of rows that are there end early");
    t.valid = valid->data();
    t.first_bit = first;
  }
  return t;
}

Worth worth_of(const std::optional<Vector<double>>& weights, const bool sublinear, const bool unit,
               const std::size_t columns) {
  Worth w;
  if (weights) {
    if (weights->shape(0) != columns) throw std::invalid_argument("weights and columns differ in number");
    w.weights = {weights->data(), columns};
  }
  w.sublinear = sublinear;
  w.unit = unit;
  return w;
}

template <class Value>
nb::tuple to_python(SparseTexts<Value>&& s) {
  const std::size_t starts = s.starts.size(), stored = s.columns.size();
  return nb::make_tuple(to_numpy(std::move(s.starts), {starts}), to_numpy(std::move(s.columns), {stored}),
                        to_numpy(std::move(s.values), {stored}));
}

// Calls make(Value{}) without the GIL, with float or double.
template <class Make>
nb::tuple in_precision(const bool wide, const Make& make) {
  const auto run = [&]<class Value>(Value zero) {
    SparseTexts<Value> made;
    {
      nb::gil_scoped_release release;
      made = make(zero);
    }
    return to_python(std::move(made));
  };
  return wide ? run(0.0) : run(0.0f);
}

Reading reading(const std::size_t ngrams, const std::size_t shortest) {
  if (ngrams < 1 || shortest < 1) throw std::invalid_argument("ngrams and shortest must be at least 1");
  return {ngrams, shortest};
}

struct BoundCounter {
  WordCounter counter;
  std::size_t columns = 0;
  enum { learning, chosen, broken } stage = learning;
  std::atomic_flag busy;
};

// Runs `work` in one thread at a time.
template <class Work>
auto alone(BoundCounter& c, const Work& work) {
  if (c.busy.test_and_set()) throw std::runtime_error("these words are being learned in another thread");
  struct Release {
    std::atomic_flag& busy;
    ~Release() { busy.clear(); }
  } release{c.busy};
  if (c.stage == BoundCounter::broken) throw std::runtime_error("learning these words was broken off");
  return work();
}

}  // namespace

void bind_text(nb::module_& m) {
  nb::class_<BoundCounter>(m, "WordCounter")
      .def(
          "__init__",
          [](BoundCounter* where, const std::size_t ngrams, const std::size_t shortest) {
            new (where) BoundCounter{WordCounter(reading(ngrams, shortest)), 0, BoundCounter::learning, {}};
          },
          nb::arg("ngrams"), nb::arg("shortest"))
      .def(
          "learn",
          [](BoundCounter& c, const Offsets& offsets, const Bytes& data, const std::optional<Bytes>& valid,
             const std::size_t first, const bool keep, const std::size_t threads) {
            const Texts texts = texts_of(offsets, data, valid, first);
            alone(c, [&] {
              if (c.stage != BoundCounter::learning) throw std::runtime_error("these words are chosen");
              texts.check();
              nb::gil_scoped_release release;
              c.stage = BoundCounter::broken;
              c.counter.learn(texts, keep, threads);
              c.stage = BoundCounter::learning;
            });
          },
          nb::arg("offsets"), nb::arg("data"), nb::arg("valid").none(), nb::arg("first"), nb::arg("keep"),
          nb::arg("threads"))
      .def(
          "bound",
          [](BoundCounter& c, const std::size_t most) {
            return alone(c, [&] {
              if (c.stage != BoundCounter::learning) throw std::runtime_error("these words are chosen");
              nb::gil_scoped_release release;
              c.stage = BoundCounter::broken;
              const bool kept = c.counter.bound(most);
              c.stage = BoundCounter::learning;
              return kept;
            });
          },
          nb::arg("most"))
      .def(
          "choose",
          [](BoundCounter& c, const std::size_t least, const std::size_t most, const std::size_t at_most) {
            return alone(c, [&] {
              if (c.stage != BoundCounter::learning) throw std::runtime_error("these words are chosen");
              ChosenWords words;
              {
                nb::gil_scoped_release release;
                c.stage = BoundCounter::broken;
                words = c.counter.choose(least, most, at_most);
                c.stage = BoundCounter::chosen;
              }
              c.columns = words.ends.size();
              std::vector<std::uint8_t> bytes(words.bytes.begin(), words.bytes.end());
              const std::size_t size = bytes.size();
              return nb::make_tuple(to_numpy(std::move(bytes), {size}), to_numpy(std::move(words.ends), {c.columns}),
                                    to_numpy(std::move(words.rows), {c.columns}));
            });
          },
          nb::arg("least"), nb::arg("most"), nb::arg("at_most"))
      .def(
          "kept_rows",
          [](BoundCounter& c, const std::optional<Vector<double>>& weights, const bool sublinear, const bool unit,
             const bool wide, const std::size_t threads) {
            return alone(c, [&] {
              if (c.stage != BoundCounter::chosen) throw std::runtime_error("these words are not chosen yet");
              const Worth worth = worth_of(weights, sublinear, unit, c.columns);
              return in_precision(wide, [&]<class Value>(Value) { return c.counter.kept_rows<Value>(worth, threads); });
            });
          },
          nb::arg("weights").none(), nb::arg("sublinear"), nb::arg("unit"), nb::arg("wide"), nb::arg("threads"))
      .def_prop_ro("rows", [](const BoundCounter& c) { return c.counter.rows(); });

  nb::class_<Vocabulary>(m, "Vocabulary")
      .def(
          "__init__",
          [](Vocabulary* where, const Bytes& bytes, const Vector<std::int64_t>& ends, const std::size_t ngrams,
             const std::size_t shortest) {
            const std::span<const std::int64_t> each(ends.data(), ends.shape(0));
            nb::gil_scoped_release release;
            new (where) Vocabulary(view(bytes), each, reading(ngrams, shortest));
          },
          nb::arg("bytes"), nb::arg("ends"), nb::arg("ngrams"), nb::arg("shortest"))
      .def(
          "encode",
          [](const Vocabulary& v, const Offsets& offsets, const Bytes& data, const std::optional<Bytes>& valid,
             const std::size_t first, const std::optional<Vector<double>>& weights, const bool sublinear,
             const bool unit, const bool wide, const std::size_t threads) {
            const Texts texts = texts_of(offsets, data, valid, first);
            const Worth worth = worth_of(weights, sublinear, unit, v.size());
            return in_precision(wide, [&]<class Value>(Value) { return v.encode<Value>(texts, worth, threads); });
          },
          nb::arg("offsets"), nb::arg("data"), nb::arg("valid").none(), nb::arg("first"), nb::arg("weights").none(),
          nb::arg("sublinear"), nb::arg("unit"), nb::arg("wide"), nb::arg("threads"))
      .def("__len__", &Vocabulary::size);

  m.def(
      "whole_rows",
      [](const Bytes& text, const char newline, const char delimiter, const bool quotes) {
        WholeRows r;
        {
          nb::gil_scoped_release release;
          r = whole_rows(view(text), {newline, delimiter, quotes});
        }
        const auto place = [](const std::size_t at) { return at == nowhere ? nb::none() : nb::object(nb::int_(at)); };
        return nb::make_tuple(r.end, r.lines, place(r.left_open), place(r.misquoted));
      },
      nb::arg("text"), nb::arg("newline"), nb::arg("delimiter"), nb::arg("quotes"));
  m.def(
      "read_svmlight",
      [](const Bytes& text, const std::int32_t limit, const std::size_t threads) {
        SvmlightRows r;
        try {
          nb::gil_scoped_release release;
          r = read_svmlight(view(text), limit, threads);
        } catch (const SvmlightError& error) {
          return nb::make_tuple(error.line, error.what());
        }
        const std::size_t rows = r.labels.size(), stored = r.indices.size(), queries = r.queries.size();
        return nb::make_tuple(to_numpy(std::move(r.starts), {rows + 1}), to_numpy(std::move(r.indices), {stored}),
                              to_numpy(std::move(r.values), {stored}), to_numpy(std::move(r.labels), {rows}),
                              to_numpy(std::move(r.queries), {queries}), r.least, r.most, r.lines);
      },
      nb::arg("text"), nb::arg("limit"), nb::arg("threads"));
  m.def(
      "inverse_row_frequency",
      [](const Vector<std::int64_t>& rows, const std::int64_t n) {
        return to_numpy(inverse_row_frequency({rows.data(), rows.shape(0)}, n), {rows.shape(0)});
      },
      nb::arg("rows"), nb::arg("n"));
}

}  // namespace rosenblatt
