// Labels to class numbers and signs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "rows/class_numbers.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

template <class T>
using Numbers = nb::ndarray<nb::numpy, T>;

std::optional<std::tuple<std::int64_t, std::int64_t, Numbers<std::int32_t>>> py_number_two_classes(
    const Vector<std::int64_t>& labels) {
  std::vector<std::int32_t> codes(labels.shape(0));
  std::optional<std::pair<std::int64_t, std::int64_t>> values;
  {
    nb::gil_scoped_release release;
    values = number_two_classes(labels.data(), codes.size(), codes.data());
  }
  if (!values) return std::nullopt;
  return std::tuple{values->first, values->second, to_numpy(std::move(codes))};
}

Numbers<std::int8_t> py_signs_of(const Vector<std::int32_t>& codes, const std::int32_t positive) {
  std::vector<std::int8_t> signs(codes.shape(0));
  {
    nb::gil_scoped_release release;
    signs_of(codes.data(), signs.size(), positive, signs.data());
  }
  return to_numpy(std::move(signs));
}

}  // namespace

void bind_labels(nb::module_& m) {
  m.def("number_two_classes", &py_number_two_classes, nb::arg("labels").noconvert());
  m.def("signs_of", &py_signs_of, nb::arg("codes").noconvert(), nb::arg("positive"));
}

}  // namespace rosenblatt
