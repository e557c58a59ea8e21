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
  std::size_t places[lane_count], filled = 0;
  const auto finish = [&] {
    double lengths[lane_count];
    panel_lengths(panel, inverse, size, lengths);
    for (std::size_t lane = 0; lane < filled; ++lane) out[places[lane]] = lengths[lane];
    filled = 0;
  };
  for (std::size_t k = 0; k < selection.size(); ++k) {
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
