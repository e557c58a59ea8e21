// From scores to one margin, and from a push to moves: one plane for two classes, or one plane a class ("joint").
#pragma once

#include "loop/state.hpp"
#include "rows/views.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// v.x of one plane: as moves have kept it, or summed afresh.
template <bool fetch, class Row>
[[gnu::always_inline]] inline double product(const Row& x, const State& s, const std::size_t plane) noexcept {
  if constexpr (requires { x.remembered(s, plane); })
    if (s.activation) return x.remembered(s, plane);
  const double* v = s.v + plane * s.columns;
  return fetch ? x.dot_and_fetch(v) : x.dot(v);
}

struct TwoClasses {
  const std::int8_t* signs;

  template <class Row>
  double margin(const Row& x, const std::size_t row, const State& s, const double offset_value) noexcept {
    const double sign = signs[row];  // multiplied first, where nothing waits for it
    return sign * s.scale * product<true>(x, s, 0) + sign * (s.offset[0] * offset_value);
  }
  template <class Move>
  void move(const std::size_t row, Move&& plane) const noexcept {
    plane(0, static_cast<double>(signs[row]));
  }
  static constexpr double norm_factor = 1.0;
  std::int32_t rival = -1;
};

// The margin is the score of the true class less the best of the others; a move raises one and lowers the other.
struct JointClasses {
  const std::int32_t* codes;

  template <class Row>
  double margin(const Row& x, const std::size_t row, const State& s, const double offset_value) noexcept {
    double own = 0.0, other = 0.0;
    rival = -1;
    for (std::size_t k = 0; k < s.planes; ++k) {
      const double along = k == 0 ? product<true>(x, s, k) : product<false>(x, s, k);
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
  static constexpr double norm_factor = 2.0;   // Kesler's row (x, -x) is twice as long, squared
  std::int32_t rival = -1;
};

}  // namespace rosenblatt::ROSENBLATT_TARGET
