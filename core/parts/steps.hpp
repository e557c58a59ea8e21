// The step eta_t. Passive-aggressive steps look at the loss and the row; the others only at t.
#pragma once

#include "parts/recipe.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

inline bool looks_at_row(const Step step) noexcept { return step >= Step::pa; }

[[gnu::always_inline]] inline double step_size(const Recipe& r, const double t) noexcept {
  switch (r.step) {
    case Step::inverse: return r.eta0 / t;
    case Step::inverse_sqrt: return r.eta0 / __builtin_sqrt(t);
    case Step::pegasos: return 1.0 / (r.penalty * t);
    default: return r.eta0;
  }
}

// tau of Crammer et al. (2006) for a row of this loss and squared norm (constant coordinate included).
[[gnu::always_inline]] inline double passive_aggressive(const Recipe& r, const double loss,
                                                        const double norm) noexcept {
  if (r.step == Step::pa2) return loss / (norm + 0.5 / r.aggressiveness);
  if (norm == 0.0) return 0.0;                // an empty row cannot be helped
  const double tau = loss / norm;
  return r.step == Step::pa1 && tau > r.aggressiveness ? r.aggressiveness : tau;
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
