// Encoding texts with a fixed vocabulary.
#include "text/vocabulary.hpp"

#include <span>

#include "bindings/module.hpp"
#include "bindings/texts.hpp"

namespace rosenblatt {
namespace {

void init_vocabulary(Vocabulary* where, const Bytes& bytes, const Vector<std::int64_t>& ends, const std::size_t ngrams,
                     const std::size_t shortest) {
  const std::span<const std::int64_t> each(ends.data(), ends.shape(0));
  nb::gil_scoped_release release;
  new (where) Vocabulary(text_view(bytes), each, make_rules(ngrams, shortest));
}

nb::tuple encode(const Vocabulary& v, const Offsets& offsets, const Bytes& data, const OptionalBytes& valid,
                 const std::size_t first, const OptionalWeights& weights, const bool sublinear, const bool unit,
                 const bool wide, const std::size_t threads) {
  const Texts texts = make_texts(offsets, data, valid, first);
  const TermWeighting weighting = make_weighting(weights, sublinear, unit, v.size());
  return make_csr(wide, [&]<class Value>(Value) { return v.encode<Value>(texts, weighting, threads); });
}

auto py_inverse_row_frequency(const Vector<std::int64_t>& rows, const std::int64_t n) {
  return to_numpy(inverse_row_frequency({rows.data(), rows.shape(0)}, n));
}

}  // namespace

void bind_vocabulary(nb::module_& m) {
  nb::class_<Vocabulary>(m, "Vocabulary")
      .def("__init__", &init_vocabulary, nb::arg("bytes"), nb::arg("ends"), nb::arg("ngrams"), nb::arg("shortest"))
      .def("encode", &encode, nb::arg("offsets"), nb::arg("data"), nb::arg("valid").none(), nb::arg("first"),
           nb::arg("weights").none(), nb::arg("sublinear"), nb::arg("unit"), nb::arg("wide"), nb::arg("threads"))
      .def("__len__", &Vocabulary::size);
  m.def("inverse_row_frequency", &py_inverse_row_frequency, nb::arg("rows"), nb::arg("n"));
}

}  // namespace rosenblatt
