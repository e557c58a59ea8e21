// A = L L^T in place, the lower triangle. Four rows at a time against each row above them, whose numbers are then read
// once for all four.
#pragma once

#include "numerics/fixed_sums.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

template <std::size_t height>
[[gnu::always_inline]] inline void dots(const double* const (&rows)[height], const double* other,
                                        const std::size_t size, double (&out)[height]) noexcept {
  Lanes sums[height];
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes)
#pragma GCC unroll 8
    for (std::size_t part = 0; part < registers; ++part) {
      const Register y = load<Register>(other + i + part * wide);
#pragma GCC unroll 4
      for (std::size_t h = 0; h < height; ++h) sums[h].part[part] += load<Register>(rows[h] + i + part * wide) * y;
    }
  for (std::size_t h = 0; h < height; ++h) {
    sums[h].add_all(size - i, [x = rows[h] + i, y = other + i]<class V>(const std::size_t k) {
      return take<V>(x + k) * take<V>(y + k);
    });
    out[h] = sums[h].total();
  }
}

// A coordinate whose pivot is not above `least` is left out: 0 on the diagonal marks it. Returns how many were.
inline std::size_t factor_triangle(double* a, const std::size_t size, const double least) noexcept {
  constexpr std::size_t height = 4;
  std::size_t left_out = 0;
  for (std::size_t begin = 0; begin < size; begin += height) {
    const std::size_t end = begin + height < size ? begin + height : size;
    double* rows[height];
    for (std::size_t h = 0; h < height; ++h) rows[h] = a + (begin + h < end ? begin + h : begin) * size;
    const double* const block[height] = {rows[0], rows[1], rows[2], rows[3]};
    for (std::size_t j = 0; j < begin; ++j) {
      const double* other = a + j * size;
      double sums[height];
      dots<height>(block, other, j, sums);
      double entries[height];
      for (std::size_t h = 0; h < height; ++h) entries[h] = other[j] == 0.0 ? 0.0 : (rows[h][j] - sums[h]) / other[j];
      for (std::size_t h = 0; h < height; ++h) rows[h][j] = entries[h];
    }
    for (std::size_t i = begin; i < end; ++i) {
      double* row = a + i * size;
      for (std::size_t j = begin; j < i; ++j) {
        const double* other = a + j * size;
        row[j] = other[j] == 0.0 ? 0.0 : (row[j] - dot(row, other, j)) / other[j];
      }
      const double pivot = row[i] - dot(row, row, i);
      row[i] = pivot > least ? __builtin_sqrt(pivot) : 0.0;
      if (!(pivot > least)) ++left_out;
    }
  }
  return left_out;
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
