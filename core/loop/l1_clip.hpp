// The l1 penalty by the cumulative rule (Tsuruoka, Tsujii and Ananiadou, 2009). Visit t moves every weight towards 0 by
// eta_t * l1, and never beyond. What a weight at 0 cannot pay stays due. So a weight needs two numbers: `unclipped` is
// where the moves of the rows alone would have led it, and l1_sum is what the penalty has asked of each weight. A
// positive weight is unclipped - l1_sum, a negative one unclipped + l1_sum.
//
// Only weights that are read are clipped: sums that only grow give the same bits, whether a weight is clipped after
// every visit or after many. Both numbers are in units of v, so the square in an elastic net, which changes the scale
// alone, needs nothing more.
#pragma once

#include <cstddef>

#include "loop/state.hpp"

namespace rosenblatt {

// The weight v after all that the penalty has asked so far.
[[gnu::always_inline]] inline double clipped(const double v, const double unclipped, const double l1_sum) noexcept {
  const double lowered = unclipped - l1_sum, raised = unclipped + l1_sum;
  return v > 0.0 ? (lowered > 0.0 ? lowered : 0.0) : v < 0.0 && raised < 0.0 ? raised : 0.0;
}

[[gnu::always_inline]] inline double clipped_weight(const State& s, const std::size_t i) noexcept {
  return clipped(s.v[i], s.unclipped[i], s.l1_sum);
}

[[gnu::always_inline]] inline void clip_all(State& s) noexcept {
  if (!s.unclipped) return;
  for (std::size_t i = 0; i < s.size(); ++i) s.v[i] = clipped_weight(s, i);
}

// Clips the weights of the columns that a row reads.
template <class Row>
[[gnu::always_inline]] inline void clip_columns(const Row& x, State& s) noexcept {
  for (std::size_t k = 0; k < s.planes; ++k) {
    double* const __restrict v = s.v + k * s.columns;
    const double* const __restrict unclipped = s.unclipped + k * s.columns;
    x.for_each_column([=, sum = s.l1_sum](const std::size_t j)
                          __attribute__((always_inline)) { v[j] = clipped(v[j], unclipped[j], sum); });
  }
}

}  // namespace rosenblatt
