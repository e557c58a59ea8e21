// Sums with a fixed shape. Sixteen partial sums (two registers of AVX-512, four of AVX2, eight of SSE2), always added
// in the same order and never contracted to FMA, give the same bits on every instruction set. Weights are double, so
// float32 rows are widened on the way in: the pass stays bound by memory (4 bytes a number) and sums lose nothing.
#pragma once

#include <cstddef>
#include <cstring>

namespace rosenblatt::ROSENBLATT_TARGET {

#if defined(__AVX512F__)
inline constexpr std::size_t register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t register_bytes = 32;
#else
inline constexpr std::size_t register_bytes = 16;
#endif
inline constexpr std::size_t wide = register_bytes / sizeof(double);    // doubles in a register
inline constexpr std::size_t lanes = 16;

using Register = double __attribute__((vector_size(register_bytes)));
using HalfRegister = float __attribute__((vector_size(register_bytes / 2)));

[[gnu::always_inline]] inline Register load(const double* from) noexcept {
  Register x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

[[gnu::always_inline]] inline Register load(const float* from) noexcept {
  HalfRegister x;
  std::memcpy(&x, from, sizeof x);
  return __builtin_convertvector(x, Register);
}

struct Lanes {
  Register part[lanes / wide] = {};

  template <class Term>
  [[gnu::always_inline]] void add(const Term& term) noexcept {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < lanes / wide; ++p) part[p] += term(p * wide);
  }
  [[gnu::always_inline]] double sum() const noexcept {
    double all[lanes];
    std::memcpy(all, part, sizeof all);
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i) all[i] += all[i + half];
    return all[0];
  }
};

template <class A, class B>
[[gnu::always_inline]] inline double dot(const A* a, const B* b, const std::size_t size) noexcept {
  Lanes sums;
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes)
    sums.add([&](const std::size_t p) { return load(a + i + p) * load(b + i + p); });
  double tail = 0.0;
  for (; i < size; ++i) tail += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sums.sum() + tail;
}

// x - x is 0 for a finite number and NaN otherwise, and a sum of zeros stays 0.
template <class T>
[[gnu::always_inline]] inline bool all_finite(const T* x, const std::size_t size) noexcept {
  Lanes zeros;
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes)
    zeros.add([&](const std::size_t p) { return load(x + i + p) - load(x + i + p); });
  double tail = zeros.sum();
  for (; i < size; ++i) tail += static_cast<double>(x[i]) - static_cast<double>(x[i]);
  return tail == 0.0;
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
