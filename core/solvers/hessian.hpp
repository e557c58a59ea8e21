// Sums of weighted outer products of rows, constant coordinate last: the Hessian of a loss. Each entry is summed row by
// row, so its bits do not depend on the width of a register. Rows are collected in a panel and multiplied in tiles.
// Sparse rows that are less than half full update only the entries they touch.
#pragma once

#include <cstring>

#include "numerics/fixed_sums.hpp"
#include "rows/dense_csr.hpp"
#include "rows/views.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// Up to four rows of the square times one or two registers of columns. Entries outside the lower triangle are
// discarded.
template <std::size_t height, std::size_t across>
inline void add_tile(const double* panel, const std::size_t count, const std::size_t size, const std::size_t i,
                     const std::size_t j, double* outer) noexcept {
  const std::size_t width = panel_width(size);
  Register sums[height][across] = {};
  for (std::size_t r = 0; r < count; ++r) {
    const double* x = panel + r * width;
    Register columns[across];
#pragma GCC unroll 2
    for (std::size_t c = 0; c < across; ++c) columns[c] = load<Register>(x + j + c * register_width);
#pragma GCC unroll 4
    for (std::size_t h = 0; h < height; ++h)
#pragma GCC unroll 2
      for (std::size_t c = 0; c < across; ++c) sums[h][c] += x[i + h] * columns[c];
  }
  for (std::size_t h = 0; h < height; ++h) {
    double sum[across * register_width];
    std::memcpy(sum, sums[h], sizeof sum);
    double* out = outer + (i + h) * size + j;
    for (std::size_t c = 0; c < across * register_width && j + c <= i + h; ++c) out[c] += sum[c];
  }
}

// Rows i .. i + height - 1 of the square.
template <std::size_t height>
inline void add_tiles(const double* panel, const std::size_t count, const std::size_t size, const std::size_t i,
                      double* outer) noexcept {
  const std::size_t end = i + height;  // of these rows within the triangle
  std::size_t j = 0;
  for (; j + register_width < end; j += 2 * register_width) add_tile<height, 2>(panel, count, size, i, j, outer);
  if (j < end) add_tile<height, 1>(panel, count, size, i, j, outer);
}

// `panel` holds `count` rows of sqrt(weight) * (x, offset_value), padded with zeros.
inline void add_panel(const double* panel, const std::size_t count, const std::size_t size, double* outer) noexcept {
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) add_tiles<4>(panel, count, size, i, outer);
  if (size - i == 3) add_tiles<3>(panel, count, size, i, outer);
  if (size - i == 2) add_tiles<2>(panel, count, size, i, outer);
  if (size - i == 1) add_tiles<1>(panel, count, size, i, outer);
}

template <class T>
[[gnu::always_inline]] inline void scale_row(const DenseRow<T>& x, const double root, double* out) noexcept {
  const T* const from = x.values;
  for_each_chunk(x.size, [=]<class V>(const std::size_t j) { store(out + j, root * load_as<V>(from + j)); });
}

template <class T, class Index>
[[gnu::always_inline]] inline void scale_row(const SparseRow<T, Index>& x, const double root, const std::size_t size,
                                             double* out) noexcept {
  for (std::size_t j = 0; j < size; ++j) out[j] = 0.0;
  x.add_to(out, root);
}

template <class T, class Index>
inline void add_sparse_outer(const SparseRow<T, Index>& x, const double weight, const double offset_value,
                             const std::size_t size, double* outer) noexcept {
  bool in_order = true;
  for (std::size_t a = 1; a < x.size; ++a) in_order &= x.indices[a - 1] < x.indices[a];
  for (std::size_t a = 0; a < x.size; ++a) {
    const double scaled = weight * static_cast<double>(x.values[a]);
    const auto row = static_cast<std::size_t>(x.indices[a]);
    double* line = outer + row * size;
    if (in_order) {
      for (std::size_t b = 0; b <= a; ++b) line[x.indices[b]] += scaled * static_cast<double>(x.values[b]);
    } else {
      for (std::size_t b = 0; b <= a; ++b) {
        const auto column = static_cast<std::size_t>(x.indices[b]);
        (row >= column ? line[column] : outer[column * size + row]) += scaled * static_cast<double>(x.values[b]);
      }
    }
    outer[(size - 1) * size + row] += scaled * offset_value;
  }
  outer[size * size - 1] += weight * offset_value * offset_value;
}

// Square roots take longer one by one.
inline void square_roots(const double* __restrict x, const std::size_t size, double* __restrict out) noexcept {
  for (std::size_t k = 0; k < size; ++k) out[k] = __builtin_sqrt(x[k]);
}

template <RowSource R>
void add_outer_products(const RowsView& view, const Selection& selection, const double* weight,
                        const double offset_value, double* scratch, double* panel, double* outer) noexcept {
  const R rows(view);
  const std::size_t size = view.columns + 1;
  const std::size_t width = panel_width(size);
  double roots[panel_height];
  std::size_t filled = 0;
  for (std::size_t k = 0; k < selection.size(); ++k) {
    const std::size_t left = selection.size() - k;
    if (k % panel_height == 0) square_roots(weight + k, left < panel_height ? left : panel_height, roots);
    if (weight[k] == 0.0) continue;
    const auto x = rows.row(selection.row(k), selection.row(k), scratch);
    double* line = panel + filled * width;
    const double root = roots[k % panel_height];
    if constexpr (requires { x.indices; }) {
      if (2 * x.size < view.columns) {
        add_sparse_outer(x, weight[k], offset_value, size, outer);
        continue;
      }
      scale_row(x, root, view.columns, line);
    } else {
      scale_row(x, root, line);
    }
    line[view.columns] = root * offset_value;
    if (++filled == panel_height) add_panel(panel, filled, size, outer), filled = 0;
  }
  if (filled) add_panel(panel, filled, size, outer);
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
