// A class head turns the scores of a row into one margin, and one push into moves of planes. Two classes share one
// plane; "joint" classes have one plane each.
#pragma once

#include "loop/state.hpp"
#include "rows/views.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// v.x of one plane: the stored activation of a kernel row, or a new dot product.
template <bool prefetch, class Row>
[[gnu::always_inline]] inline double activation_of(const Row& x, const State& s, const std::size_t plane) noexcept {
  if constexpr (requires { x.activation(s, plane); })
    if (s.activation) return x.activation(s, plane);
  const double* v = s.v + plane * s.columns;
  return prefetch ? x.dot_and_fetch(v) : x.dot(v);
}

struct BinaryHead {
  const std::int8_t* signs;

  template <class Row>
  double margin(const Row& x, const std::size_t row, const State& s, const double offset_value) noexcept {
    const double sign = signs[row];  // multiplied first: this product does not wait for the dot product
    return sign * s.scale * activation_of<true>(x, s, 0) + sign * (s.offset[0] * offset_value);
  }
  template <class Move>
  void move(const std::size_t row, Move&& plane) const noexcept {
    plane(0, static_cast<double>(signs[row]));
  }
  static constexpr double norm_factor = 1.0;
  std::int32_t rival = -1;
};

// The margin is the score of the true class minus the best score of the others. A move raises the first plane and
// lowers the second.
struct JointHead {
  const std::int32_t* codes;

  template <class Row>
  double margin(const Row& x, const std::size_t row, const State& s, const double offset_value) noexcept {
    double own = 0.0, other = 0.0;
    rival = -1;
    for (std::size_t k = 0; k < s.planes; ++k) {
      const double along = k == 0 ? activation_of<true>(x, s, k) : activation_of<false>(x, s, k);
      const double score = s.scale * along + s.offset[k] * offset_value;
      if (static_cast<std::int32_t>(k) == codes[row]) own = score;
      else if (rival < 0 || score > other) {
        other = score;
        rival = static_cast<std::int32_t>(k);
      }
    }
    return own - other;
  }
  template <class Move>
  void move(const std::size_t row, Move&& plane) const noexcept {
    plane(static_cast<std::size_t>(codes[row]), 1.0);
    plane(static_cast<std::size_t>(rival), -1.0);
  }
  static constexpr double norm_factor = 2.0;   // Kesler's construction: the squared norm of (x, -x)
  std::int32_t rival = -1;
};

}  // namespace rosenblatt::ROSENBLATT_TARGET
