// What a row can do: dot with weights, its squared norm, be added to weights. Dense or CSR; `lifted.hpp` makes
// others of them, in scratch space.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "numerics/fixed_sums.hpp"
#include "rows/views.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// The size of a number as bits that compare like sizes do; infinity is above all finite ones, NaN above infinity.
[[gnu::always_inline]] inline std::int64_t size_bits(const double x) noexcept {
  return std::bit_cast<std::int64_t>(x) & 0x7fff'ffff'ffff'ffff;
}
[[gnu::always_inline]] inline void raise_to(std::int64_t& most, const std::int64_t size) noexcept {
  most = size > most ? size : most;
}

// A row known to come is asked for into the second-level cache while an earlier one is summed, a line of 64 bytes with
// each line that is read: in bursts, the requests fill the line buffers and nothing else moves. On one core that reads
// 16.7 GB/s: rows of 6 kB come in sequence at 16.6 GB/s instead of 14, shuffled at 15 instead of 11.
template <class T>
struct DenseRow {
  const T* x;
  std::size_t size;
  const T* coming = nullptr;

  double dot(const double* w) const noexcept { return ROSENBLATT_TARGET::dot(x, w, size); }
  double dot_and_fetch(const double* w) const noexcept {
    Lanes sums;
    sums.add_all(size, [x = x, w, coming = coming]<class V>(const std::size_t i) {
      if ((i * sizeof(T)) % 64 == 0) __builtin_prefetch(coming + i, 0, 2);
      return take<V>(x + i) * take<V>(w + i);
    });
    return sums.total();
  }
  double squared_norm() const noexcept { return ROSENBLATT_TARGET::dot(x, x, size); }
  // In pieces as wide as those that `dot` reads next: a load that spans several stores would have to wait for them.
  void add_to(double* __restrict w, const double change) const noexcept {
    const T *const from = x, *const then = coming;
    each_piece(size, [=]<class V>(const std::size_t i) {
      if ((i * sizeof(T)) % 64 == 0) __builtin_prefetch(then + i, 0, 2);
      put(w + i, take<V>(w + i) + change * take<V>(from + i));
    });
  }
  void raise(std::int64_t* __restrict most) const noexcept {
    for (std::size_t i = 0; i < size; ++i) raise_to(most[i], size_bits(static_cast<double>(x[i])));
  }
};

template <class T, class Index>
struct SparseRow {
  const T* x;
  const Index* at;
  std::size_t size;
  const T* coming_x = nullptr;
  const Index* coming_at = nullptr;
  std::size_t coming_size = 0;

  double dot(const double* w) const noexcept { return sum<false>(w); }
  double dot_and_fetch(const double* w) const noexcept { return sum<true>(w); }
  double squared_norm() const noexcept { return ROSENBLATT_TARGET::dot(x, x, size); }
  void add_to(double* __restrict w, const double change) const noexcept {
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
      if (i < coming_size) fetch_coming(i);
      double sums[8];
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 8; ++k) sums[k] = w[at[i + k]] + change * static_cast<double>(x[i + k]);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 8; ++k) w[at[i + k]] = sums[k];
    }
    if (i < size && i < coming_size) fetch_coming(i);
    for (; i < size; ++i) w[at[i]] += change * static_cast<double>(x[i]);
    fetch_rest();
  }
  void raise(std::int64_t* __restrict most) const noexcept {
    for (std::size_t i = 0; i < size; ++i) raise_to(most[at[i]], size_bits(static_cast<double>(x[i])));
  }

 private:
  void fetch_coming(const std::size_t i) const noexcept {
    __builtin_prefetch(coming_x + i, 0, 2);
    __builtin_prefetch(coming_at + i, 0, 2);
  }
  // The coming row may be longer than this one.
  void fetch_rest() const noexcept {
    for (std::size_t i = (size + 7) / 8 * 8; i < coming_size; i += 8) fetch_coming(i);
  }
  // Eight partial sums, two in a register: the loads from w are what it waits for, and pairs need fewer instructions
  // between them. (Gathers need fewer still, but many processors were made to run them slowly, for safety.)
  template <bool fetch>
  [[gnu::always_inline]] double sum(const double* w) const noexcept {
    Two sums[4] = {};
    const auto add = [&](const std::size_t to, const std::size_t i) {
      sums[to] += take<Two>(x + i) * Two{w[at[i]], w[at[i + 1]]};
    };
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
      if constexpr (fetch)
        if (i < coming_size) fetch_coming(i);
      add(0, i), add(1, i + 2), add(2, i + 4), add(3, i + 6);
    }
    if constexpr (fetch) fetch_rest();
    if (size & 4) add(0, i), add(1, i + 2), i += 4;
    if (size & 2) add(0, i), i += 2;
    if (size & 1) sums[0] += Two{static_cast<double>(x[i]) * w[at[i]], 0.0};
    return ROSENBLATT_TARGET::sum((sums[0] + sums[2]) + (sums[1] + sums[3]));
  }
};

template <class R>
concept RowSource =
    requires(const R& rows, std::size_t i, double* scratch, const double* w, double* out, std::int64_t* most) {
      { rows.row(i, i, scratch).dot(w) } -> std::same_as<double>;
      { rows.row(i, i, scratch).dot_and_fetch(w) } -> std::same_as<double>;
      { rows.row(i, i, scratch).squared_norm() } -> std::same_as<double>;
      rows.row(i, i, scratch).add_to(out, 1.0);
      rows.row(i, i, scratch).raise(most);
      { rows.ahead() } -> std::same_as<std::size_t>;
      { rows.finite(i) } -> std::same_as<bool>;
    };

// How many rows ahead to look: about 20 kB.
inline std::size_t rows_ahead(const std::size_t row_bytes) noexcept {
  const std::size_t rows = (std::size_t{20} << 10) / (row_bytes + 1);
  return rows < 3 ? 3 : rows > 16 ? 16 : rows;
}

// row(i, coming, scratch): row i, and what is known to come a little later (i itself where nothing is).
template <class T>
struct DenseRows {
  const T* values;
  std::size_t columns, stride;

  explicit DenseRows(const RowsView& v) noexcept
      : values(static_cast<const T*>(v.values)), columns(v.stored_columns), stride(v.stride) {}
  DenseRow<T> row(const std::size_t i, const std::size_t coming, double*) const noexcept {
    return {values + i * stride, columns, values + coming * stride};
  }
  void expect(const std::size_t coming, DenseRow<T>& x) const noexcept { x.coming = values + coming * stride; }
  std::size_t ahead() const noexcept { return rows_ahead(columns * sizeof(T)); }
  bool finite(const std::size_t i) const noexcept { return all_finite(values + i * stride, columns); }
};

template <class T, class Index>
struct SparseRows {
  const T* values;
  const Index *indices, *starts;

  explicit SparseRows(const RowsView& v) noexcept
      : values(static_cast<const T*>(v.values)),
        indices(static_cast<const Index*>(v.indices)),
        starts(static_cast<const Index*>(v.starts)) {}
  SparseRow<T, Index> row(const std::size_t i, const std::size_t coming, double*) const noexcept {
    const auto begin = static_cast<std::size_t>(starts[i]), next = static_cast<std::size_t>(starts[coming]);
    const std::size_t size = static_cast<std::size_t>(starts[i + 1]) - begin;
    const std::size_t coming_size = static_cast<std::size_t>(starts[coming + 1]) - next;
    return {values + begin, indices + begin, size, values + next, indices + next, coming_size};
  }
  void expect(const std::size_t coming, SparseRow<T, Index>& x) const noexcept {
    const auto next = static_cast<std::size_t>(starts[coming]);
    x.coming_x = values + next;
    x.coming_at = indices + next;
    x.coming_size = static_cast<std::size_t>(starts[coming + 1]) - next;
  }
  std::size_t ahead() const noexcept { return 8; }
  bool finite(const std::size_t i) const noexcept {
    const auto begin = static_cast<std::size_t>(starts[i]);
    return all_finite(values + begin, static_cast<std::size_t>(starts[i + 1]) - begin);
  }
};

}  // namespace rosenblatt::ROSENBLATT_TARGET
