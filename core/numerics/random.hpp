// Random numbers as a pure function of (seed, counter), so a run can resume anywhere: the mixing step of SplitMix64.
#pragma once

#include <cstdint>

namespace rosenblatt {

[[gnu::always_inline]] inline std::uint64_t random_bits(const std::uint64_t seed,
                                                        const std::uint64_t counter) noexcept {
  std::uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in 0 .. limit-1 with a bias of at most limit / 2^32 (Lemire's multiplication, without rejection).
[[gnu::always_inline]] inline std::uint32_t random_below(const std::uint64_t bits, const std::uint64_t limit) noexcept {
  return static_cast<std::uint32_t>(((bits >> 32) * limit) >> 32);
}

}  // namespace rosenblatt
