// The squared lengths |L^-1 x|^2 of rows, constant coordinate last: with the curvature of a row, its leverage. Sixteen
// dense rows are processed together, one per lane, and each lane adds in the order of the columns, so bits do not
// depend on the width of a register. Sparse rows that are less than half full add the columns of L^-1 that they touch.
#pragma once

#include "numerics/fixed_sums.hpp"
#include "rows/dense_csr.hpp"
#include "rows/views.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// panel[j * lane_count + lane] is coordinate j of the row in this lane. Adds the squares of `height` coordinates of
// L^-1 x from r on.
template <std::size_t height>
[[gnu::always_inline]] inline void add_squared_products(const double* panel, const double* inverse,
                                                        const std::size_t size, const std::size_t r,
                                                        Register (&squares)[register_count]) noexcept {
  Register sums[height][register_count] = {};
  for (std::size_t j = 0; j < r + height; ++j) {
#pragma GCC unroll 8
    for (std::size_t part = 0; part < register_count; ++part) {
      const Register x = load<Register>(panel + j * lane_count + part * register_width);
#pragma GCC unroll 4
      for (std::size_t h = 0; h < height; ++h) sums[h][part] += inverse[(r + h) * size + j] * x;
    }
  }
  for (std::size_t h = 0; h < height; ++h)
    for (std::size_t part = 0; part < register_count; ++part) squares[part] += sums[h][part] * sums[h][part];
}

// The squared lengths of the rows in a panel.
inline void panel_lengths(const double* panel, const double* inverse, const std::size_t size, double* out) noexcept {
  constexpr std::size_t height = register_count >= 8 ? 1 : register_count >= 4 ? 2 : 4;
  Register squares[register_count] = {};
  std::size_t r = 0;
  for (; r + height <= size; r += height) add_squared_products<height>(panel, inverse, size, r, squares);
  for (; r < size; ++r) add_squared_products<1>(panel, inverse, size, r, squares);
  for (std::size_t part = 0; part < register_count; ++part) store(out + part * register_width, squares[part]);
}

// Four rows of four columns, from `column` of the rows from k on, to four lanes of the panel.
template <class T>
[[gnu::always_inline]] inline void transpose_four(const DenseRows<T>& rows, const Selection& selection,
                                                  const std::size_t k, const std::size_t column, double* to) noexcept {
  Double4 x[4], pairs[4];
#pragma GCC unroll 4
  for (std::size_t h = 0; h < 4; ++h) x[h] = load<Double4>(rows.values + selection.row(k + h) * rows.stride + column);
#pragma GCC unroll 2
  for (std::size_t h = 0; h < 4; h += 2) {
    pairs[h] = __builtin_shufflevector(x[h], x[h + 1], 0, 4, 2, 6);
    pairs[h + 1] = __builtin_shufflevector(x[h], x[h + 1], 1, 5, 3, 7);
  }
#pragma GCC unroll 2
  for (std::size_t h = 0; h < 2; ++h) {
    store(to + h * lane_count, __builtin_shufflevector(pairs[h], pairs[h + 2], 0, 1, 4, 5));
    store(to + (h + 2) * lane_count, __builtin_shufflevector(pairs[h], pairs[h + 2], 2, 3, 6, 7));
  }
}

// Sixteen dense rows, from the k-th selected row on, to the lanes of the panel.
template <class T>
inline void fill_panel(const DenseRows<T>& rows, const Selection& selection, const std::size_t k,
                       double* panel) noexcept {
  std::size_t column = 0;
  for (; column + 4 <= rows.columns; column += 4)
    for (std::size_t lane = 0; lane < lane_count; lane += 4)
      transpose_four(rows, selection, k + lane, column, panel + column * lane_count + lane);
  for (; column < rows.columns; ++column)
    for (std::size_t lane = 0; lane < lane_count; ++lane)
      panel[column * lane_count + lane] =
          static_cast<double>(rows.values[selection.row(k + lane) * rows.stride + column]);
}

// `line` becomes L^-1 x, by the columns of L^-1, which are the rows of `transposed`.
template <class T, class Index>
inline double sparse_length(const SparseRow<T, Index>& x, const double* transposed, const double offset_value,
                            const std::size_t size, double* line) noexcept {
  const auto add = [=](const std::size_t column, const double factor) {
    const double* from = transposed + column * size;
    for_each_chunk(size, [=]<class V>(const std::size_t i) {
      store(line + i, load_as<V>(line + i) + factor * load_as<V>(from + i));
    });
  };
  for (std::size_t i = 0; i < size; ++i) line[i] = 0.0;
  for (std::size_t a = 0; a < x.size; ++a)
    add(static_cast<std::size_t>(x.indices[a]), static_cast<double>(x.values[a]));
  add(size - 1, offset_value);
  return dot(line, line, size);
}

template <RowSource R>
void squared_lengths(const RowsView& view, const Selection& selection, const double* inverse, const double* transposed,
                     const double offset_value, double* scratch, double* panel, double* out) noexcept {
  const R rows(view);
  const std::size_t size = view.columns + 1;
  std::size_t places[lane_count], filled = 0, k = 0;
  if constexpr (requires { fill_panel(rows, selection, k, panel); }) {
    for (std::size_t lane = 0; lane < lane_count; ++lane) panel[view.columns * lane_count + lane] = offset_value;
    for (; k + lane_count <= selection.size(); k += lane_count) {
      fill_panel(rows, selection, k, panel);
      panel_lengths(panel, inverse, size, out + k);
    }
  }
  const auto finish = [&] {
    double lengths[lane_count];
    panel_lengths(panel, inverse, size, lengths);
    for (std::size_t lane = 0; lane < filled; ++lane) out[places[lane]] = lengths[lane];
    filled = 0;
  };
  for (; k < selection.size(); ++k) {
    const auto x = rows.row(selection.row(k), selection.row(k), scratch);
    if constexpr (requires { x.indices; }) {
      if (2 * x.size < view.columns) {
        out[k] = sparse_length(x, transposed, offset_value, size, panel + size * lane_count);
        continue;
      }
      for (std::size_t j = 0; j < size; ++j) panel[j * lane_count + filled] = 0.0;
      for (std::size_t a = 0; a < x.size; ++a)
        panel[static_cast<std::size_t>(x.indices[a]) * lane_count + filled] += static_cast<double>(x.values[a]);
    } else {
      for (std::size_t j = 0; j < x.size; ++j) panel[j * lane_count + filled] = static_cast<double>(x.values[j]);
    }
    panel[view.columns * lane_count + filled] = offset_value;
    places[filled] = k;
    if (++filled == lane_count) finish();
  }
  if (filled) finish();
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
