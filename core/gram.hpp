// Sums of weighted outer products of rows, with the constant coordinate last: the Hessian of a loss. Each entry is
// added up row by row, so its bits do not depend on how many entries a register holds.
#pragma once

#include "data.hpp"
#include "kernels.hpp"
#include "lanes.hpp"
#include "rows.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// Four rows of the square against two registers of its columns: eight sums in flight.
template <std::size_t height>
[[gnu::always_inline]] inline void add_tile(const double* panel, const std::size_t count, const std::size_t size,
                                            const std::size_t i, const std::size_t j, double* gram) noexcept {
  Register sums[height][2] = {};
  for (std::size_t r = 0; r < count; ++r) {
    const double* x = panel + r * size;
    const Register left = load<Register>(x + j), right = load<Register>(x + j + wide);
#pragma GCC unroll 4
    for (std::size_t h = 0; h < height; ++h) {
      sums[h][0] += x[i + h] * left;
      sums[h][1] += x[i + h] * right;
    }
  }
  for (std::size_t h = 0; h < height; ++h)
    for (std::size_t c = 0; c < 2; ++c) {
      double* out = gram + (i + h) * size + j + c * wide;
      const Register sum = load<Register>(out) + sums[h][c];
      std::memcpy(out, &sum, sizeof sum);
    }
}

inline void add_entry(const double* panel, const std::size_t count, const std::size_t size, const std::size_t i,
                      const std::size_t j, double* gram) noexcept {
  double sum = 0.0;
  for (std::size_t r = 0; r < count; ++r) sum += panel[r * size + i] * panel[r * size + j];
  gram[i * size + j] += sum;
}

// panel holds `count` rows of sqrt(weight) * (x, offset_value). Tiles may reach above the diagonal; nobody reads that.
inline void add_panel(const double* panel, const std::size_t count, const std::size_t size, double* gram) noexcept {
  std::size_t i = 0;
  for (; i < size; i += i + 4 <= size ? 4 : 1) {
    const std::size_t height = i + 4 <= size ? 4 : 1;
    std::size_t j = 0;
    for (; j < i + height && j + 2 * wide <= size; j += 2 * wide)
      height == 4 ? add_tile<4>(panel, count, size, i, j, gram) : add_tile<1>(panel, count, size, i, j, gram);
    for (std::size_t h = 0; h < height; ++h)
      for (std::size_t rest = j; rest <= i + h; ++rest) add_entry(panel, count, size, i + h, rest, gram);
  }
}

template <class T>
[[gnu::always_inline]] inline void gram_of_row(const DenseRow<T>& x, const double root, const double offset_value,
                                               double* out) noexcept {
  for (std::size_t j = 0; j < x.size; ++j) out[j] = root * static_cast<double>(x.x[j]);
  out[x.size] = root * offset_value;
}

template <class T, class Index>
inline void add_outer(const SparseRow<T, Index>& x, const double weight, const double offset_value,
                      const std::size_t size, double* gram) noexcept {
  for (std::size_t a = 0; a < x.size; ++a) {
    const double scaled = weight * static_cast<double>(x.x[a]);
    const auto row = static_cast<std::size_t>(x.at[a]);
    for (std::size_t b = 0; b <= a; ++b) {
      const auto column = static_cast<std::size_t>(x.at[b]);
      const std::size_t place = row >= column ? row * size + column : column * size + row;
      gram[place] += scaled * static_cast<double>(x.x[b]);
    }
    gram[(size - 1) * size + row] += scaled * offset_value;
  }
  gram[size * size - 1] += weight * offset_value * offset_value;
}

template <RowSource R>
void add_gram(const RowsView& view, const Selection& selection, const double* weight, const double offset_value,
              double* scratch, double* panel, double* gram) noexcept {
  const R rows(view);
  const std::size_t size = view.columns + 1;
  std::size_t filled = 0;
  for (std::size_t k = 0; k < selection.size(); ++k) {
    if (weight[k] == 0.0) continue;
    const auto x = rows.row(selection.row(k), selection.row(k), scratch);
    if constexpr (requires { x.at; }) {
      add_outer(x, weight[k], offset_value, size, gram);
    } else {
      gram_of_row(x, __builtin_sqrt(weight[k]), offset_value, panel + filled++ * size);
      if (filled == gram_rows) add_panel(panel, filled, size, gram), filled = 0;
    }
  }
  if (filled) add_panel(panel, filled, size, gram);
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
