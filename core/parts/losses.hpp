// Losses of the margin m = y (w.x + b). A mistake is m <= 0.
//
// A loss is a struct with
//   value(m)      the loss;
//   push(m)       -d loss / d m;
//   curvature(m)  the second derivative, only where the loss has one;
//   terms(m)      push and value together, only where one computation yields both.
// and the facts of LossFacts, whose defaults are in LossDefaults. ROSENBLATT_LOSSES in recipe.hpp lists the structs.
#pragma once

#include "numerics/elementary.hpp"
#include "parts/recipe.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

struct LossTerms {
  double push, value;
};
// The loss is value + log(factor), with 1 <= factor <= 2. A sum of losses takes one logarithm of a product of factors
// instead of one for each row.
struct FactoredLossTerms {
  double push, value, factor;
};

struct LossDefaults {
  static constexpr bool rests_when_correct = false;  // push is 0 for every m > 0: without mistakes nothing moves w
  static constexpr double rests_above = __builtin_inf();  // push is 0 for every larger m
  static constexpr bool squares_slack = false;       // the slack is squared: dual variables have no upper bound
};

struct PerceptronLoss : LossDefaults {
  static constexpr bool rests_when_correct = true;
  static constexpr double rests_above = 0.0;
  double value(const double m) const noexcept { return m < 0.0 ? -m : 0.0; }
  double push(const double m) const noexcept { return m <= 0.0 ? 1.0 : 0.0; }
};

struct HingeLoss : LossDefaults {
  static constexpr double rests_above = 1.0;
  double value(const double m) const noexcept { return m < 1.0 ? 1.0 - m : 0.0; }
  double push(const double m) const noexcept { return m < 1.0 ? 1.0 : 0.0; }
};

struct SquaredHingeLoss : LossDefaults {
  static constexpr bool squares_slack = true;
  static constexpr double rests_above = 1.0;
  double value(const double m) const noexcept { return m < 1.0 ? (1.0 - m) * (1.0 - m) : 0.0; }
  double push(const double m) const noexcept { return m < 1.0 ? 2.0 * (1.0 - m) : 0.0; }
  double curvature(const double m) const noexcept { return m < 1.0 ? 2.0 : 0.0; }
};

struct ModifiedHuberLoss : LossDefaults {
  static constexpr double rests_above = 1.0;
  double value(const double m) const noexcept { return m < -1.0 ? -4.0 * m : m < 1.0 ? (1.0 - m) * (1.0 - m) : 0.0; }
  double push(const double m) const noexcept { return m < -1.0 ? 4.0 : m < 1.0 ? 2.0 * (1.0 - m) : 0.0; }
  double curvature(const double m) const noexcept { return -1.0 <= m && m < 1.0 ? 2.0 : 0.0; }
};

struct LogisticLoss : LossDefaults {
  [[gnu::always_inline]] FactoredLossTerms terms(const double m) const noexcept {
    const double z = exp(m < 0.0 ? m : -m);
    const bool tiny = z < 0x1p-20;  // 1 + z would lose most digits of z
    return {(m < 0.0 ? 1.0 : z) / (1.0 + z), (tiny ? z - 0.5 * z * z : 0.0) - (m < 0.0 ? m : 0.0),
            tiny ? 1.0 : 1.0 + z};
  }
  double value(const double m) const noexcept { return log1p(exp(m < 0.0 ? m : -m)) - (m < 0.0 ? m : 0.0); }
  double push(const double m) const noexcept { return terms(m).push; }
  double curvature(const double m) const noexcept {
    const double z = exp(m < 0.0 ? m : -m);
    return z / ((1.0 + z) * (1.0 + z));
  }
};

template <class L>
[[gnu::always_inline]] inline auto loss_terms(const L& loss, const double m) noexcept {
  if constexpr (requires { loss.terms(m); }) return loss.terms(m);
  else return LossTerms{loss.push(m), loss.value(m)};
}

template <class L>
inline constexpr bool has_curvature = requires(const L& loss) { loss.curvature(0.0); };

template <class L>
[[gnu::always_inline]] inline double loss_curvature(const L& loss, const double m) noexcept {
  if constexpr (has_curvature<L>) return loss.curvature(m);
  else return 0.0;
}

// Calls use.template operator()<L>(Loss) for every loss.
template <class Use>
constexpr void for_each_loss(const Use& use) noexcept {
#define ROSENBLATT_USE(name, L) use.template operator()<L>(Loss::name);
  ROSENBLATT_LOSSES(ROSENBLATT_USE)
#undef ROSENBLATT_USE
}

struct LossFacts {
  bool has_curvature, rests_when_correct, squares_slack;
  double rests_above;
};

constexpr LossFacts loss_facts(const Loss loss) noexcept {
  LossFacts facts{};
  for_each_loss([&]<class L>(const Loss each) {
    if (each == loss) facts = {has_curvature<L>, L::rests_when_correct, L::squares_slack, L::rests_above};
  });
  return facts;
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
