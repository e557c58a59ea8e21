// Rows times several planes of weights, several rows and planes at a time. Row by row and plane by plane, most time
// goes to loading the same numbers again. The bits are those of one row and one plane after the other.
#pragma once

#include "numerics/fixed_sums.hpp"
#include "rows/dense_csr.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// The tiles whose sums fit into the registers: 32 of AVX-512, 16 otherwise.
inline constexpr std::size_t dot_tile_rows = register_count == 2 ? 2 : 1;
inline constexpr std::size_t dot_tile_planes = register_count == 2 ? 5 : register_count == 4 ? 3 : 1;
inline constexpr std::size_t sum_tile_registers = register_count == 2 ? 4 : 2, sum_tile_planes = 5;

// Calls use.template operator()<width>(first) for groups of planes, each as wide as `most` allows.
template <std::size_t most, class Use>
[[gnu::always_inline]] inline void for_each_plane_group(const std::size_t planes, const Use& use) noexcept {
  std::size_t first = 0;
  for (; first + most <= planes; first += most) use.template operator()<most>(first);
  if constexpr (most > 4)
    if (planes - first == 4) use.template operator()<4>(first);
  if constexpr (most > 3)
    if (planes - first == 3) use.template operator()<3>(first);
  if constexpr (most > 2)
    if (planes - first == 2) use.template operator()<2>(first);
  if constexpr (most > 1)
    if (planes - first == 1) use.template operator()<1>(first);
}

// sums[h][k] = x[h] . (w + k * columns)
template <std::size_t height, std::size_t width, class T>
[[gnu::always_inline]] inline void dot_tile(const T* const (&x)[height], const double* w, const std::size_t columns,
                                            double (&out)[height][width]) noexcept {
  FixedSum sums[height][width];
  std::size_t i = 0;
  for (; i + lane_count <= columns; i += lane_count)
#pragma GCC unroll 8
    for (std::size_t part = 0; part < register_count; ++part) {
      const std::size_t from = i + part * register_width;
      Register values[height];
#pragma GCC unroll 2
      for (std::size_t h = 0; h < height; ++h) values[h] = load<Register>(x[h] + from);
#pragma GCC unroll 5
      for (std::size_t k = 0; k < width; ++k) {
        const Register weights = load<Register>(w + k * columns + from);
#pragma GCC unroll 2
        for (std::size_t h = 0; h < height; ++h) sums[h][k].part[part] += values[h] * weights;
      }
    }
  for (std::size_t h = 0; h < height; ++h)
    for (std::size_t k = 0; k < width; ++k) {
      sums[h][k].add_all(columns - i, [a = x[h] + i, b = w + k * columns + i]<class V>(const std::size_t j) {
        return load_as<V>(a + j) * load_as<V>(b + j);
      });
      out[h][k] = sums[h][k].total();
    }
}

// out[i][k] = scale * w[k].x + offset[k] * offset_value for the selected rows. One group of planes stays in the
// first-level cache while all rows pass it.
template <class T>
void scores_of_planes(const DenseRows<T>& rows, const Selection& selection, const double* w, const std::size_t planes,
                      const double scale, const double* offset, const double offset_value, double* out) noexcept {
  for_each_plane_group<dot_tile_planes>(planes, [&]<std::size_t width>(const std::size_t first) {
    const auto score = [&]<std::size_t height>(const std::size_t i) {
      const T* x[height];
      for (std::size_t h = 0; h < height; ++h) x[h] = rows.values + selection.row(i + h) * rows.stride;
      double dots[height][width];
      dot_tile<height, width>(x, w + first * rows.columns, rows.columns, dots);
      for (std::size_t h = 0; h < height; ++h)
        for (std::size_t k = 0; k < width; ++k)
          out[(i + h) * planes + first + k] = scale * dots[h][k] + offset[first + k] * offset_value;
    };
    std::size_t i = 0;
    for (; i + dot_tile_rows <= selection.size(); i += dot_tile_rows) score.template operator()<dot_tile_rows>(i);
    for (; i < selection.size(); ++i) score.template operator()<1>(i);
  });
}

// A few columns of some planes stay in registers while all rows are added: out[k][column] += change[i][k] * x[column].
template <class V, std::size_t across, std::size_t width, class T>
[[gnu::always_inline]] inline void add_to_tile(const DenseRows<T>& rows, const Selection& selection,
                                               const double* change, const std::size_t planes, const std::size_t column,
                                               double* out) noexcept {
  constexpr std::size_t lanes = sizeof(V) / sizeof(double);
  V sums[width][across];
  for (std::size_t k = 0; k < width; ++k)
    for (std::size_t c = 0; c < across; ++c) sums[k][c] = load_as<V>(out + k * rows.columns + column + c * lanes);
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const T* const x = rows.values + selection.row(i) * rows.stride + column;
    V values[across];
#pragma GCC unroll 4
    for (std::size_t c = 0; c < across; ++c) values[c] = load_as<V>(x + c * lanes);
#pragma GCC unroll 5
    for (std::size_t k = 0; k < width; ++k)
#pragma GCC unroll 4
      for (std::size_t c = 0; c < across; ++c) sums[k][c] += change[i * planes + k] * values[c];
  }
  for (std::size_t k = 0; k < width; ++k)
    for (std::size_t c = 0; c < across; ++c) store(out + k * rows.columns + column + c * lanes, sums[k][c]);
}

// out[k] += change[i][k] * x for the selected rows.
template <class T>
void accumulate_planes(const DenseRows<T>& rows, const Selection& selection, const double* change,
                       const std::size_t planes, double* out) noexcept {
  constexpr std::size_t step = sum_tile_registers * register_width;
  const auto add = [&]<class V, std::size_t across>(const std::size_t column) {
    for_each_plane_group<sum_tile_planes>(planes, [&]<std::size_t width>(const std::size_t first) {
      add_to_tile<V, across, width>(rows, selection, change + first, planes, column, out + first * rows.columns);
    });
  };
  std::size_t column = 0;
  for (; column + step <= rows.columns; column += step) add.template operator()<Register, sum_tile_registers>(column);
  for_each_chunk(rows.columns - column,
                 [&]<class V>(const std::size_t from) { add.template operator()<V, 1>(column + from); });
}

// Sparse rows: the weights of all planes for one column lie side by side, so that one cache line serves several planes.
// The sums have the order of SparseRow::dot.
template <class V, class Row>
[[gnu::always_inline]] inline V dot_side_by_side(const Row& x, const double* w, const std::size_t width) noexcept {
  V sums[8] = {};
  const auto add = [&](const std::size_t to, const std::size_t i) {
    sums[to] += static_cast<double>(x.values[i]) * load_as<V>(w + static_cast<std::size_t>(x.indices[i]) * width);
  };
  std::size_t i = 0;
  for (; i + 8 <= x.size; i += 8)
#pragma GCC unroll 8
    for (std::size_t k = 0; k < 8; ++k) add(k, i + k);
  if (x.size & 4) add(0, i), add(1, i + 1), add(2, i + 2), add(3, i + 3), i += 4;
  if (x.size & 2) add(0, i), add(1, i + 1), i += 2;
  if (x.size & 1) add(0, i);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// out[i][k] = scale * w[k].x + offset[k] * offset_value for k < width, where w holds `width` numbers per column and
// `out` has `planes` per row.
template <class R>
void scores_side_by_side(const RowsView& view, const Selection& selection, const double* w, const std::size_t width,
                         const double scale, const double* offset, const double offset_value, const std::size_t planes,
                         double* out) noexcept {
  const R rows(view);
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const auto x = rows.row(selection.row(i), selection.row(i), nullptr);
    double* const mine = out + i * planes;
    for_each_chunk(width, [&]<class V>(const std::size_t k) {
      store(mine + k, scale * dot_side_by_side<V>(x, w + k, width) + offset_value * load_as<V>(offset + k));
    });
  }
}

// out[column][k] += change[i][k] * x[column] for k < width; a row has `planes` changes.
template <class R>
void accumulate_side_by_side(const RowsView& view, const Selection& selection, const double* change,
                             const std::size_t planes, const std::size_t width, double* out) noexcept {
  const R rows(view);
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const auto x = rows.row(selection.row(i), selection.row(i), nullptr);
    const double* const mine = change + i * planes;
    for_each_chunk(width, [&]<class V>(const std::size_t k) {
      const V amount = load_as<V>(mine + k);
      for (std::size_t j = 0; j < x.size; ++j) {
        double* const to = out + static_cast<std::size_t>(x.indices[j]) * width + k;
        store(to, load_as<V>(to) + amount * static_cast<double>(x.values[j]));
      }
    });
  }
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
