// Text files of numbers to arrays: delimited text, LIBSVM text, and scaled columns.
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "text/delimited.hpp"
#include "text/fill_scaled.hpp"
#include "text/lines.hpp"
#include "text/svmlight.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

using Bytes = Vector<std::uint8_t>;

std::string_view view(const Bytes& b) { return {reinterpret_cast<const char*>(b.data()), b.shape(0)}; }

// For each field None, its numbers, or where its texts end and their bytes; for categories these are the distinct
// texts, and the code of each row follows. None alone if some field is not plain.
nb::object py_read_delimited(const Bytes& text, const char* delimiter, const bool quotes, const Bytes& kinds) {
  const std::span<const Field> fields(reinterpret_cast<const Field*>(kinds.data()), kinds.shape(0));
  std::optional<std::vector<DelimitedColumn>> columns;
  {
    nb::gil_scoped_release release;
    columns = read_delimited(view(text), delimiter[0], quotes, fields);
  }
  if (!columns) return nb::none();
  nb::list out;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    auto& column = (*columns)[c];
    if (fields[c] == Field::number) out.append(to_numpy(std::move(column.numbers)));
    else if (fields[c] == Field::text)
      out.append(nb::make_tuple(to_numpy(std::move(column.ends)), to_numpy(std::move(column.bytes))));
    else if (fields[c] == Field::category)
      out.append(nb::make_tuple(to_numpy(std::move(column.ends)), to_numpy(std::move(column.bytes)),
                                to_numpy(std::move(column.codes))));
    else out.append(nb::none());
  }
  return out;
}

// Starts, indices, values, labels, queries, least and most index, lines. After an error: the line and the message.
nb::tuple py_read_svmlight(const Bytes& text, const std::int32_t limit, const std::size_t threads) {
  SvmlightRows r;
  try {
    nb::gil_scoped_release release;
    r = read_svmlight(view(text), limit, threads);
  } catch (const SvmlightError& error) {
    return nb::make_tuple(error.line, error.what());
  }
  return nb::make_tuple(to_numpy(std::move(r.starts)), to_numpy(std::move(r.indices)), to_numpy(std::move(r.values)),
                        to_numpy(std::move(r.labels)), to_numpy(std::move(r.queries)), r.least, r.most, r.lines);
}

nb::tuple py_whole_rows(const Bytes& text, const char newline, const char delimiter, const bool quotes) {
  WholeRows r;
  {
    nb::gil_scoped_release release;
    r = whole_rows(view(text), {newline, delimiter, quotes});
  }
  const auto place = [](const std::size_t at) { return at == nowhere ? nb::none() : nb::object(nb::int_(at)); };
  return nb::make_tuple(r.end, r.lines, place(r.left_open), place(r.misquoted));
}

void py_fill_scaled(const MutableMatrix& out, const std::vector<Vector<double>>& numbers,
                    const Vector<std::int64_t>& places, const Vector<double>& centres, const Vector<double>& scales,
                    const Bytes& tells_gaps) {
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

void bind_tables(nb::module_& m) {
  m.def("read_delimited", &py_read_delimited, nb::arg("text"), nb::arg("delimiter"), nb::arg("quotes"),
        nb::arg("kinds"));
  m.def("read_svmlight", &py_read_svmlight, nb::arg("text"), nb::arg("limit"), nb::arg("threads"));
  m.def("whole_rows", &py_whole_rows, nb::arg("text"), nb::arg("newline"), nb::arg("delimiter"), nb::arg("quotes"));
  m.def("fill_scaled", &py_fill_scaled, nb::arg("out"), nb::arg("numbers"), nb::arg("places"), nb::arg("centres"),
        nb::arg("scales"), nb::arg("tells_gaps"));
}

}  // namespace rosenblatt
