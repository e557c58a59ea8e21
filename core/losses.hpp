// Losses of the margin m = y (w.x + b): their value, and how hard they push, -d loss / d m. A mistake is m <= 0.
#pragma once

#include "elementary.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// `curvature` is the second derivative; where there is none, 0.
struct PerceptronLoss {
  double curvature(double) const noexcept { return 0.0; }
  double value(const double m) const noexcept { return m < 0.0 ? -m : 0.0; }
  double push(const double m) const noexcept { return m <= 0.0 ? 1.0 : 0.0; }
};

struct HingeLoss {
  double curvature(double) const noexcept { return 0.0; }
  double value(const double m) const noexcept { return m < 1.0 ? 1.0 - m : 0.0; }
  double push(const double m) const noexcept { return m < 1.0 ? 1.0 : 0.0; }
};

struct SquaredHingeLoss {
  double curvature(const double m) const noexcept { return m < 1.0 ? 2.0 : 0.0; }
  double value(const double m) const noexcept { return m < 1.0 ? (1.0 - m) * (1.0 - m) : 0.0; }
  double push(const double m) const noexcept { return m < 1.0 ? 2.0 * (1.0 - m) : 0.0; }
};

struct LogisticLoss {
  double value(const double m) const noexcept { return log1p(exp(m < 0.0 ? m : -m)) - (m < 0.0 ? m : 0.0); }
  double push(const double m) const noexcept {
    const double z = exp(m < 0.0 ? m : -m);
    return (m < 0.0 ? 1.0 : z) / (1.0 + z);
  }
  double curvature(const double m) const noexcept {
    const double z = exp(m < 0.0 ? m : -m);
    return z / ((1.0 + z) * (1.0 + z));
  }
};

}  // namespace rosenblatt::ROSENBLATT_TARGET
