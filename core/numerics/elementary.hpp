// exp, log, log1p and cos(2 pi t) built from exactly rounded operations only, so every CPU returns the same bits; the C
// library selects its code by CPU. Errors: 2 units in the last place for exp and log1p, 2^-52 for the cosine.
#pragma once

#include <bit>
#include <cstdint>

namespace rosenblatt::ROSENBLATT_TARGET {

// exp(x) = 2^k exp(r) with |r| <= ln(2)/2, and the Taylor series of exp(r) to r^13 (the remainder is below 2^-57).
// Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits. No branches, so loops over it vectorize.
[[gnu::always_inline]] inline double exp(const double x) noexcept {
  constexpr double whole = 0x1.8p52;
  const double shifted = x * 1.4426950408889634 + whole, k = shifted - whole;
  const double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  const double r2 = r * r, r4 = r2 * r2;  // Estrin's scheme: independent pairs shorten the dependency chain
  const double low = (1.0 + r * 0.5) + r2 * (1.0 / 6.0 + r * (1.0 / 24.0));
  const double middle = (1.0 / 120.0 + r * (1.0 / 720.0)) + r2 * (1.0 / 5040.0 + r * (1.0 / 40320.0));
  const double high = (1.0 / 362880.0 + r * (1.0 / 3628800.0)) + r2 * (1.0 / 39916800.0 + r * (1.0 / 479001600.0));
  const double series = (low + r4 * middle) + (r4 * r4) * (high + r4 * (1.0 / 6227020800.0));
  const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
  const double value = (1.0 + series * r) * power;
  const double large = x > 709.0 ? std::bit_cast<double>(std::uint64_t{0x7ff} << 52) : value;
  return x < -708.0 ? 0.0 : large;
}

// log(1 + z) for z in [0, 1], as 2 atanh(z / (2 + z)). The argument is at most 1/3, so 17 terms give full precision.
[[gnu::always_inline]] inline double log1p(const double z) noexcept {
  const double u = z / (2.0 + z);
  const double s = u * u, s2 = s * s, s4 = s2 * s2, s8 = s4 * s4;  // Estrin's scheme
  const double a = (1.0 / 3.0 + s * (1.0 / 5.0)) + s2 * (1.0 / 7.0 + s * (1.0 / 9.0));
  const double b = (1.0 / 11.0 + s * (1.0 / 13.0)) + s2 * (1.0 / 15.0 + s * (1.0 / 17.0));
  const double c = (1.0 / 19.0 + s * (1.0 / 21.0)) + s2 * (1.0 / 23.0 + s * (1.0 / 25.0));
  const double d = (1.0 / 27.0 + s * (1.0 / 29.0)) + s2 * (1.0 / 31.0 + s * (1.0 / 33.0));
  return 2.0 * u + 2.0 * u * (s * ((a + s4 * b) + s8 * (c + s4 * d)));
}

// log(x) for finite normal x > 0: x = 2^k (1 + z). Below 1 the error is that of numbers near 1.
[[gnu::always_inline]] inline double log(const double x) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto k = static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023);
  const double z = std::bit_cast<double>((bits & 0x000f'ffff'ffff'ffff) | 0x3ff0'0000'0000'0000) - 1.0;
  return k * 6.93147180559945286227e-01 + log1p(z);
}

// cos(2 pi t). Full turns are subtracted exactly for t of any size. The rest is sin(2 pi s) with s = 1/4 - |r| in
// [-1/4, 1/4]; its Taylor series to the power 19 has an error below 2^-57.
[[gnu::always_inline]] inline double cos_of_turns(const double t) noexcept {
  constexpr double whole = 0x1p52;  // doubles of this size and above are integers
  const double size = t < 0.0 ? -t : t;
  const double turns = size < whole ? (size + whole) - whole : size;
  const double rest = size - turns;  // NaN where t is infinite
  const double angle = (0.25 - (rest < 0.0 ? -rest : rest)) * 6.283185307179586477, square = angle * angle;
  const double s2 = square * square, s4 = s2 * s2;  // Estrin's scheme
  const double low = (-1.0 / 6.0 + square * (1.0 / 120.0)) + s2 * (-1.0 / 5040.0 + square * (1.0 / 362880.0));
  const double high = (-1.0 / 39916800.0 + square * (1.0 / 6227020800.0)) +
                      s2 * (-1.0 / 1307674368000.0 + square * (1.0 / 355687428096000.0));
  const double series = low + s4 * (high + s4 * (-1.0 / 121645100408832000.0));
  return angle + angle * (series * square);
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
