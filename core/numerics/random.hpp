// Random numbers as a function of (seed, counter), so that a run can be resumed anywhere: SplitMix64's mixing.
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

// Uniform below `limit` but for a bias of at most limit / 2^32 (Lemire's multiplication, without rejection).
[[gnu::always_inline]] inline std::uint32_t random_below(const std::uint64_t bits, const std::uint64_t limit) noexcept {
  return static_cast<std::uint32_t>(((bits >> 32) * limit) >> 32);
}

}  // namespace rosenblatt
