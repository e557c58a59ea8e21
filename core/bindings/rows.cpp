// Dense and CSR rows.
#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "passes/passes.hpp"
#include "rows/check_csr.hpp"
#include "rows/chosen_columns.hpp"
#include "rows/copy_columns.hpp"
#include "rows/every_nth.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

template <class T>
using Dense = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;  // rows need not follow each other directly

template <class T>
Rows dense_rows(const Dense<T>& x, const RowKind kind) {
  const bool empty = x.shape(0) == 0;  // then strides have no meaning
  if (!empty && x.shape(1) > 1 && x.stride(1) != 1) throw std::invalid_argument("dense rows must be contiguous");
  if (x.shape(0) > 1 && x.stride(0) < static_cast<std::int64_t>(x.shape(1)))
    throw std::invalid_argument("dense rows must follow each other in memory");
  RowsView v;
  v.kind = kind;
  v.count = x.shape(0);
  v.columns = v.stored_columns = x.shape(1);
  v.stride = x.shape(0) > 1 ? static_cast<std::size_t>(x.stride(0)) : x.shape(1);
  v.values = x.data();
  v.stored_values = v.count * v.columns;
  return {v, nb::find(x)};
}

template <class T>
void py_copy_columns(const Dense<T>& x, nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu> out,
                     const std::size_t threads) {
  const std::size_t rows = x.shape(0), columns = x.shape(1);
  if (out.shape(0) != rows || out.shape(1) != columns) throw std::invalid_argument("out must have the shape of x");
  if (rows == 0 || columns == 0) return;
  if (rows > 1 && x.stride(0) != 1) throw std::invalid_argument("columns must be contiguous");
  if (columns > 1 && x.stride(1) < static_cast<std::int64_t>(rows))
    throw std::invalid_argument("columns must follow each other in memory");
  const ColumnsView<T> from{x.data(), rows, columns, columns > 1 ? static_cast<std::size_t>(x.stride(1)) : rows};
  nb::gil_scoped_release release;
  copy_columns(from, threads, out.data());
}

template <class T, class Index>
Rows csr_rows(const Vector<T>& values, const Vector<Index>& indices, const Vector<Index>& starts,
              const std::size_t columns, const std::size_t threads, const RowKind kind) {
  if (starts.shape(0) == 0) throw std::invalid_argument("indptr must not be empty");
  const std::size_t stored = std::min(values.shape(0), indices.shape(0));
  bool repeats = false;
  {
    nb::gil_scoped_release release;
    repeats = check_csr(starts.data(), starts.shape(0) - 1, indices.data(), stored, columns,
                        stored < std::size_t{1} << 17 ? 1 : threads);
  }
  RowsView v;
  v.kind = kind;
  v.count = starts.shape(0) - 1;
  v.columns = v.stored_columns = columns;
  v.values = values.data();
  v.indices = indices.data();
  v.starts = starts.data();
  v.stored_values = static_cast<std::size_t>(starts.data()[v.count]) * 2;  // a pass reads values and indices
  return {v, nb::make_tuple(nb::find(values), nb::find(indices), nb::find(starts)), repeats};
}

template <class T, class Index>
void bind_csr(nb::class_<Rows>& rows, const RowKind kind) {
  rows.def_static(
      "csr",
      [kind](const Vector<T>& values, const Vector<Index>& indices, const Vector<Index>& starts,
             const std::size_t columns,
             const std::size_t threads) { return csr_rows<T, Index>(values, indices, starts, columns, threads, kind); },
      nb::arg("values").noconvert(), nb::arg("indices").noconvert(), nb::arg("starts").noconvert(), nb::arg("columns"),
      nb::arg("threads"));
}

// Rows made from `base`, which own their copies.
Rows owned(RowsCopy&& made, const Rows& base) {
  if (!made.copies) return {made.view, base.keep_alive};
  using Owner = std::shared_ptr<const void>;
  const nb::capsule owner(new Owner(std::move(made.copies)), [](void* p) noexcept { delete static_cast<Owner*>(p); });
  return {made.view, nb::make_tuple(owner, base.keep_alive)};
}

Rows py_every_nth(const Rows& base, const std::size_t step, const std::size_t threads) {
  return owned(every_nth(base.view, step, threads), base);
}

Rows py_choose_columns(const Rows& base, const Vector<std::uint32_t>& chosen, const std::size_t threads) {
  RowsCopy made;
  {
    nb::gil_scoped_release release;
    made = choose_columns(base.view, chosen.data(), chosen.shape(0), threads);
  }
  return owned(std::move(made), base);
}

std::size_t first_not_finite(const Rows& rows, const std::size_t threads) {
  nb::gil_scoped_release release;
  return first_nonfinite_row(active_functions(), rows.view, threads);
}

auto largest(const Rows& rows, const std::size_t threads) {
  std::vector<double> magnitudes(rows.view.columns);
  {
    nb::gil_scoped_release release;
    largest_magnitudes(active_functions(), rows.view, threads, magnitudes.data());
  }
  return to_numpy(std::move(magnitudes));
}

}  // namespace

void bind_rows(nb::module_& m) {
  nb::class_<Rows> rows(m, "Rows");
  rows.def_static(
      "dense", [](const Dense<double>& x) { return dense_rows(x, RowKind::dense_f64); }, nb::arg("x").noconvert());
  rows.def_static(
      "dense", [](const Dense<float>& x) { return dense_rows(x, RowKind::dense_f32); }, nb::arg("x").noconvert());
#define ROSENBLATT_BIND(kind, T, Index) bind_csr<T, Index>(rows, RowKind::kind);
  ROSENBLATT_CSR_KINDS(ROSENBLATT_BIND)
#undef ROSENBLATT_BIND
  bind_lifts(m, rows);
  m.def("copy_columns", &py_copy_columns<double>, nb::arg("x").noconvert(), nb::arg("out").noconvert(),
        nb::arg("threads"));
  m.def("copy_columns", &py_copy_columns<float>, nb::arg("x").noconvert(), nb::arg("out").noconvert(),
        nb::arg("threads"));
  rows.def("every_nth", &py_every_nth, nb::arg("step"), nb::arg("threads") = 1)
      .def("choose_columns", &py_choose_columns, nb::arg("chosen"), nb::arg("threads") = 1)
      .def_prop_ro("stored", [](const Rows& r) { return r.view.lift == nullptr && r.view.kernel_matrix == nullptr; })
      .def_prop_ro("sparse",
                   [](const Rows& r) { return r.view.indices != nullptr && r.view.kind != RowKind::lifted_dense; })
      .def("first_not_finite", &first_not_finite, nb::arg("threads"))
      .def("largest", &largest, nb::arg("threads"))
      .def_ro("repeats_columns", &Rows::repeats_columns)
      .def_prop_ro("count", [](const Rows& r) { return r.view.count; })
      .def_prop_ro("columns", [](const Rows& r) { return r.view.columns; })
      .def_prop_ro("stored_values", [](const Rows& r) { return r.view.stored_values; });
}

}  // namespace rosenblatt
