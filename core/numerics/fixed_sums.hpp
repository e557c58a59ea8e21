// Sums in a fixed order. Sixteen partial sums (two registers of AVX-512, four of AVX2, eight of SSE2) are always filled
// and added in the same order and never contracted to FMA, so every instruction set returns the same bits. A remainder
// of 8, 4, 2 or 1 numbers goes to the first lanes. Weights are double; float32 rows are widened when loaded, so a pass
// reads 4 bytes per number and sums lose no precision.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace rosenblatt::ROSENBLATT_TARGET {

using Double2 = double __attribute__((vector_size(16)));
using Double4 = double __attribute__((vector_size(32)));
using Double8 = double __attribute__((vector_size(64)));

#if defined(__AVX512F__)
using Register = Double8;
#elif defined(__AVX2__)
using Register = Double4;
#else
using Register = Double2;
#endif
inline constexpr std::size_t register_width = sizeof(Register) / sizeof(double);
inline constexpr std::size_t lane_count = 16, register_count = lane_count / register_width;

template <class V>
[[gnu::always_inline]] inline V load(const double* from) noexcept {
  V x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

template <class V>
[[gnu::always_inline]] inline V load(const float* from) noexcept {
#if defined(__AVX512F__)  // GCC compiles __builtin_convertvector to four steps here, and warns about its own
                          // _mm512_cvtps_pd
  if constexpr (sizeof(V) == 64) return _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(from));
#endif
  float narrow __attribute__((vector_size(sizeof(V) / 2)));
  std::memcpy(&narrow, from, sizeof narrow);
  return __builtin_convertvector(narrow, V);
}

[[gnu::always_inline]] inline double sum(const Double2 x) noexcept { return x[0] + x[1]; }
[[gnu::always_inline]] inline double sum(const Double4 x) noexcept {
  return sum(Double2{x[0], x[1]} + Double2{x[2], x[3]});
}
[[gnu::always_inline]] inline double sum(const Double8 x) noexcept {
  return sum(Double4{x[0], x[1], x[2], x[3]} + Double4{x[4], x[5], x[6], x[7]});
}

// A narrow vector in the first lanes of a register, zeros in the others.
template <class V>
[[gnu::always_inline]] inline auto widen(const V x) noexcept {
  if constexpr (sizeof(V) == sizeof(Register)) return x;
  else if constexpr (sizeof(V) == sizeof(double)) return Register{x};
  else if constexpr (sizeof(V) == sizeof(Double2)) return Register{x[0], x[1]};
  else return Register{x[0], x[1], x[2], x[3]};
}

struct FixedSum {
  Register part[register_count] = {};

  // Adds term.template operator()<V>(i) for numbers 0 .. size-1, where V holds several numbers from i on.
  template <class Term>
  [[gnu::always_inline]] void add_all(const std::size_t size, const Term& term) noexcept {
    std::size_t i = 0;
    for (; i + lane_count <= size; i += lane_count) add<register_count>(term, i);
    if (size & 8) add<register_count / 2>(term, i), i += 8;
    if (size & 4) {
      if constexpr (register_width > 4) part[0] += widen(term.template operator()<Double4>(i));
      else add<register_count / 4>(term, i);
      i += 4;
    }
    if (size & 2) part[0] += widen(term.template operator()<Double2>(i)), i += 2;
    if (size & 1) part[0] += widen(term.template operator()<double>(i));
  }
  [[gnu::always_inline]] double total() const noexcept {
    Register all[register_count];
    for (std::size_t p = 0; p < register_count; ++p) all[p] = part[p];
#pragma GCC unroll 4
    for (std::size_t half = register_count / 2; half > 0; half /= 2)
#pragma GCC unroll 4
      for (std::size_t p = 0; p < half; ++p) all[p] += all[p + half];
    return sum(all[0]);
  }

 private:
  template <std::size_t count, class Term>
  [[gnu::always_inline]] void add(const Term& term, const std::size_t i) noexcept {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < count; ++p) part[p] += term.template operator()<Register>(i + p * register_width);
  }
};

// Calls use.template operator()<V>(i) for numbers 0 .. size-1, where V holds several numbers from i on.
template <class Use>
[[gnu::always_inline]] inline void for_each_chunk(const std::size_t size, const Use& use) noexcept {
  std::size_t i = 0;
  for (; i + lane_count <= size; i += lane_count) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < register_count; ++p) use.template operator()<Register>(i + p * register_width);
  }
  if (size & 8) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < register_count / 2; ++p) use.template operator()<Register>(i + p * register_width);
    i += 8;
  }
  if (size & 4) {
    if constexpr (register_width >= 4) {
      use.template operator()<Double4>(i);
    } else {
      use.template operator()<Double2>(i);
      use.template operator()<Double2>(i + 2);
    }
    i += 4;
  }
  if (size & 2) use.template operator()<Double2>(i), i += 2;
  if (size & 1) use.template operator()<double>(i);
}

template <class V, class T>
[[gnu::always_inline]] inline V load_as(const T* from) noexcept {
  if constexpr (sizeof(V) == sizeof(double)) return static_cast<double>(*from);
  else return load<V>(from);
}

template <class V>
[[gnu::always_inline]] inline void store(double* to, const V x) noexcept {
  std::memcpy(to, &x, sizeof x);
}

template <class A, class B>
[[gnu::always_inline]] inline double dot(const A* a, const B* b, const std::size_t size) noexcept {
  FixedSum sums;
  sums.add_all(size, [=]<class V>(const std::size_t i) { return load_as<V>(a + i) * load_as<V>(b + i); });
  return sums.total();
}

// x - x is 0 for a finite x and NaN otherwise, so the sum is 0 only if every x is finite.
template <class T>
[[gnu::always_inline]] inline bool all_finite(const T* x, const std::size_t size) noexcept {
  FixedSum zeros;
  zeros.add_all(size, [=]<class V>(const std::size_t i) { return load_as<V>(x + i) - load_as<V>(x + i); });
  return zeros.total() == 0.0;
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
