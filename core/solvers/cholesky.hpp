// Cholesky factorization A = L L^T of the lower triangle, in place. Four rows are processed together, so each row above
// them is read once for all four.
#pragma once

#include "numerics/fixed_sums.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

template <std::size_t height>
[[gnu::always_inline]] inline void dot_block(const double* const (&rows)[height], const double* other,
                                             const std::size_t size, double (&out)[height]) noexcept {
  FixedSum sums[height];
  std::size_t i = 0;
  for (; i + lane_count <= size; i += lane_count)
#pragma GCC unroll 8
    for (std::size_t part = 0; part < register_count; ++part) {
      const Register y = load<Register>(other + i + part * register_width);
#pragma GCC unroll 4
      for (std::size_t h = 0; h < height; ++h)
        sums[h].part[part] += load<Register>(rows[h] + i + part * register_width) * y;
    }
  for (std::size_t h = 0; h < height; ++h) {
    sums[h].add_all(size - i, [x = rows[h] + i, y = other + i]<class V>(const std::size_t k) {
      return load_as<V>(x + k) * load_as<V>(y + k);
    });
    out[h] = sums[h].total();
  }
}

// A coordinate whose pivot is at most `least` is dropped; 0 on the diagonal marks it. Returns how many were dropped.
inline std::size_t cholesky_factor(double* a, const std::size_t size, const double least) noexcept {
  constexpr std::size_t height = 4;
  std::size_t dropped = 0;
  for (std::size_t begin = 0; begin < size; begin += height) {
    const std::size_t end = begin + height < size ? begin + height : size;
    double* rows[height];
    for (std::size_t h = 0; h < height; ++h) rows[h] = a + (begin + h < end ? begin + h : begin) * size;
    const double* const block[height] = {rows[0], rows[1], rows[2], rows[3]};
    for (std::size_t j = 0; j < begin; ++j) {
      const double* other = a + j * size;
      double sums[height];
      dot_block<height>(block, other, j, sums);
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
      if (!(pivot > least)) ++dropped;
    }
  }
  return dropped;
}

// out = L^-1, zeros above its diagonal; a row and a column of zeros for each dropped coordinate. Row i is
// (e_i - sum over k < i of L_ik (L^-1)_k) / L_ii.
inline void invert_triangle(const double* l, const std::size_t size, double* out) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    double* const row = out + i * size;
    for (std::size_t j = 0; j < size; ++j) row[j] = 0.0;
    const double pivot = l[i * size + i];
    if (pivot == 0.0) continue;
    for (std::size_t k = 0; k < i; ++k) {
      const double factor = l[i * size + k];
      const double* const other = out + k * size;
      for_each_chunk(k + 1, [=]<class V>(const std::size_t j) {
        store(row + j, load_as<V>(row + j) - factor * load_as<V>(other + j));
      });
    }
    for (std::size_t j = 0; j < i; ++j) row[j] /= pivot;
    row[i] = 1.0 / pivot;
  }
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
