// Columns of numbers to rows, in Python; data/encoder.py calls it.
#include <nanobind/stl/vector.h>

#include <vector>

#include "bindings/bindings.hpp"
#include "text/fill_scaled.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void fill(const Matrix& out, const std::vector<Vector<double>>& numbers, const Vector<std::int64_t>& places,
          const Vector<double>& centres, const Vector<double>& scales, const Vector<std::uint8_t>& tells_gaps) {
  const std::size_t count = numbers.size(), rows = out.shape(0), width = out.shape(1);
  if (places.shape(0) != count || centres.shape(0) != count || scales.shape(0) != count || tells_gaps.shape(0) != count)
    throw nb::value_error("one place, centre and scale for each column");
  std::vector<ScaledColumn> columns;
  for (std::size_t c = 0; c < count; ++c) {
    const auto place = static_cast<std::size_t>(places.data()[c]);
    const bool tells = tells_gaps.data()[c] != 0;
    if (numbers[c].shape(0) != rows || place >= width || place + tells >= width)
      throw nb::value_error("a column has other rows than the matrix, or no place in it");
    columns.push_back({numbers[c].data(), place, centres.data()[c], scales.data()[c], tells});
  }
  nb::gil_scoped_release release;
  fill_scaled(columns, rows, width, out.data());
}

}  // namespace

void bind_scaled(nb::module_& m) {
  m.def("fill_scaled", fill, nb::arg("out"), nb::arg("numbers"), nb::arg("places"), nb::arg("centres"),
        nb::arg("scales"), nb::arg("tells_gaps"));
}

}  // namespace rosenblatt
