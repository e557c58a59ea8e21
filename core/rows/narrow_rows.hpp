// Dense rows of at most 64 columns, processed several at a time. Row by row, most time goes to adding up partial sums
// and to waiting for the previous row. The bits are those of one row after the other.
#pragma once

#include "numerics/fixed_sums.hpp"
#include "rows/dense_csr.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

template <class T>
bool is_narrow(const DenseRows<T>& rows) noexcept {
  return rows.columns <= 64;
}

// out += sum of change[i] * row i. A few columns of all rows stay in registers.
template <class T>
void accumulate_narrow(const DenseRows<T>& rows, const Selection& selection, const double* change,
                       double* out) noexcept {
  for_each_chunk(rows.columns, [&]<class V>(const std::size_t column) {
    V sums = load_as<V>(out + column);
    for (std::size_t i = 0; i < selection.size(); ++i)
      sums += change[i] * load_as<V>(rows.values + selection.row(i) * rows.stride + column);
    store(out + column, sums);
  });
}

#if defined(__AVX512F__)
// The totals of eight rows, each added in the order of `sum`: halves, quarters, neighbours.
[[gnu::always_inline]] inline Double8 sum_eight(const Double8 (&x)[8]) noexcept {
  Double8 halves[4], quarters[2];
#pragma GCC unroll 4
  for (std::size_t p = 0; p < 4; ++p)
    halves[p] = __builtin_shufflevector(x[2 * p], x[2 * p + 1], 0, 1, 2, 3, 8, 9, 10, 11) +
                __builtin_shufflevector(x[2 * p], x[2 * p + 1], 4, 5, 6, 7, 12, 13, 14, 15);
#pragma GCC unroll 2
  for (std::size_t p = 0; p < 2; ++p)
    quarters[p] = __builtin_shufflevector(halves[2 * p], halves[2 * p + 1], 0, 1, 4, 5, 8, 9, 12, 13) +
                  __builtin_shufflevector(halves[2 * p], halves[2 * p + 1], 2, 3, 6, 7, 10, 11, 14, 15);
  return __builtin_shufflevector(quarters[0], quarters[1], 0, 2, 4, 6, 8, 10, 12, 14) +
         __builtin_shufflevector(quarters[0], quarters[1], 1, 3, 5, 7, 9, 11, 13, 15);
}

// w.x of eight rows, from the i-th selected row on.
template <class T>
[[gnu::always_inline]] inline Double8 dot_eight(const DenseRows<T>& rows, const Selection& selection,
                                                const std::size_t i, const double* w) noexcept {
  Double8 partial_sums[8];
#pragma GCC unroll 8
  for (std::size_t k = 0; k < 8; ++k) {
    const T* const x = rows.values + selection.row(i + k) * rows.stride;
    FixedSum sums;
    sums.add_all(rows.columns, [=]<class V>(const std::size_t c) { return load_as<V>(x + c) * load_as<V>(w + c); });
    partial_sums[k] = sums.part[0] + sums.part[1];
  }
  return sum_eight(partial_sums);
}
#endif

}  // namespace rosenblatt::ROSENBLATT_TARGET
