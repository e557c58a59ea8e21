// Dense and CSR rows: dot product with weights, squared norm, addition to weights. lifted_rows.hpp and kernel_rows.hpp
// generate other rows from them in scratch space.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "numerics/fixed_sums.hpp"
#include "rows/views.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// |x| as bits. They compare as integers like magnitudes do: infinity is above every finite number, NaN above infinity.
[[gnu::always_inline]] inline std::int64_t magnitude_bits(const double x) noexcept {
  return std::bit_cast<std::int64_t>(x) & 0x7fff'ffff'ffff'ffff;
}
[[gnu::always_inline]] inline void keep_larger(std::int64_t& most, const std::int64_t size) noexcept {
  most = size > most ? size : most;
}

// While one row is summed, an upcoming row is prefetched into the second-level cache: one 64-byte line for each line
// read, and the line of its end, because few rows begin at a cache line. Bursts of prefetches would fill the line
// buffers and stall the reads. On a core that streams 16.7 GB/s, rows of 6 kB arrive at 16.6 GB/s in sequence (14
// without prefetching) and at 15 GB/s shuffled (11 without).
template <class T>
struct DenseRow {
  const T* values;
  std::size_t size;
  const T* upcoming = nullptr;

  double dot(const double* w) const noexcept { return ROSENBLATT_TARGET::dot(values, w, size); }
  double dot_and_fetch(const double* w) const noexcept {
    FixedSum sums;
    sums.add_all(size, [x = values, w, upcoming = upcoming]<class V>(const std::size_t i) {
      if ((i * sizeof(T)) % 64 == 0) __builtin_prefetch(upcoming + i, 0, 2);
      return load_as<V>(x + i) * load_as<V>(w + i);
    });
    __builtin_prefetch(upcoming + size, 0, 2);
    return sums.total();
  }
  double squared_norm() const noexcept { return ROSENBLATT_TARGET::dot(values, values, size); }
  // Stores have the width of the loads in `dot`: a load that spans several recent stores waits for all of them.
  void add_to(double* __restrict w, const double change) const noexcept {
    const T *const from = values, *const then = upcoming;
    for_each_chunk(size, [=]<class V>(const std::size_t i) {
      if ((i * sizeof(T)) % 64 == 0) __builtin_prefetch(then + i, 0, 2);
      store(w + i, load_as<V>(w + i) + change * load_as<V>(from + i));
    });
    __builtin_prefetch(then + size, 0, 2);
  }
  template <class Use>
  [[gnu::always_inline]] void for_each_column(const Use& use) const noexcept {
    for (std::size_t i = 0; i < size; ++i) use(i);
  }
  void max_into(std::int64_t* __restrict most) const noexcept {
    for (std::size_t i = 0; i < size; ++i) keep_larger(most[i], magnitude_bits(static_cast<double>(values[i])));
  }
};

// An upcoming row is prefetched into the first-level cache. A short row spans one line more than its length asks for
// about half the time, so the line of its end is prefetched, too.
template <class T, class Index>
struct SparseRow {
  const T* values;
  const Index* indices;
  std::size_t size;
  const T* upcoming_values = nullptr;
  const Index* upcoming_indices = nullptr;
  std::size_t upcoming_size = 0;

  double dot(const double* w) const noexcept {
    return dot_with([w](const std::size_t j) { return w[j]; });
  }
  double dot_and_fetch(const double* w) const noexcept {
    return sum<true>([w](const std::size_t j) { return w[j]; });
  }
  // The same with weight(j) for each column j of this row.
  template <class Weight>
  [[gnu::always_inline]] double dot_with(const Weight& weight) const noexcept {
    return sum<false>(weight);
  }
  double squared_norm() const noexcept { return ROSENBLATT_TARGET::dot(values, values, size); }
  void add_to(double* __restrict w, const double change) const noexcept {
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
      if (i < upcoming_size) prefetch_upcoming(i);
      double sums[8];
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 8; ++k) sums[k] = w[indices[i + k]] + change * static_cast<double>(values[i + k]);
#pragma GCC unroll 8
      for (std::size_t k = 0; k < 8; ++k) w[indices[i + k]] = sums[k];
    }
    if (i < size && i < upcoming_size) prefetch_upcoming(i);
    for (; i < size; ++i) w[indices[i]] += change * static_cast<double>(values[i]);
    prefetch_rest();
  }
  template <class Use>
  [[gnu::always_inline]] void for_each_column(const Use& use) const noexcept {
    for (std::size_t i = 0; i < size; ++i) use(static_cast<std::size_t>(indices[i]));
  }
  void max_into(std::int64_t* __restrict most) const noexcept {
    for (std::size_t i = 0; i < size; ++i)
      keep_larger(most[indices[i]], magnitude_bits(static_cast<double>(values[i])));
  }

 private:
  // Inlined always: GCC 12 takes a call that only prefetches for one without effect, and drops it.
  [[gnu::always_inline]] void prefetch_upcoming(const std::size_t i) const noexcept {
    __builtin_prefetch(upcoming_values + i);
    __builtin_prefetch(upcoming_indices + i);
  }
  // The upcoming row may be longer than this one.
  [[gnu::always_inline]] void prefetch_rest() const noexcept {
    for (std::size_t i = (size + 7) / 8 * 8; i < upcoming_size; i += 8) prefetch_upcoming(i);
    prefetch_upcoming(upcoming_size);
  }
  // Eight partial sums, two per register. The loop waits for the loads of w, and pairs need few instructions between
  // them. Gather instructions need fewer, but security microcode made them slow on many CPUs.
  template <bool fetch, class Weight>
  [[gnu::always_inline]] double sum(const Weight& weight) const noexcept {
    Double2 sums[4] = {};
    const auto weight_at = [&](const std::size_t i)
                               __attribute__((always_inline)) { return weight(static_cast<std::size_t>(indices[i])); };
    const auto add = [&](const std::size_t to, const std::size_t i) __attribute__((always_inline)) {
      sums[to] += load_as<Double2>(values + i) * Double2{weight_at(i), weight_at(i + 1)};
    };
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
      if constexpr (fetch)
        if (i < upcoming_size) prefetch_upcoming(i);
      add(0, i), add(1, i + 2), add(2, i + 4), add(3, i + 6);
    }
    if constexpr (fetch) prefetch_rest();
    add_rest(weight, i, sums);
    return ROSENBLATT_TARGET::sum((sums[0] + sums[2]) + (sums[1] + sums[3]));
  }

  // Adds the last size % 8 numbers, from i on: the first four to two sums, all others to the first sum.
#if defined(__AVX512F__)
  // Lengths of rows are hard to predict, and a branch for each bit of them costs short rows a quarter of their visit.
  // Instead, all places are computed: those beyond the end read column 0 and add 0, which changes no sum.
  template <class Weight>
  [[gnu::always_inline]] void add_rest(const Weight& weight, const std::size_t i, Double2 (&sums)[4]) const noexcept {
    const unsigned mask = (1u << (size & 7)) - 1;
    if (mask == 0) return;  // there may be no column at all
    alignas(64) Index column[8];
    load_rest(indices + i, static_cast<__mmask8>(mask), column);
    const auto product = [&](const unsigned k) __attribute__((always_inline)) {
      const auto within = static_cast<__mmask8>(mask >> k & 3);
      const Double2 w{weight(static_cast<std::size_t>(column[k])), weight(static_cast<std::size_t>(column[k + 1]))};
      return Double2(_mm_maskz_mul_pd(within, load_rest(values + i + k, within), __m128d(w)));
    };
    const Double2 second = product(2);
    const bool four = size & 4;
    sums[0] += product(0);
    sums[1] += four ? second : Double2{};
    sums[0] += four ? product(4) : second;
    sums[0] += product(6);
  }
  static void load_rest(const std::int32_t* from, const __mmask8 mask, std::int32_t* to) noexcept {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), _mm256_maskz_loadu_epi32(mask, from));
  }
  static void load_rest(const std::int64_t* from, const __mmask8 mask, std::int64_t* to) noexcept {
    _mm512_store_si512(to, _mm512_maskz_loadu_epi64(mask, from));
  }
  static __m128d load_rest(const double* from, const __mmask8 mask) noexcept { return _mm_maskz_loadu_pd(mask, from); }
  static __m128d load_rest(const float* from, const __mmask8 mask) noexcept {
    return _mm_cvtps_pd(_mm_maskz_loadu_ps(mask, from));
  }
#else
  template <class Weight>
  [[gnu::always_inline]] void add_rest(const Weight& weight, std::size_t i, Double2 (&sums)[4]) const noexcept {
    const auto weight_at = [&](const std::size_t at)
                               __attribute__((always_inline)) { return weight(static_cast<std::size_t>(indices[at])); };
    const auto add = [&](const std::size_t to) __attribute__((always_inline)) {
      sums[to] += load_as<Double2>(values + i) * Double2{weight_at(i), weight_at(i + 1)};
      i += 2;
    };
    if (size & 4) add(0), add(1);
    if (size & 2) add(0);
    if (size & 1) sums[0] += Double2{static_cast<double>(values[i]) * weight_at(i), 0.0};
  }
#endif
};

template <class R>
concept RowSource =
    requires(const R& rows, std::size_t i, double* scratch, const double* w, double* out, std::int64_t* most) {
      { rows.row(i, i, scratch).dot(w) } -> std::same_as<double>;
      { rows.row(i, i, scratch).dot_and_fetch(w) } -> std::same_as<double>;
      { rows.row(i, i, scratch).squared_norm() } -> std::same_as<double>;
      rows.row(i, i, scratch).add_to(out, 1.0);
      rows.row(i, i, scratch).max_into(most);
      { rows.prefetch_distance() } -> std::same_as<std::size_t>;
      { rows.is_finite(i) } -> std::same_as<bool>;
    };

// Prefetches where row i begins, which must be known before the row itself can be prefetched.
template <RowSource R>
[[gnu::always_inline]] inline void prefetch_start(const R& rows, const std::size_t i) noexcept {
  if constexpr (requires { rows.prefetch_start(i); }) rows.prefetch_start(i);
}

// How many rows ahead to prefetch: about 20 kB, from 3 to 16 rows.
inline std::size_t prefetch_rows(const std::size_t row_bytes) noexcept {
  const std::size_t rows = (std::size_t{20} << 10) / (row_bytes + 1);
  return rows < 3 ? 3 : rows > 16 ? 16 : rows;
}

// row(i, upcoming, scratch): row i, and a row to prefetch meanwhile (i itself where none is known).
template <class T>
struct DenseRows {
  const T* values;
  std::size_t columns, stride;

  explicit DenseRows(const RowsView& v) noexcept
      : values(static_cast<const T*>(v.values)), columns(v.stored_columns), stride(v.stride) {}
  DenseRow<T> row(const std::size_t i, const std::size_t upcoming, double*) const noexcept {
    return {values + i * stride, columns, values + upcoming * stride};
  }
  void set_upcoming(const std::size_t upcoming, DenseRow<T>& x) const noexcept {
    x.upcoming = values + upcoming * stride;
  }
  std::size_t prefetch_distance() const noexcept { return prefetch_rows(columns * sizeof(T)); }
  bool is_finite(const std::size_t i) const noexcept { return all_finite(values + i * stride, columns); }
};

template <class T, class Index>
struct SparseRows {
  const T* values;
  const Index *indices, *starts;

  explicit SparseRows(const RowsView& v) noexcept
      : values(static_cast<const T*>(v.values)),
        indices(static_cast<const Index*>(v.indices)),
        starts(static_cast<const Index*>(v.starts)) {}
  SparseRow<T, Index> row(const std::size_t i, const std::size_t upcoming, double*) const noexcept {
    const auto begin = static_cast<std::size_t>(starts[i]), next = static_cast<std::size_t>(starts[upcoming]);
    const std::size_t size = static_cast<std::size_t>(starts[i + 1]) - begin;
    const std::size_t upcoming_size = static_cast<std::size_t>(starts[upcoming + 1]) - next;
    return {values + begin, indices + begin, size, values + next, indices + next, upcoming_size};
  }
  void set_upcoming(const std::size_t upcoming, SparseRow<T, Index>& x) const noexcept {
    const auto next = static_cast<std::size_t>(starts[upcoming]);
    x.upcoming_values = values + next;
    x.upcoming_indices = indices + next;
    x.upcoming_size = static_cast<std::size_t>(starts[upcoming + 1]) - next;
  }
  void prefetch_start(const std::size_t i) const noexcept { __builtin_prefetch(starts + i); }
  std::size_t prefetch_distance() const noexcept { return 8; }
  bool is_finite(const std::size_t i) const noexcept { return are_finite(i, i + 1); }
  bool are_finite(const std::size_t first, const std::size_t end) const noexcept {
    const auto begin = static_cast<std::size_t>(starts[first]);
    return all_finite(values + begin, static_cast<std::size_t>(starts[end]) - begin);
  }
};

}  // namespace rosenblatt::ROSENBLATT_TARGET
