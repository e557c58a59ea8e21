// The definition of a visit as a plain loop: w is written out after every visit, its mean is a mean, an l1 penalty
// keeps an account for each weight, and covariances are inverses.
#pragma once

#include <algorithm>
#include <numeric>

#include "loop/advance.hpp"
#include "tests/check.hpp"

namespace rosenblatt {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

inline constexpr std::size_t count = 60, columns = 4, full_size = columns + 1;

// Rows with zeros, dense and as CSR.
struct Rows {
  Vector x = numbers(count * columns, 11), values, weights;
  std::vector<std::int32_t> indices, starts{0}, codes;
  std::vector<std::int8_t> signs;
  Problem p;

  Rows(const bool sparse, const std::size_t planes, const Recipe& recipe, const bool weighted) {
    for (std::size_t i = 0; i < count; ++i) {
      x[i * columns + i % columns] = 0.0;
      for (std::size_t j = 0; j < columns; ++j)
        if (x[i * columns + j] != 0.0)
          values.push_back(x[i * columns + j]), indices.push_back(static_cast<std::int32_t>(j));
      starts.push_back(static_cast<std::int32_t>(values.size()));
      signs.push_back((x[i * columns] + x[i * columns + 1] > 0.1) == (i % 7 != 0) ? 1 : -1);
      codes.push_back(static_cast<std::int32_t>((i + (signs[i] > 0 ? 1 : 0)) % planes));
      weights.push_back(0.5 * static_cast<double>(1 + i % 4));
    }
    p.rows.count = count;
    p.rows.columns = p.rows.stored_columns = p.rows.stride = columns;
    p.rows.values = sparse ? values.data() : x.data();
    p.rows.stored_values = sparse ? values.size() : x.size();
    if (sparse) p.rows.kind = RowKind::csr_f64_i32, p.rows.indices = indices.data(), p.rows.starts = starts.data();
    if (planes > 1) p.labels.codes = codes.data();
    else p.labels.signs = signs.data();
    if (weighted) p.labels.weights = weights.data();
    p.recipe = recipe;
    p.functions = find_functions(nullptr);
  }
  Vector row(const std::size_t i) const {
    Vector found(&x[i * columns], &x[i * columns] + columns);
    found.push_back(p.recipe.offset_value);
    return found;
  }
};

inline double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// The solution of a small system, by elimination.
inline Vector solve(Matrix a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = 0; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  for (std::size_t k = 0; k < n; ++k) b[k] /= a[k][k];
  return b;
}

inline std::pair<double, double> push_and_value(const Loss loss, const double m) {
  if (loss == Loss::perceptron) return {m <= 0.0 ? 1.0 : 0.0, std::max(-m, 0.0)};
  if (loss == Loss::logistic) return {1.0 / (1.0 + std::exp(m)), std::log1p(std::exp(-m))};
  if (loss == Loss::hinge) return {m < 1.0 ? 1.0 : 0.0, std::max(1.0 - m, 0.0)};
  return {2.0 * std::max(1.0 - m, 0.0), std::pow(std::max(1.0 - m, 0.0), 2)};
}

// One learner written out. Each plane has columns + 1 weights, that of the constant coordinate last.
struct Plain {
  const Rows& rows;
  const Recipe& r = rows.p.recipe;
  Matrix w, sum, paid, best;
  std::vector<Matrix> inverse;  // of the covariance of each plane
  double asked = 0.0, loss_sum = 0.0, mistake_weight = 0.0;
  std::uint64_t visits = 0, updates = 0, mistakes = 0, run = 0, bar = 0;
  std::vector<Trace::Line> lines;

  Plain(const Rows& given, const std::size_t planes)
      : rows(given), w(planes, Vector(full_size)), sum(w), paid(w), best(w) {
    Matrix identity(full_size, Vector(full_size));
    for (std::size_t j = 0; j < full_size; ++j) identity[j][j] = 1.0;
    inverse.assign(planes, identity);
  }

  // S x, where a diagonal S has the reciprocals of the diagonal of its inverse.
  Vector covariance_times(const std::size_t plane, const Vector& x) const {
    if (r.step == Step::full) return solve(inverse[plane], x);
    Vector found(x);
    for (std::size_t j = 0; j < full_size; ++j) found[j] /= inverse[plane][j][j];
    return found;
  }
  double step_size(const double t) const {
    if (r.step == Step::inverse) return r.eta0 / t;
    if (r.step == Step::inverse_sqrt) return r.eta0 / std::sqrt(t);
    return r.step == Step::pegasos ? 1.0 / (r.penalty * t) : r.eta0;
  }
  double row_step(const double loss, const double norm, const double m, const double weight) const {
    const double C = r.aggressiveness * weight, k = static_cast<double>(updates + 1);
    switch (r.step) {
      case Step::pa: return loss / norm;
      case Step::pa1: return std::min(loss / norm, C);
      case Step::pa2: return loss / (norm + 1.0 / (2.0 * C));
      case Step::alma: return weight * r.eta0 / std::sqrt(k * norm);
      case Step::diagonal:
      case Step::full: return (1.0 - m) / (norm + 1.0 / (2.0 * C));
      default: return step_size(static_cast<double>(visits)) * weight;
    }
  }
  bool is_second_order() const { return r.step == Step::diagonal || r.step == Step::full; }

  void multiply(const double factor, const bool offset_too) {
    for (Matrix* all : {&w, &paid})
      for (Vector& plane : *all)
        for (std::size_t j = 0; j < columns + offset_too; ++j) plane[j] *= factor;
    asked *= factor;
  }
  // Tsuruoka, Tsujii and Ananiadou: a weight pays what was asked of all and it has not paid yet, but never beyond 0.
  void clip() {
    for (std::size_t k = 0; k < w.size(); ++k)
      for (std::size_t j = 0; j < columns; ++j) {
        const double z = w[k][j];
        if (z > 0.0) w[k][j] = std::max(0.0, z - (asked + paid[k][j]));
        else if (z < 0.0) w[k][j] = std::min(0.0, z + (asked - paid[k][j]));
        paid[k][j] += w[k][j] - z;
      }
  }
  double norm_of_weights() const {
    double squares = 0.0;
    for (const Vector& plane : w) squares += std::inner_product(plane.begin(), plane.end() - 1, plane.begin(), 0.0);
    return std::sqrt(squares);
  }

  void visit(const std::size_t i) {
    const Vector x = rows.row(i);
    const bool joint = w.size() > 1;
    const std::size_t own = joint ? static_cast<std::size_t>(rows.codes[i]) : 0;
    std::size_t rival = own == 0 ? 1 : 0;
    for (std::size_t k = 0; joint && k < w.size(); ++k)
      if (k != own && dot(w[k], x) > dot(w[rival], x)) rival = k;
    const double sign = joint ? 1.0 : rows.signs[i], weight = rows.p.labels.weight(i);
    const double margin = joint ? dot(w[own], x) - dot(w[rival], x) : sign * dot(w[0], x);
    double norm = (joint ? 2.0 : 1.0) * dot(x, x);
    if (is_second_order()) norm = dot(covariance_times(own, x), x) + (joint ? dot(covariance_times(rival, x), x) : 0.0);
    const double k = static_cast<double>(updates + 1);
    const double required = r.step == Step::alma ? r.margin * std::sqrt(norm / k) : r.margin;
    const auto [push, value] = push_and_value(r.loss, margin - required);
    if (margin <= 0.0) {
      if (run > bar) best = w, bar = run;
      ++mistakes;
      mistake_weight += weight;
      run = 0;
    } else {
      ++run;
    }
    const double eta = step_size(static_cast<double>(++visits));
    if (r.penalty != 0.0) multiply(1.0 - eta * r.penalty, r.penalize_offset);
    asked += eta * r.l1;
    const double change = push * row_step(value, norm, margin, weight);
    if (push != 0.0) {
      move(x, own, rival, sign, change, norm, weight);
      loss_sum += weight * value;
      ++updates;
      if (r.step == Step::alma) project();
    }
    if (r.l1 != 0.0) clip();
    if (push != 0.0)
      lines.push_back({visits, static_cast<std::int64_t>(i), joint ? static_cast<std::int32_t>(rival) : -1, margin,
                       change, norm_of_weights()});
    for (std::size_t j = 0; j < w.size(); ++j)
      for (std::size_t c = 0; c < full_size; ++c) sum[j][c] += w[j][c];
  }

  void move(const Vector& x, const std::size_t own, const std::size_t rival, const double sign, const double change,
            const double norm, const double weight) {
    const double grows = 2.0 * r.aggressiveness * weight;  // of the inverse along x x^T
    for (std::size_t side = 0; side < (w.size() > 1 ? 2 : 1); ++side) {
      const std::size_t plane = side ? rival : own;
      const Vector along = is_second_order() ? covariance_times(plane, x) : x;
      for (std::size_t j = 0; j < full_size; ++j) w[plane][j] += (side ? -1.0 : sign) * change * along[j];
      if (!is_second_order()) continue;
      // The inverse of S - Sx (Sx)^T / (norm + r) is S^-1 + x x^T / (norm + r - x.Sx).
      const double own_growth = r.step == Step::full ? 1.0 / (norm + 1.0 / grows - dot(along, x)) : grows;
      for (std::size_t a = 0; a < full_size; ++a)
        for (std::size_t b = 0; b < full_size; ++b) inverse[plane][a][b] += own_growth * x[a] * x[b];
    }
  }
  void project() {
    double squares = 0.0;
    for (const Vector& plane : w) squares += dot(plane, plane);
    if (squares > 1.0) multiply(1.0 / std::sqrt(squares), true);
  }
};

}  // namespace rosenblatt
