// Sums with a fixed shape. Sixteen partial sums (two registers of AVX-512, four of AVX2, eight of SSE2), always fed and
// added in the same order and never contracted to FMA, give the same bits on every instruction set. A remainder of 8,
// 4, 2 or 1 numbers goes to the first lanes. Weights are double, so float32 rows are widened on the way in: a pass
// stays bound by memory (4 bytes a number) and sums lose nothing.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace rosenblatt::ROSENBLATT_TARGET {

using Two = double __attribute__((vector_size(16)));
using Four = double __attribute__((vector_size(32)));
using Eight = double __attribute__((vector_size(64)));

#if defined(__AVX512F__)
using Register = Eight;
#elif defined(__AVX2__)
using Register = Four;
#else
using Register = Two;
#endif
inline constexpr std::size_t wide = sizeof(Register) / sizeof(double);
inline constexpr std::size_t lanes = 16, registers = lanes / wide;

template <class V>
[[gnu::always_inline]] inline V load(const double* from) noexcept {
  V x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

template <class V>
[[gnu::always_inline]] inline V load(const float* from) noexcept {
#if defined(__AVX512F__)  // of __builtin_convertvector GCC makes four steps here, and warns of its own plain _cvtps_pd
  if constexpr (sizeof(V) == 64) return _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(from));
#endif
  float narrow __attribute__((vector_size(sizeof(V) / 2)));
  std::memcpy(&narrow, from, sizeof narrow);
  return __builtin_convertvector(narrow, V);
}

[[gnu::always_inline]] inline double sum(const Two x) noexcept { return x[0] + x[1]; }
[[gnu::always_inline]] inline double sum(const Four x) noexcept { return sum(Two{x[0], x[1]} + Two{x[2], x[3]}); }
[[gnu::always_inline]] inline double sum(const Eight x) noexcept {
  return sum(Four{x[0], x[1], x[2], x[3]} + Four{x[4], x[5], x[6], x[7]});
}

// The numbers of a narrow vector in the first lanes of a register, zeros behind them.
template <class V>
[[gnu::always_inline]] inline auto first_lanes(const V x) noexcept {
  if constexpr (sizeof(V) == sizeof(Register)) return x;
  else if constexpr (sizeof(V) == sizeof(double)) return Register{x};
  else if constexpr (sizeof(V) == sizeof(Two)) return Register{x[0], x[1]};
  else return Register{x[0], x[1], x[2], x[3]};
}

struct Lanes {
  Register part[registers] = {};

  // Adds term.template operator()<V>(i) for numbers 0 .. size-1, V being as many at once as there is room for.
  template <class Term>
  [[gnu::always_inline]] void add_all(const std::size_t size, const Term& term) noexcept {
    std::size_t i = 0;
    for (; i + lanes <= size; i += lanes) add<registers>(term, i);
    if (size & 8) add<registers / 2>(term, i), i += 8;
    if (size & 4) {
      if constexpr (wide > 4) part[0] += first_lanes(term.template operator()<Four>(i));
      else add<registers / 4>(term, i);
      i += 4;
    }
    if (size & 2) part[0] += first_lanes(term.template operator()<Two>(i)), i += 2;
    if (size & 1) part[0] += first_lanes(term.template operator()<double>(i));
  }
  [[gnu::always_inline]] double total() const noexcept {
    Register all[registers];
    for (std::size_t p = 0; p < registers; ++p) all[p] = part[p];
#pragma GCC unroll 4
    for (std::size_t half = registers / 2; half > 0; half /= 2)
#pragma GCC unroll 4
      for (std::size_t p = 0; p < half; ++p) all[p] += all[p + half];
    return sum(all[0]);
  }

 private:
  template <std::size_t count, class Term>
  [[gnu::always_inline]] void add(const Term& term, const std::size_t i) noexcept {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < count; ++p) part[p] += term.template operator()<Register>(i + p * wide);
  }
};

// Calls use.template operator()<V>(i) for numbers 0 .. size-1, V being as many at once as there is room for.
template <class Use>
[[gnu::always_inline]] inline void each_piece(const std::size_t size, const Use& use) noexcept {
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < registers; ++p) use.template operator()<Register>(i + p * wide);
  }
  if (size & 8) {
#pragma GCC unroll 4
    for (std::size_t p = 0; p < registers / 2; ++p) use.template operator()<Register>(i + p * wide);
    i += 8;
  }
  if (size & 4) {
    if constexpr (wide >= 4) {
      use.template operator()<Four>(i);
    } else {
      use.template operator()<Two>(i);
      use.template operator()<Two>(i + 2);
    }
    i += 4;
  }
  if (size & 2) use.template operator()<Two>(i), i += 2;
  if (size & 1) use.template operator()<double>(i);
}

template <class V, class T>
[[gnu::always_inline]] inline V take(const T* from) noexcept {
  if constexpr (sizeof(V) == sizeof(double)) return static_cast<double>(*from);
  else return load<V>(from);
}

template <class V>
[[gnu::always_inline]] inline void put(double* to, const V x) noexcept {
  std::memcpy(to, &x, sizeof x);
}

template <class A, class B>
[[gnu::always_inline]] inline double dot(const A* a, const B* b, const std::size_t size) noexcept {
  Lanes sums;
  sums.add_all(size, [=]<class V>(const std::size_t i) { return take<V>(a + i) * take<V>(b + i); });
  return sums.total();
}

// x - x is 0 for a finite number and NaN otherwise, and a sum of zeros stays 0.
template <class T>
[[gnu::always_inline]] inline bool all_finite(const T* x, const std::size_t size) noexcept {
  Lanes zeros;
  zeros.add_all(size, [=]<class V>(const std::size_t i) { return take<V>(x + i) - take<V>(x + i); });
  return zeros.total() == 0.0;
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
