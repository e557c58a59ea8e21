// Delimited text in Python; data/delimited.py says when it is read so.
#include "text/delimited.hpp"

#include "bindings/bindings.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

// For each field None, the numbers, or where texts end and their bytes; None for all if something is not plain.
nb::object read(const Vector<std::uint8_t>& text, const char* delimiter, const bool quotes,
                const Vector<std::uint8_t>& kinds) {
  const std::span<const Field> fields(reinterpret_cast<const Field*>(kinds.data()), kinds.shape(0));
  std::optional<std::vector<DelimitedColumn>> columns;
  {
    const std::string_view whole(reinterpret_cast<const char*>(text.data()), text.shape(0));
    nb::gil_scoped_release release;
    columns = read_delimited(whole, delimiter[0], quotes, fields);
  }
  if (!columns) return nb::none();
  nb::list out;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    auto& column = (*columns)[c];
    const std::size_t rows = column.numbers.size(), ends = column.ends.size(), bytes = column.bytes.size();
    if (fields[c] == Field::number) out.append(to_numpy(std::move(column.numbers), {rows}));
    else if (fields[c] == Field::text)
      out.append(nb::make_tuple(to_numpy(std::move(column.ends), {ends}), to_numpy(std::move(column.bytes), {bytes})));
    else out.append(nb::none());
  }
  return out;
}

}  // namespace

void bind_delimited(nb::module_& m) {
  m.def("read_delimited", read, nb::arg("text"), nb::arg("delimiter"), nb::arg("quotes"), nb::arg("kinds"));
}

}  // namespace rosenblatt
