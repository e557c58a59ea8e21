// Rows that a lift generates from stored rows, in scratch space, at each visit. A switch at run time selects the kind
// of stored row: its cost is negligible beside generating a row.
#pragma once

#include <new>

#include "numerics/elementary.hpp"
#include "rows/dense_csr.hpp"
#include "rows/lift_terms.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// Calls use(rows) with the stored rows of a view, lifted or not.
template <class Use>
[[gnu::always_inline]] inline auto with_stored_rows(const RowsView& v, const Use& use) {
  switch (v.stored()) {
    case RowKind::dense_f32: return use(DenseRows<float>(v));
#define ROSENBLATT_CASE(kind, T, Index) \
  case RowKind::kind: return use(SparseRows<T, Index>(v));
      ROSENBLATT_CSR_KINDS(ROSENBLATT_CASE)
#undef ROSENBLATT_CASE
    default: return use(DenseRows<double>(v));
  }
}

inline bool stored_row_is_finite(const RowsView& v, const std::size_t i) noexcept {
  return with_stored_rows(v, [i](const auto& rows) { return rows.is_finite(i); });
}

// out[k] = factor * x[k], in whole registers. Numbers written beyond `size` are overwritten by the next call or fall
// into the padding behind the row.
[[gnu::always_inline]] inline void scale_into(const double* x, const double factor, const std::size_t size,
                                              double* out) noexcept {
  for (std::size_t k = 0; k < size; k += register_width) {
    const Register product = factor * load<Register>(x + k);
    std::memcpy(out + k, &product, sizeof product);
  }
}

// at[k] = from[k] + shift, in whole registers as well.
[[gnu::always_inline]] inline void shift_columns(const std::int64_t* from, const std::int64_t shift,
                                                 const std::size_t size, std::int64_t* at) noexcept {
  using Columns = std::int64_t __attribute__((vector_size(sizeof(Register))));
  for (std::size_t k = 0; k < size; k += register_width) {
    Columns some;
    std::memcpy(&some, from + k, sizeof some);
    some += shift;
    std::memcpy(at + k, &some, sizeof some);
  }
}

// Dense results: polynomials of dense rows, Fourier features of any rows.
struct LiftedRows {
  const RowsView& view;
  const Lift& lift;

  explicit LiftedRows(const RowsView& v) noexcept : view(v), lift(*v.lift) {}
  DenseRow<double> row(const std::size_t i, std::size_t, double* scratch) const noexcept {
    if (lift.degree) with_stored_rows(view, [&](const auto& rows) { polynomial(rows.row(i, i, nullptr), scratch); });
    else with_stored_rows(view, [&](const auto& rows) { fourier(rows.row(i, i, nullptr), scratch); });
    return {scratch, lift.columns, scratch};
  }
  void set_upcoming(std::size_t, DenseRow<double>&) const noexcept {}
  std::size_t prefetch_distance() const noexcept { return 3; }
  bool is_finite(const std::size_t i) const noexcept { return stored_row_is_finite(view, i); }

 private:
  template <class Row>
  void polynomial(const Row& x, double* out) const noexcept {
    if constexpr (requires { x.indices; }) return;   // sparse rows use LiftedSparseRows
    for (std::size_t j = 0; j < x.size; ++j) out[j] = static_cast<double>(x.values[j]);
    for (std::size_t d = 2; d <= lift.degree; ++d) {
      const std::int64_t *from = lift.starts_of(d - 1), *to = lift.starts_of(d);
      for (std::size_t i = 0; i < lift.inputs; ++i)
        scale_into(out + from[i], out[i], static_cast<std::size_t>(from[lift.inputs] - from[i]), out + to[i]);
    }
  }
  // Zeros are skipped, so dense and sparse rows give the same bits.
  template <class Row>
  void fourier(const Row& x, double* out) const noexcept {
    const std::size_t size = lift.columns;
    std::memcpy(out, lift.phases, size * sizeof(double));
    for (std::size_t j = 0; j < x.size; ++j) {
      std::size_t column = j;
      if constexpr (requires { x.indices; }) column = static_cast<std::size_t>(x.indices[j]);
      if (x.values[j] != 0)
        DenseRow<double>{at(column), size, at(column)}.add_to(out, static_cast<double>(x.values[j]));
    }
    for (std::size_t k = 0; k < size; ++k) out[k] = lift.size * cos_of_turns(out[k]);
  }
  const double* at(const std::size_t column) const noexcept { return lift.frequencies + column * lift.columns; }
};

// Polynomials of sparse rows: products of stored numbers only. Scratch holds the values, their columns, and for each
// stored number the start of its products of the previous degree.
struct LiftedSparseRows {
  const RowsView& view;
  const Lift& lift;

  explicit LiftedSparseRows(const RowsView& v) noexcept : view(v), lift(*v.lift) {}
  SparseRow<double, std::int64_t> row(const std::size_t i, std::size_t, double* scratch) const noexcept {
    auto* at = new (scratch + view.padded_length()) std::int64_t[view.padded_length()];
    auto* starts_below = new (scratch + 2 * view.padded_length()) std::int64_t[view.padded_length()];
    const std::size_t size = with_stored_rows(
        view, [&](const auto& rows) { return expand(rows.row(i, i, nullptr), scratch, at, starts_below); });
    return {scratch, at, size, scratch, at};
  }
  void set_upcoming(std::size_t, SparseRow<double, std::int64_t>&) const noexcept {}
  std::size_t prefetch_distance() const noexcept { return 3; }
  bool is_finite(const std::size_t i) const noexcept { return stored_row_is_finite(view, i); }

 private:
  template <class Row>
  std::size_t expand(const Row& x, double* value, std::int64_t* at, std::int64_t* starts_below) const noexcept {
    for (std::size_t k = 0; k < x.size; ++k) {
      std::int64_t column = static_cast<std::int64_t>(k);
      if constexpr (requires { x.indices; }) column = static_cast<std::int64_t>(x.indices[k]);
      std::size_t place = k;              // insertion sort: columns are nearly always in order
      for (; place > 0 && at[place - 1] > column; --place) {
        value[place] = value[place - 1];
        at[place] = at[place - 1];
      }
      value[place] = static_cast<double>(x.values[k]);
      at[place] = column;
    }
    for (std::size_t k = 0; k < x.size; ++k) starts_below[k] = static_cast<std::int64_t>(k);
    std::int64_t end = static_cast<std::int64_t>(x.size);
    for (std::size_t d = 2; d <= lift.degree; ++d) {
      const std::int64_t before = end, *starts = lift.starts_of(d), *earlier = lift.starts_of(d - 1);
      for (std::size_t k = 0; k < x.size; ++k) {
        const std::int64_t from = starts_below[k];
        const auto column = static_cast<std::size_t>(at[k]), count = static_cast<std::size_t>(before - from);
        scale_into(value + from, value[k], count, value + end);
        shift_columns(at + from, starts[column] - earlier[column], count, at + end);
        starts_below[k] = end;
        end += before - from;
      }
    }
    return static_cast<std::size_t>(end);
  }
};

// Calls use(rows) with the rows of a view.
template <class Use>
void with_rows(const RowsView& v, const Use& use) {
  if (v.kind == RowKind::lifted_dense) use(LiftedRows(v));
  else if (v.kind == RowKind::lifted_sparse) use(LiftedSparseRows(v));
  else with_stored_rows(v, use);
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
