// Losses of the margin m = y (w.x + b): their value, and how hard they push, -d loss / d m. A mistake is m <= 0.
#pragma once

#include "elementary.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

struct PerceptronLoss {
  double value(const double m) const noexcept { return m < 0.0 ? -m : 0.0; }
  double push(const double m) const noexcept { return m <= 0.0 ? 1.0 : 0.0; }
};

struct HingeLoss {
  double value(const double m) const noexcept { return m < 1.0 ? 1.0 - m : 0.0; }
  double push(const double m) const noexcept { return m < 1.0 ? 1.0 : 0.0; }
};

struct SquaredHingeLoss {
  double value(const double m) const noexcept { return m < 1.0 ? (1.0 - m) * (1.0 - m) : 0.0; }
  double push(const double m) const noexcept { return m < 1.0 ? 2.0 * (1.0 - m) : 0.0; }
};

struct LogisticLoss {
  double value(const double m) const noexcept { return m < 0.0 ? log1p(exp(m)) - m : log1p(exp(-m)); }
  double push(const double m) const noexcept {
    const double z = m < 0.0 ? exp(m) : exp(-m);
    return m < 0.0 ? 1.0 / (1.0 + z) : z / (1.0 + z);
  }
};

}  // namespace rosenblatt::ROSENBLATT_TARGET
