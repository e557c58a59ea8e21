// The test framework: CHECK prints what failed, report() returns the exit code.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "numerics/random.hpp"

inline int failures = 0;

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) {                                                   \
      ++failures;                                                         \
      std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                     \
  } while (false)

inline int report() {
  if (failures == 0) std::printf("ok\n");
  return failures == 0 ? 0 : 1;
}

// Random numbers in [-1, 1), the same on every machine.
inline std::vector<double> numbers(const std::size_t count, const std::uint64_t seed) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<double>(rosenblatt::random_bits(seed, i) >> 11) * 0x1p-52 - 1.0;
  return out;
}
