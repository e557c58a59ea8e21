// Second-order learning: beside w, each plane has a covariance S of its weights, the constant coordinate last. It
// starts as the identity and falls along the rows that moved w, so these move it less and less. S is diagonal, a
// variance a weight, or full.
#pragma once

#include "loop/state.hpp"
#include "parts/recipe.hpp"
#include "parts/steps.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// Calls each(column, value) for the numbers of a row, and for its constant coordinate.
template <class Row, class Each>
[[gnu::always_inline]] inline void for_each_value(const Row& x, const State& s, const double offset_value,
                                                  const Each& each) noexcept {
  for (std::size_t i = 0; i < x.size; ++i) {
    std::size_t column = i;
    if constexpr (requires { x.indices; }) column = static_cast<std::size_t>(x.indices[i]);
    each(column, static_cast<double>(x.values[i]));
  }
  each(s.columns, offset_value);
}

// Moves one weight of a plane, with its average.
[[gnu::always_inline]] inline void move_weight(State& s, const std::size_t plane, const std::size_t column,
                                               const double change) noexcept {
  if (column == s.columns) {
    s.offset[plane] += change;
    return;
  }
  const std::size_t at = plane * s.columns + column;
  s.v[at] += change / s.scale;
  if (s.average_correction) s.average_correction[at] -= s.scale_sum * (change / s.scale);
}

struct DiagonalCovariance {
  State& s;
  double offset_value;

  // x.Sx
  template <class Row>
  double variance(const Row& x, const std::size_t plane) const noexcept {
    const double* variances = of(plane);
    double sum = 0.0;
    for_each_value(x, s, offset_value,
                   [&](const std::size_t j, const double value) noexcept { sum += variances[j] * value * value; });
    return sum;
  }
  // w <- w + change Sx, then 1 / S_jj <- 1 / S_jj + x_j^2 / r.
  template <class Row>
  void move(const Row& x, const std::size_t plane, const double change, double, const double r) const noexcept {
    double* variances = of(plane);
    for_each_value(x, s, offset_value, [&](const std::size_t j, const double value) noexcept {
      const double along = variances[j] * value;
      move_weight(s, plane, j, change * along);
      variances[j] /= 1.0 + along * value / r;
    });
  }

 private:
  double* of(const std::size_t plane) const noexcept { return s.covariance + plane * (s.columns + 1); }
};

struct FullCovariance {
  State& s;
  double offset_value;

  template <class Row>
  double variance(const Row& x, const std::size_t plane) const noexcept {
    multiply(x, plane);
    double sum = 0.0;
    for_each_value(x, s, offset_value,
                   [&](const std::size_t j, const double value) noexcept { sum += s.direction[j] * value; });
    return sum > 0.0 ? sum : 0.0;                    // rounding can make it negative
  }
  // w <- w + change Sx, then S <- S - Sx (Sx)^T / (variance + r): the inverse of S grows by x x^T / r.
  template <class Row>
  void move(const Row& x, const std::size_t plane, const double change, const double variance,
            const double r) const noexcept {
    multiply(x, plane);
    const std::size_t size = s.columns + 1;
    double* const rows = s.covariance + plane * size * size;
    for (std::size_t i = 0; i < size; ++i) {
      move_weight(s, plane, i, change * s.direction[i]);
      const double factor = s.direction[i] / (variance + r);
      for (std::size_t j = 0; j < size; ++j) rows[i * size + j] -= factor * s.direction[j];
    }
  }

 private:
  // direction = Sx, from the rows of S, which is symmetric.
  template <class Row>
  void multiply(const Row& x, const std::size_t plane) const noexcept {
    const std::size_t size = s.columns + 1;
    const double* const rows = s.covariance + plane * size * size;
    for (std::size_t j = 0; j < size; ++j) s.direction[j] = 0.0;
    for_each_value(x, s, offset_value, [&](const std::size_t i, const double value) noexcept {
      if (value == 0.0) return;
      for (std::size_t j = 0; j < size; ++j) s.direction[j] += value * rows[i * size + j];
    });
  }
};

// Calls use(covariance) with the covariance of a second-order step.
template <class Use>
[[gnu::always_inline]] inline auto with_covariance(const Recipe& recipe, State& s, const Use& use) noexcept {
  if (recipe.step == Step::full) return use(FullCovariance{s, recipe.offset_value});
  return use(DiagonalCovariance{s, recipe.offset_value});
}

// x.Sx over the planes that a move would change.
template <class Row, class Head>
[[gnu::noinline]] double variance_of(const Row& x, const Head& head, const std::size_t row, const Recipe& recipe,
                                     State& s) noexcept {
  return with_covariance(recipe, s, [&](const auto& covariance) noexcept {
    double sum = 0.0;
    head.move(row, [&](const std::size_t plane, double) noexcept { sum += covariance.variance(x, plane); });
    return sum;
  });
}

template <class Row, class Head>
[[gnu::noinline]] void move_with_covariance(const Row& x, const Head& head, const std::size_t row, const Recipe& recipe,
                                            const double change, const double variance, const double weight,
                                            State& s) noexcept {
  const double r = 0.5 / (recipe.aggressiveness * weight);
  with_covariance(recipe, s, [&](const auto& covariance) noexcept {
    head.move(row, [&](const std::size_t plane, const double sign) noexcept {
      covariance.move(x, plane, sign * change, variance, r);
    });
  });
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
