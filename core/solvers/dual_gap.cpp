// The duality gap: a proof of how far the present weights are from the optimum. See dual.hpp.
#include <algorithm>

#include "passes/passes.hpp"
#include "solvers/dual.hpp"
#include "solvers/newton.hpp"

namespace rosenblatt {
namespace {

double offset_value(const Problem& p) { return p.recipe.offset_value; }

// The weight of the constant coordinate that minimizes the loss, with w fixed. The slope of the loss rises by c_i |v|
// where row i reaches its corner, at (y_i - score_i) / v. So the minimum is a weighted quantile, found by bisection.
double best_offset(const DualState& s, const std::vector<double>& scores, const double value) {
  struct Corner {
    double at, rise;
  };
  std::vector<Corner> corners;
  double missing = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Multiplier& m = s.multipliers[i];
    if (m.bound == 0.0) continue;
    corners.push_back({(m.sign - scores[i]) / value, m.bound});
    if ((m.sign > 0.0) == (value > 0.0)) missing += m.bound;
  }
  const auto earlier = [](const Corner& a, const Corner& b) { return a.at < b.at; };
  auto begin = corners.begin(), end = corners.end();
  while (end - begin > 1) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, earlier);
    double rise = 0.0;
    for (auto c = begin; c != middle; ++c) rise += c->rise;
    if (rise >= missing) {
      end = middle;
    } else {
      missing -= rise;
      begin = middle;
    }
  }
  return corners.empty() ? 0.0 : begin->at;
}

// Scales the heavier class down until the classes balance: sum of values[i] y_i = 0.
void balance_classes(const DualState& s, std::vector<double>& values) {
  double class_weight[2] = {0.0, 0.0};
  for (std::size_t i = 0; i < values.size(); ++i) class_weight[s.multipliers[i].sign > 0.0] += values[i];
  if (class_weight[0] == class_weight[1]) return;
  const bool which = class_weight[1] > class_weight[0];
  const double factor = class_weight[!which] / class_weight[which];
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((s.multipliers[i].sign > 0.0) == which) values[i] *= factor;
}

// Feasible multipliers: those of the descent, those of Newton's method, or, while theta comes from a sample, those that
// the scores suggest.
std::vector<double> feasible_multipliers(const DualState& s, const std::vector<double>& scores) {
  if (s.newton.sharpness > 0.0 && s.newton.sample == s.list.size()) return s.newton.values;
  std::vector<double> values;
  values.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Multiplier& m = s.multipliers[i];
    const double share = 0.5 + s.newton.sharpness * (1.0 - m.sign * scores[i]);
    values.push_back(s.newton.sharpness > 0.0 ? m.bound * std::clamp(share, 0.0, 1.0) : m.value);
  }
  return values;
}

double dual_value(const DualState& s, const Problem& p, std::vector<double> values) {
  const bool free = !p.recipe.penalize_offset && offset_value(p) != 0.0;
  if (free) balance_classes(s, values);
  double sum = 0.0;
  for (const double value : values) sum += value;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= s.multipliers[i].sign;
  std::vector<double> pull(p.rows.columns + 1);
  transpose_product(*p.functions, p.rows, values.data(), 1, offset_value(p), p.threads, pull.data());
  const double square = dot(pull.data(), pull.data(), pull.size() - free);
  const double share = sum < square ? sum / square : 1.0;     // the best common factor of all multipliers
  return share * sum - 0.5 * share * share * square;
}

}  // namespace

bool expects_gap_within(const DualState& s, const double tol) {
  const DualNewton& q = s.newton;
  if (q.sharpness > 0.0) return q.primal - q.dual <= std::max(tol * q.primal, 0.01 * (s.primal - s.dual));
  return s.seen_gap <= 1.5 * tol * s.primal || s.pass % 64 == 1;    // 1.5: the pass improved the gap after it saw it
}

double dual_objective(const DualState& s) {
  double sum = 0.0;
  for (const Multiplier& m : s.multipliers) sum += m.value - 0.5 * m.diagonal * m.value * m.value;
  return sum - 0.5 * dot(s.theta.data(), s.theta.data(), s.theta.size());
}

void prove_gap(DualState& s, const Problem& p) {
  const std::size_t n = s.multipliers.size();
  std::vector<double> scores(n), theta = s.theta;
  const double none = 0.0;
  const bool free = !p.recipe.penalize_offset && offset_value(p) != 0.0;
  const bool improve = free && s.theta_is_sum;     // Newton's method finds the offset together with w
  const Weights weights{theta.data(), improve ? &none : &theta.back(), 1, 1.0, offset_value(p)};
  compute_scores(*p.functions, p.rows, weights, {0, n}, p.threads, scores.data());
  if (improve) theta.back() = best_offset(s, scores, offset_value(p));
  const double shift = improve ? theta.back() * offset_value(p) : 0.0;
  double loss = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double shortfall = 1.0 - s.multipliers[i].sign * (scores[i] + shift);
    if (shortfall > 0.0) loss += s.multipliers[i].bound * shortfall;
  }
  const double primal = loss + 0.5 * dot(theta.data(), theta.data(), theta.size() - free);
  if (primal < s.primal) {
    s.primal = primal;
    s.best = theta;
  }
  for (double& score : scores) score += shift;
  s.dual = std::max(s.dual, dual_value(s, p, feasible_multipliers(s, scores)));
}

}  // namespace rosenblatt
