// Lifts, the rows that they generate, and rows written out.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#define ROSENBLATT_TARGET common
#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "passes/passes.hpp"
#include "rows/lift_terms.hpp"
#include "rows/lifted_rows.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

std::size_t stored_in_row(const RowsView& v, const std::size_t row) {
  return common::with_stored_rows(v, [row](const auto& rows) { return rows.row(row, row, nullptr).size; });
}

Rows lifted(const Rows& rows, const nb::object& owner) {
  const auto& lift = nb::cast<const OwnedLift&>(owner);
  RowsView v = rows.view;
  if (v.lift) throw std::invalid_argument("these rows are lifted already");
  if (v.columns != lift.inputs) throw std::invalid_argument("the lift is for rows of another length");
  const bool sparse = v.indices && lift.degree;
  v.base = v.kind;
  v.kind = sparse ? RowKind::lifted_sparse : RowKind::lifted_dense;
  v.lift = &lift;
  v.columns = lift.columns;
  v.longest_generated = sparse ? 0 : lift.columns;
  v.stored_values = 0;
  for (std::size_t i = 0; i < v.count; ++i) {
    const std::size_t size = sparse ? lift.expanded_size(stored_in_row(v, i)) : lift.columns;
    v.longest_generated = std::max(v.longest_generated, size);
    v.stored_values += sparse ? 2 * size : size;  // values and columns, as for rows in memory
  }
  return {v, nb::make_tuple(rows.keep_alive, owner)};
}

// All numbers of some rows: an array, or the three arrays of a CSR matrix for sparse rows.
nb::object written_out(const Rows& rows, const Vector<std::int64_t>& list) {
  const RowsView& v = rows.view;
  for (std::size_t k = 0; k < list.shape(0); ++k)
    if (list.data()[k] < 0 || static_cast<std::size_t>(list.data()[k]) >= v.count)
      throw std::invalid_argument("a row number lies outside the rows");
  std::vector<double> values, scratch(v.scratch_size());
  std::vector<std::int64_t> indices, starts{0};
  const bool sparse = v.indices && v.kind != RowKind::lifted_dense;
  common::with_rows(v, [&](const auto& source) {
    for (std::size_t k = 0; k < list.shape(0); ++k) {
      const auto i = static_cast<std::size_t>(list.data()[k]);
      const auto x = source.row(i, i, scratch.data());
      values.insert(values.end(), x.values, x.values + x.size);
      if constexpr (requires { x.indices; }) {
        indices.insert(indices.end(), x.indices, x.indices + x.size);
        starts.push_back(static_cast<std::int64_t>(indices.size()));
      }
    }
  });
  if (!sparse) return nb::cast(to_numpy(std::move(values), {list.shape(0), v.columns}));
  return nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(indices)), to_numpy(std::move(starts)));
}

std::pair<double, double> mean_and_longest(const Rows& rows, const double constant,
                                           const std::optional<Vector<double>>& weights, const std::size_t threads) {
  if (weights && weights->shape(0) != rows.view.count)
    throw std::invalid_argument("as many weights as rows are needed");
  nb::gil_scoped_release release;
  const SquaredNormSummary summary =
      summarize_squared_norms(active_functions(), rows.view, constant, weights ? weights->data() : nullptr, threads);
  return {summary.mean, summary.largest};
}

}  // namespace

void bind_lifts(nb::module_& m, nb::class_<Rows>& rows) {
  nb::class_<OwnedLift>(m, "Lift")
      .def_static("polynomial", &OwnedLift::polynomial, nb::arg("inputs"), nb::arg("degree"))
      .def_static("fourier", &OwnedLift::fourier, nb::arg("inputs"), nb::arg("columns"), nb::arg("gamma"),
                  nb::arg("seed"))
      .def_ro("columns", &OwnedLift::columns);
  rows.def("lifted", &lifted, nb::arg("lift"))
      .def_prop_ro("is_lifted", [](const Rows& r) { return r.view.lift != nullptr; })
      .def("written_out", &written_out, nb::arg("list"))
      .def("mean_and_longest", &mean_and_longest, nb::arg("constant"), nb::arg("weights").none(), nb::arg("threads"));
}

}  // namespace rosenblatt
