#include "solvers/jeffreys_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#define ROSENBLATT_TARGET common
#include "numerics/fixed_sums.hpp"
#include "passes/passes.hpp"
#include "solvers/jeffreys.hpp"
#include "solvers/newton.hpp"

namespace rosenblatt {
namespace {

constexpr double armijo = 1e-4;              // the least fall, relative to what the slope promises
constexpr double min_step = 1e-12;           // of a line search
constexpr double min_relative_fall = 1e-14;  // of the objective: rounding hides a smaller one
constexpr double max_norm_left = 0.5;        // of the gradient, where rounding hides the fall of the objective
constexpr double min_curvature_left = 0.5;   // of a row: if a step left less, its Hessian predicts nothing

// Multiplies by the inverse of the information without the held coordinates, which are eliminated one after the other.
class HeldInverse {
 public:
  HeldInverse(const double* inverse, const std::size_t size, const NewtonLimits& limits)
      : inverse_(inverse), size_(size), limits_(limits), columns_(limits.held_count * size) {
    std::vector<double> unit(size);
    for (std::size_t k = 0; k < limits.held_count; ++k) {
      std::fill(unit.begin(), unit.end(), 0.0);
      unit[limits.held[k]] = 1.0;
      double* const column = columns_.data() + k * size;
      multiply(unit.data(), k, column);
      const double pivot = column[limits.held[k]];
      for (std::size_t j = 0; j < size; ++j) column[j] /= pivot;
    }
  }

  void multiply(const double* b, double* out) const { multiply(b, limits_.held_count, out); }

 private:
  void multiply(const double* b, const std::size_t held, double* out) const {
    multiply_by_inverse(inverse_, b, size_, out);
    for (std::size_t k = 0; k < held; ++k) {
      const std::size_t place = limits_.held[k];
      const double factor = out[place];
      for (std::size_t j = 0; j < size_; ++j) out[j] -= factor * columns_[k * size_ + j];
      out[place] = 0.0;
    }
  }

  const double* inverse_;
  std::size_t size_;
  const NewtonLimits& limits_;
  std::vector<double> columns_;
};

void hold(const NewtonLimits& limits, double* gradient) {
  for (std::size_t k = 0; k < limits.held_count; ++k) gradient[limits.held[k]] = 0.0;
}

// `trial` becomes the first of the steps 1, 1/2, 1/4, .. along p where the objective falls enough. With an infinite
// slope, because rounding hides the fall, it is the whole step.
bool search_line(const JeffreysObjective& objective, const JeffreysPoint& from, const double* p, const double slope,
                 JeffreysPoint& trial, double& evaluations) {
  evaluations = 0.0;
  for (double t = 1.0; t > min_step; t *= 0.5) {
    for (std::size_t j = 0; j < objective.size(); ++j) trial.z[j] = from.z[j] + t * p[j];
    evaluate(objective, trial);
    ++evaluations;
    if (trial.value <= from.value + armijo * t * slope) return true;
    if (std::isnan(trial.value) || -t * slope <= min_relative_fall * std::fabs(from.value)) return false;
  }
  return false;
}

// What the objective can still fall, by the inverse Hessian of the last step. No row's curvature shrank by more than
// the ratio; infinite where it shrank too much to say.
double left_to_fall(const JeffreysObjective& objective, const HeldInverse& inverse, const JeffreysPoint& now,
                    const JeffreysPoint& before, double* product) {
  const double ratio = least_ratio(now.curvature, before.curvature, objective.rows.count, objective.threads);
  if (!(ratio > min_curvature_left)) return HUGE_VAL;
  inverse.multiply(now.gradient, product);
  return 0.5 * common::dot(now.gradient, product, objective.size()) / ratio;
}

}  // namespace

OwnPoint::OwnPoint(const std::size_t rows, const std::size_t size) : numbers(4 * rows + 2 * size + size * size) {
  double* const first = numbers.data();
  double* const of_rows = first + 2 * size;
  point = {first,
           first + size,
           of_rows,
           of_rows + rows,
           of_rows + 2 * rows,
           of_rows + 3 * rows,
           of_rows + 4 * rows,
           std::numeric_limits<double>::quiet_NaN()};
}

void multiply_by_inverse(const double* inverse, const double* b, const std::size_t size, double* out) {
  std::fill(out, out + size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    const double* const row = inverse + i * size;
    const double product = common::dot(row, b, i + 1);
    for (std::size_t j = 0; j <= i; ++j) out[j] += product * row[j];
  }
}

JeffreysTerms evaluate(const JeffreysObjective& objective, JeffreysPoint& point) {
  const auto& [functions, rows, labels, offset_value, largest, least_pivot, threads] = objective;
  const std::size_t size = objective.size();
  const Weights weights{point.z, point.z + rows.columns, 1, 1.0, offset_value};
  if (std::all_of(point.z, point.z + size, [](const double w) { return w == 0.0; }))
    std::fill(point.scores, point.scores + rows.count, 0.0);
  else compute_scores(functions, rows, weights, {0, rows.count}, threads, point.scores);
  const JeffreysTerms terms = jeffreys_terms(functions, rows, labels, point.scores, offset_value, least_pivot, threads,
                                             point.pull, point.curvature, point.share, point.inverse);
  point.value = terms.loss + 0.5 * (largest - terms.log_determinant);
  transpose_product(functions, rows, point.pull, 1, offset_value, threads, point.gradient);
  for (std::size_t j = 0; j < size; ++j) point.gradient[j] = -point.gradient[j];
  return terms;
}

std::size_t take_newton_steps(const JeffreysObjective& objective, const NewtonLimits& limits, JeffreysPoint& point,
                              JeffreysPoint& spare, NewtonTrace& trace) {
  const std::size_t size = objective.size();
  std::vector<double> p(size), scratch(size);
  double length = euclidean_norm(point.gradient, size);
  for (std::size_t step = 0; step < limits.steps; ++step) {
    const HeldInverse inverse(point.inverse, size, limits);
    inverse.multiply(point.gradient, p.data());
    for (double& one : p) one = -one;
    const double slope = common::dot(point.gradient, p.data(), size),
                 shown = min_relative_fall * std::fabs(point.value);
    if (length <= limits.gradient_norm && slope <= 0.0 && -0.5 * slope <= limits.relative_fall * point.value) {
      trace.to_fall = -0.5 * slope;
      return step;
    }
    const bool visible = slope < -shown;
    if (!search_line(objective, point, p.data(), visible ? slope : HUGE_VAL, spare, trace.evaluations[step]))
      return step;
    hold(limits, spare.gradient);
    const double now = euclidean_norm(spare.gradient, size);
    if (!visible && !(spare.value - point.value <= shown && now <= max_norm_left * length)) return step;
    trace.values[step] = spare.value;
    length = trace.norms[step] = now;
    trace.to_fall =
        now <= limits.gradient_norm ? left_to_fall(objective, inverse, spare, point, scratch.data()) : HUGE_VAL;
    std::swap(point, spare);
    const bool near = now <= limits.gradient_norm && trace.to_fall <= limits.relative_fall * point.value;
    const bool look = step + 1 == limits.look_after && now > limits.look_above;
    if (near || look || !std::isfinite(now)) return step + 1;
  }
  return limits.steps;
}

}  // namespace rosenblatt
