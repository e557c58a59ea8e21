// Losses of the margin m = y (w.x + b): their value, and how hard they push, -d loss / d m. A mistake is m <= 0.
#pragma once

#include "numerics/elementary.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// A row's push and the value of its loss, for what both need is made once.
struct Felt {
  double push, value;
};
// Or where the loss is value + log(factor), the factor from 1 to 2. The logarithm is left to who sums losses: one of a
// product of many factors takes the place of many.
struct FeltWithFactor {
  double push, value, factor;
};

// `curvature` is the second derivative; where there is none, 0.
struct PerceptronLoss {
  double curvature(double) const noexcept { return 0.0; }
  double value(const double m) const noexcept { return m < 0.0 ? -m : 0.0; }
  double push(const double m) const noexcept { return m <= 0.0 ? 1.0 : 0.0; }
  Felt felt(const double m) const noexcept { return {push(m), value(m)}; }
};

struct HingeLoss {
  double curvature(double) const noexcept { return 0.0; }
  double value(const double m) const noexcept { return m < 1.0 ? 1.0 - m : 0.0; }
  double push(const double m) const noexcept { return m < 1.0 ? 1.0 : 0.0; }
  Felt felt(const double m) const noexcept { return {push(m), value(m)}; }
};

struct SquaredHingeLoss {
  double curvature(const double m) const noexcept { return m < 1.0 ? 2.0 : 0.0; }
  double value(const double m) const noexcept { return m < 1.0 ? (1.0 - m) * (1.0 - m) : 0.0; }
  double push(const double m) const noexcept { return m < 1.0 ? 2.0 * (1.0 - m) : 0.0; }
  Felt felt(const double m) const noexcept { return {push(m), value(m)}; }
};

struct LogisticLoss {
  [[gnu::always_inline]] FeltWithFactor felt(const double m) const noexcept {
    const double z = exp(m < 0.0 ? m : -m);
    const bool tiny = z < 0x1p-20;  // 1 + z would round most of it away
    return {(m < 0.0 ? 1.0 : z) / (1.0 + z), (tiny ? z - 0.5 * z * z : 0.0) - (m < 0.0 ? m : 0.0),
            tiny ? 1.0 : 1.0 + z};
  }
  double value(const double m) const noexcept { return log1p(exp(m < 0.0 ? m : -m)) - (m < 0.0 ? m : 0.0); }
  double push(const double m) const noexcept { return felt(m).push; }
  double curvature(const double m) const noexcept {
    const double z = exp(m < 0.0 ? m : -m);
    return z / ((1.0 + z) * (1.0 + z));
  }
};

}  // namespace rosenblatt::ROSENBLATT_TARGET
