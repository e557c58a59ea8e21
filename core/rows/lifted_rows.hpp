// Rows that a lift makes of other rows, in scratch space, when they are visited. What they are made of is read by a
// switch at run time: beside the work of making a row it costs nothing.
#pragma once

#include <new>

#include "numerics/elementary.hpp"
#include "rows/dense_csr.hpp"
#include "rows/lift_terms.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// Calls use(rows) with the stored rows that a view holds, lifted or not.
template <class Use>
[[gnu::always_inline]] inline auto with_stored(const RowsView& v, const Use& use) {
  switch (v.stored()) {
    case RowKind::dense_f32: return use(DenseRows<float>(v));
    case RowKind::csr_f64_i32: return use(SparseRows<double, std::int32_t>(v));
    case RowKind::csr_f64_i64: return use(SparseRows<double, std::int64_t>(v));
    case RowKind::csr_f32_i32: return use(SparseRows<float, std::int32_t>(v));
    case RowKind::csr_f32_i64: return use(SparseRows<float, std::int64_t>(v));
    default: return use(DenseRows<double>(v));
  }
}

inline bool stored_is_finite(const RowsView& v, const std::size_t i) noexcept {
  return with_stored(v, [i](const auto& rows) { return rows.finite(i); });
}

// out[k] = factor * x[k]. Whole registers only: what they write beyond the end is overwritten by what comes next, or
// falls into the room behind the row.
[[gnu::always_inline]] inline void multiply(const double* x, const double factor, const std::size_t size,
                                            double* out) noexcept {
  for (std::size_t k = 0; k < size; k += wide) {
    const Register product = factor * load<Register>(x + k);
    std::memcpy(out + k, &product, sizeof product);
  }
}

// at[k] = from[k] + shift, likewise.
[[gnu::always_inline]] inline void move_by(const std::int64_t* from, const std::int64_t shift, const std::size_t size,
                                           std::int64_t* at) noexcept {
  using Columns = std::int64_t __attribute__((vector_size(sizeof(Register))));
  for (std::size_t k = 0; k < size; k += wide) {
    Columns some;
    std::memcpy(&some, from + k, sizeof some);
    some += shift;
    std::memcpy(at + k, &some, sizeof some);
  }
}

// Dense rows: polynomials of dense rows, and Fourier features of rows of any kind.
struct LiftedRows {
  const RowsView& view;
  const Lift& lift;

  explicit LiftedRows(const RowsView& v) noexcept : view(v), lift(*v.lift) {}
  DenseRow<double> row(const std::size_t i, std::size_t, double* scratch) const noexcept {
    if (lift.degree) with_stored(view, [&](const auto& rows) { polynomial(rows.row(i, i, nullptr), scratch); });
    else with_stored(view, [&](const auto& rows) { fourier(rows.row(i, i, nullptr), scratch); });
    return {scratch, lift.columns, scratch};
  }
  void expect(std::size_t, DenseRow<double>&) const noexcept {}
  std::size_t ahead() const noexcept { return 3; }
  bool finite(const std::size_t i) const noexcept { return stored_is_finite(view, i); }

 private:
  template <class Row>
  void polynomial(const Row& x, double* out) const noexcept {
    if constexpr (requires { x.at; }) return;   // those become sparse rows, below
    for (std::size_t j = 0; j < x.size; ++j) out[j] = static_cast<double>(x.x[j]);
    for (std::size_t d = 2; d <= lift.degree; ++d) {
      const std::int64_t *from = lift.starts_of(d - 1), *to = lift.starts_of(d);
      for (std::size_t i = 0; i < lift.inputs; ++i)
        multiply(out + from[i], out[i], static_cast<std::size_t>(from[lift.inputs] - from[i]), out + to[i]);
    }
  }
  // Numbers that are 0 add nothing, so that dense and sparse rows give the same bits.
  template <class Row>
  void fourier(const Row& x, double* out) const noexcept {
    const std::size_t size = lift.columns;
    std::memcpy(out, lift.phases, size * sizeof(double));
    for (std::size_t j = 0; j < x.size; ++j) {
      std::size_t column = j;
      if constexpr (requires { x.at; }) column = static_cast<std::size_t>(x.at[j]);
      if (x.x[j] != 0) DenseRow<double>{at(column), size, at(column)}.add_to(out, static_cast<double>(x.x[j]));
    }
    for (std::size_t k = 0; k < size; ++k) out[k] = lift.size * cos_of_turns(out[k]);
  }
  const double* at(const std::size_t column) const noexcept { return lift.frequencies + column * lift.columns; }
};

// Polynomials of sparse rows: only products of stored numbers. Scratch holds values, their columns, and for each stored
// number where its products of the degree before begin.
struct LiftedSparseRows {
  const RowsView& view;
  const Lift& lift;

  explicit LiftedSparseRows(const RowsView& v) noexcept : view(v), lift(*v.lift) {}
  SparseRow<double, std::int64_t> row(const std::size_t i, std::size_t, double* scratch) const noexcept {
    auto* at = new (scratch + view.room()) std::int64_t[view.room()];
    auto* begins = new (scratch + 2 * view.room()) std::int64_t[view.room()];
    const std::size_t size =
        with_stored(view, [&](const auto& rows) { return made(rows.row(i, i, nullptr), scratch, at, begins); });
    return {scratch, at, size, scratch, at};
  }
  void expect(std::size_t, SparseRow<double, std::int64_t>&) const noexcept {}
  std::size_t ahead() const noexcept { return 3; }
  bool finite(const std::size_t i) const noexcept { return stored_is_finite(view, i); }

 private:
  template <class Row>
  std::size_t made(const Row& x, double* value, std::int64_t* at, std::int64_t* begins) const noexcept {
    for (std::size_t k = 0; k < x.size; ++k) {
      std::int64_t column = static_cast<std::int64_t>(k);
      if constexpr (requires { x.at; }) column = static_cast<std::int64_t>(x.at[k]);
      std::size_t place = k;              // in rising order, as they nearly always are
      for (; place > 0 && at[place - 1] > column; --place) {
        value[place] = value[place - 1];
        at[place] = at[place - 1];
      }
      value[place] = static_cast<double>(x.x[k]);
      at[place] = column;
    }
    for (std::size_t k = 0; k < x.size; ++k) begins[k] = static_cast<std::int64_t>(k);
    std::int64_t end = static_cast<std::int64_t>(x.size);
    for (std::size_t d = 2; d <= lift.degree; ++d) {
      const std::int64_t before = end, *starts = lift.starts_of(d), *earlier = lift.starts_of(d - 1);
      for (std::size_t k = 0; k < x.size; ++k) {
        const std::int64_t from = begins[k];
        const auto column = static_cast<std::size_t>(at[k]), count = static_cast<std::size_t>(before - from);
        multiply(value + from, value[k], count, value + end);
        move_by(at + from, starts[column] - earlier[column], count, at + end);
        begins[k] = end;
        end += before - from;
      }
    }
    return static_cast<std::size_t>(end);
  }
};

// Calls use(rows) with the kind of rows that the view holds.
template <class Use>
void with_rows(const RowsView& v, const Use& use) {
  if (v.kind == RowKind::lifted_dense) use(LiftedRows(v));
  else if (v.kind == RowKind::lifted_sparse) use(LiftedSparseRows(v));
  else with_stored(v, use);
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
