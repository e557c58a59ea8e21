// Arguments and results of the functions that read texts.
#pragma once

#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bindings/arrays.hpp"
#include "text/count_words.hpp"
#include "text/term_rows.hpp"
#include "text/texts.hpp"

namespace rosenblatt {

namespace nb = nanobind;

using Bytes = Vector<std::uint8_t>;
using Offsets = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu, nb::ro>;
using OptionalBytes = std::optional<Bytes>;
using OptionalWeights = std::optional<Vector<double>>;

inline std::string_view text_view(const Bytes& b) { return {reinterpret_cast<const char*>(b.data()), b.shape(0)}; }

inline Texts make_texts(const Offsets& offsets, const Bytes& data, const OptionalBytes& valid,
                        const std::size_t first) {
  Texts t;
  if (offsets.shape(0) == 0) throw std::invalid_argument("offsets are empty");
  t.data = text_view(data);
  t.count = offsets.shape(0) - 1;
  if (offsets.dtype() == nb::dtype<std::int32_t>()) t.offsets = static_cast<const std::int32_t*>(offsets.data());
  else if (offsets.dtype() == nb::dtype<std::int64_t>())
    t.wide_offsets = static_cast<const std::int64_t*>(offsets.data());
  else throw std::invalid_argument("offsets are neither int32 nor int64");
  if (!valid) return t;
  if (t.count != 0 && (first + t.count - 1) / 8 >= valid->shape(0))
    throw std::invalid_argument("the bits of rows that are there end early");
  t.valid = valid->data();
  t.first_bit = first;
  return t;
}

inline TermWeighting make_weighting(const OptionalWeights& weights, const bool sublinear, const bool unit,
                                    const std::size_t columns) {
  TermWeighting w;
  if (weights) {
    if (weights->shape(0) != columns) throw std::invalid_argument("weights and columns differ in number");
    w.weights = {weights->data(), columns};
  }
  w.sublinear = sublinear;
  w.unit = unit;
  return w;
}

inline TokenRules make_rules(const std::size_t ngrams, const std::size_t shortest) {
  if (ngrams < 1 || shortest < 1) throw std::invalid_argument("ngrams and shortest must be at least 1");
  return {ngrams, shortest};
}

// Calls make(Value{}) without the GIL, with Value = double or float, and returns starts, columns and values.
template <class Make>
nb::tuple make_csr(const bool wide, const Make& make) {
  const auto run = [&]<class Value>(Value zero) {
    CsrTexts<Value> made;
    {
      nb::gil_scoped_release release;
      made = make(zero);
    }
    return nb::make_tuple(to_numpy(std::move(made.starts)), to_numpy(std::move(made.columns)),
                          to_numpy(std::move(made.values)));
  };
  return wide ? run(0.0) : run(0.0f);
}

}  // namespace rosenblatt
