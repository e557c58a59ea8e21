// Lifts in Python, and rows that they make; docstrings live in features.py.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#define ROSENBLATT_TARGET common
#include "bindings/bindings.hpp"
#include "passes/blocks.hpp"
#include "rows/lift_terms.hpp"
#include "rows/lifted_rows.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

std::size_t stored_in(const RowsView& v, const std::size_t row) {
  return common::with_stored(v, [row](const auto& rows) { return rows.row(row, row, nullptr).size; });
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
  v.most_made = sparse ? 0 : lift.columns;
  v.stored_values = 0;
  for (std::size_t i = 0; i < v.count; ++i) {
    const std::size_t made = sparse ? lift.made_of(stored_in(v, i)) : lift.columns;
    v.most_made = std::max(v.most_made, made);
    v.stored_values += sparse ? 2 * made : made;        // values and their columns, as in memory
  }
  return {v, nb::make_tuple(rows.keep_alive, owner)};
}

// All numbers of some rows: an array, or of sparse rows the three parts of a CSR matrix.
nb::object written_out(const Rows& rows, const Vector<std::int64_t>& list) {
  const RowsView& v = rows.view;
  for (std::size_t k = 0; k < list.shape(0); ++k)
    if (list.data()[k] < 0 || static_cast<std::size_t>(list.data()[k]) >= v.count)
      throw std::invalid_argument("a row number lies outside the rows");
  std::vector<double> values, scratch(v.scratch_size());
  std::vector<std::int64_t> at, starts{0};
  const bool sparse = v.indices && v.kind != RowKind::lifted_dense;
  common::with_rows(v, [&](const auto& of) {
    for (std::size_t k = 0; k < list.shape(0); ++k) {
      const auto i = static_cast<std::size_t>(list.data()[k]);
      const auto x = of.row(i, i, scratch.data());
      values.insert(values.end(), x.x, x.x + x.size);
      if constexpr (requires { x.at; }) {
        at.insert(at.end(), x.at, x.at + x.size);
        starts.push_back(static_cast<std::int64_t>(at.size()));
      }
    }
  });
  const std::size_t size = values.size(), count = list.shape(0);
  if (!sparse) return nb::cast(to_numpy(std::move(values), {count, v.columns}));
  return nb::make_tuple(to_numpy(std::move(values), {size}), to_numpy(std::move(at), {size}),
                        to_numpy(std::move(starts), {count + 1}));
}

// Of the rows' squared lengths with a constant coordinate: the mean, and the largest where each is weighted.
std::pair<double, double> mean_and_longest(const Rows& rows, const double constant,
                                           const std::optional<Vector<double>>& weights, const std::size_t threads) {
  const std::size_t count = rows.view.count, parts = std::clamp<std::size_t>(count, 1, most_parts);
  if (weights && weights->shape(0) != count) throw std::invalid_argument("as many weights as rows are needed");
  const double* weight = weights ? weights->data() : nullptr;
  std::vector<double> sums(parts, 0.0), longest(parts, 0.0);
  nb::gil_scoped_release release;
  const auto measure = kernels().squared_norms[static_cast<std::size_t>(rows.view.kind)];
  each_block(rows.view, count, parts, threads,
             [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
               double lengths[most_block_rows];
               measure(rows.view, {begin, end}, scratch, lengths);
               for (std::size_t k = 0; k < end - begin; ++k) {
                 const double length = lengths[k] + constant * constant;
                 sums[part] += length;
                 longest[part] = std::max(longest[part], weight ? length * weight[begin + k] : length);
               }
             });
  const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  return {count ? sum / static_cast<double>(count) : 0.0, *std::max_element(longest.begin(), longest.end())};
}

}  // namespace

void bind_lift(nb::module_& m, nb::class_<Rows>& rows) {
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
