// Numbers as fields of delimited text, correctly rounded. Most are short decimals, which are read without branches.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rosenblatt {

inline constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                           1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t every_byte = 0x0101010101010101;

// The place of the first point among eight characters; 8 if there is none.
[[gnu::always_inline]] inline int find_point(const std::uint64_t letters) noexcept {
  const std::uint64_t apart = letters ^ every_byte * '.';
  const std::uint64_t points = (apart - every_byte) & ~apart & every_byte * 0x80;  // the lowest bit is the first point
  return std::countr_zero(points) / 8;
}

// The number with these eight digits, the first in the lowest byte.
[[gnu::always_inline]] inline std::int64_t join_digits(std::uint64_t digits) noexcept {
  digits = digits * 10 + (digits >> 8);  // pairs of digits, then groups of four and eight
  const std::uint64_t high = (digits & 0x000000FF000000FF) * (100 + (1'000'000ULL << 32));
  const std::uint64_t low = (digits >> 16 & 0x000000FF000000FF) * (1 + (10'000ULL << 32));
  return static_cast<std::int64_t>((high + low) >> 32);
}

// Reads a field such as -1.23456: up to eight characters after the sign, one of them a point, with at least 16 readable
// bytes. Returns false for any other field. All characters are processed at once without branches, because signs and
// lengths are hard to predict.
[[gnu::always_inline]] inline bool read_short_number(const char* const begin, const char* const end,
                                                     double& value) noexcept {
  if constexpr (std::endian::native != std::endian::little) return false;
  const bool negative = *begin == '-';
  const auto length = static_cast<int>(end - begin) - negative;
  if (length < 3 || length > 8) return false;
  std::uint64_t letters;
  std::memcpy(&letters, begin + negative, sizeof letters);
  const int whole = find_point(letters);  // digits before the point
  if (whole == 0 || whole > length - 2) return false;
  const std::uint64_t below = (std::uint64_t{1} << (8 * whole)) - 1;
  letters = (letters & below) | (letters >> 8 & ~below);
  letters = (letters ^ every_byte * '0') << (8 * (9 - length));  // digits as numbers, with leading zeros
  if (((letters + every_byte * 0x76) | letters) & every_byte * 0x80) return false;
  const double size = static_cast<double>(join_digits(letters)) / powers_of_ten[length - 1 - whole];
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(size) | std::uint64_t{negative} << 63);
  return true;
}

// Appends the digits from `at` on to a number and returns where they end. Overflow is for the caller to see.
[[gnu::always_inline]] inline const char* read_digits(const char* at, const char* const end,
                                                      std::uint64_t& digits) noexcept {
  for (; at != end && static_cast<unsigned char>(*at - '0') < 10; ++at)
    digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
  return at;
}

// The same for the digits after a point, if there is one. Returns null for a point without digits.
[[gnu::always_inline]] inline const char* read_fraction(const char* const at, const char* const end,
                                                        std::uint64_t& digits, std::ptrdiff_t& decimals) noexcept {
  if (at == end || *at != '.') return at;
  const char* const after = read_digits(at + 1, end, digits);
  decimals = after - (at + 1);
  return decimals ? after : nullptr;
}

// Reads a number and returns where it ends; null if there is none. An integer below 2^53 divided by an exact power of
// ten is rounded once, so it is correct; std::from_chars reads the others.
[[gnu::always_inline]] inline const char* read_number(const char* const begin, const char* const end,
                                                      double& value) noexcept {
  constexpr std::ptrdiff_t most_digits = 19;  // fit into 64 bits
  const bool negative = begin != end && *begin == '-';
  const char* const first = begin + negative;
  std::uint64_t digits = 0;
  std::ptrdiff_t decimals = 0;
  const char* const point = read_digits(first, end, digits);
  const char* const at = point == first ? nullptr : read_fraction(point, end, digits, decimals);
  if (!at) return nullptr;
  const bool plain = at == end || (*at != 'e' && *at != 'E');
  if (plain && point - first + decimals <= most_digits && digits < std::uint64_t{1} << 53 && decimals <= 22) {
    const double size = static_cast<double>(digits) / powers_of_ten[decimals];
    value = negative ? -size : size;
    return at;
  }
  const auto [after, error] = std::from_chars(begin, end, value);
  return error == std::errc{} ? after : nullptr;
}

}  // namespace rosenblatt
