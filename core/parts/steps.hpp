// The step eta_t, from ROSENBLATT_STEPS in recipe.hpp.
#pragma once

#include "numerics/elementary.hpp"
#include "parts/recipe.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

#define ROSENBLATT_SKIP(...)

// Whether the step depends on the row. The others depend on t alone.
inline bool uses_row(const Step step) noexcept {
  switch (step) {
#define ROSENBLATT_CASE(name, eta) case Step::name:
    ROSENBLATT_STEPS(ROSENBLATT_SKIP, ROSENBLATT_CASE)
    return true;
#undef ROSENBLATT_CASE
    default: return false;
  }
}

[[gnu::always_inline]] inline double step_size(const Recipe& r, [[maybe_unused]] const double t) noexcept {
  switch (r.step) {
#define ROSENBLATT_CASE(name, eta) \
  case Step::name: return eta;
    ROSENBLATT_STEPS(ROSENBLATT_CASE, ROSENBLATT_SKIP)
#undef ROSENBLATT_CASE
    default: return r.eta0;
  }
}

// Whether rows count as if they had length 1, and w stays in the unit ball.
inline bool normalises(const Step step) noexcept { return step == Step::alma; }

// Whether w moves along Sx, for a covariance S of its weights.
inline bool is_second_order(const Step step) noexcept { return step == Step::diagonal || step == Step::full; }

// The margin that a row must exceed where rows count as if they had length 1, or else it pushes. `norm` is its squared
// norm, `k` the number of the next update.
inline double normalised_margin(const Recipe& r, const double norm, const double k) noexcept {
  return r.margin * __builtin_sqrt(norm / k);
}

inline double smaller(const double a, const double b) noexcept { return a > b ? b : a; }

// The weight of a row multiplies the C of passive-aggressive steps: a step beyond loss / norm would overshoot and could
// diverge.
[[gnu::always_inline]] inline double row_step_size(const Recipe& r, const double loss, const double norm,
                                                   const double m, const double k, const double weight) noexcept {
  const double C = r.aggressiveness * weight;
  switch (r.step) {
#define ROSENBLATT_CASE(name, eta) \
  case Step::name: return eta;
    ROSENBLATT_STEPS(ROSENBLATT_SKIP, ROSENBLATT_CASE)
#undef ROSENBLATT_CASE
    default: return 0.0;
  }
}

#undef ROSENBLATT_SKIP

}  // namespace rosenblatt::ROSENBLATT_TARGET
