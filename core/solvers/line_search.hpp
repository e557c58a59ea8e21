// Line search for a convex function whose slope is piecewise linear.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace rosenblatt {

inline double clamp_to(const double value, const double bound) {
  const double above = value > 0.0 ? value : 0.0;
  return above < bound ? above : bound;
}

// slope(t) = start + t * square - (S(t) - S(0)), where S(t) = sum of pull * clamp(value + t * rise, 0, bound).
class PiecewiseSlope {
 public:
  struct Line {
    double value, rise, bound, pull;
    double at(const double t) const { return pull * clamp_to(value + t * rise, bound); }
  };
  const double start;

  PiecewiseSlope(const double start_, const double square, std::vector<Line> lines)
      : start(start_), square_(square), lines_(std::move(lines)), at_start_(sum(0.0)) {}
  double operator()(const double t) const { return start + t * square_ - (sum(t) - at_start_); }

 private:
  double sum(const double t) const {
    double sums[4] = {};
    std::size_t k = 0;
    for (; k + 4 <= lines_.size(); k += 4)
      for (std::size_t h = 0; h < 4; ++h) sums[h] += lines_[k + h].at(t);
    for (; k < lines_.size(); ++k) sums[0] += lines_[k].at(t);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  double square_;
  std::vector<Line> lines_;
  double at_start_;
};

// A step where |slope| is at most a tenth of that at 0. It tries 1 first, then brackets the root: two chord steps, then
// one bisection, because single pieces can be steep.
inline double step_length(const PiecewiseSlope& slope) {
  double low = 0.0, high = 1.0, at_low = slope.start, at_high = slope(1.0);
  const auto good = [&](const double value) { return std::abs(value) <= 0.1 * std::abs(slope.start); };
  if (good(at_high)) return 1.0;
  for (int k = 0; k < 30 && at_high < 0.0; ++k) {
    low = high, at_low = at_high;
    high *= 2.0, at_high = slope(high);
    if (good(at_high)) return high;
  }
  for (int k = 0; k < 60; ++k) {
    const double chord = std::clamp(at_low / (at_low - at_high), 0.01, 0.99), share = k % 3 < 2 ? chord : 0.5;
    const double t = low + share * (high - low), at = slope(t);
    if (good(at)) return t;
    if (at < 0.0) low = t, at_low = at;
    else high = t, at_high = at;
  }
  return low;
}

}  // namespace rosenblatt
