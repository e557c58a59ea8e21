#include "solvers/dual.hpp"

#include <algorithm>
#include <numeric>

#include "numerics/random.hpp"
#include "passes/blocks.hpp"
#include "passes/passes.hpp"
#include "solvers/newton.hpp"
#include "system/mapped_file.hpp"

namespace rosenblatt {
namespace {

double offset_value(const Problem& p) { return p.recipe.offset_value; }

// theta = sum of the multipliers' rows, the offset around its centre.
void add_up(DualState& s, const Problem& p) {
  std::vector<double> change(s.multipliers.size());
  for (std::size_t i = 0; i < change.size(); ++i) change[i] = s.multipliers[i].value * s.multipliers[i].sign;
  pull_together(*p.kernels, p.rows, change.data(), 1, offset_value(p), p.threads, s.theta.data());
  s.theta.back() += s.centre;
  s.whole = true;
}

void end_pass(DualState& s, const Problem& p) {
  Violation& v = s.violation;
  s.active = s.stayed;
  ++s.pass;
  s.position = s.stayed = 0;
  const bool all = s.active == s.list.size();
  if (v.width() <= s.settled || s.active == 0) {
    if (all) s.settled *= 0.3;
    all_in_play(s);
  } else {
    v.drop_above = v.most > 0.0 ? v.most : Violation::infinity;
    v.drop_below = v.least < 0.0 ? v.least : -Violation::infinity;
  }
  v.least = Violation::infinity;
  v.most = -Violation::infinity;
  s.seen_gap = v.gap;
  v.gap = 0.0;
  if (!p.recipe.penalize_offset) {    // the multiplier of the constraint moves by what the constraint lacks
    const double lacks = s.theta.back() - s.centre;
    s.centre = s.theta.back();
    s.theta.back() += lacks;
  }
}

}  // namespace

void shuffle(DualState& s) {
  const std::uint64_t key = random_bits(s.seed, s.pass);
  for (std::size_t k = 0; k + 1 < s.active; ++k)
    std::swap(s.list[k], s.list[k + random_below(random_bits(key, k), s.active - k)]);
}

void all_in_play(DualState& s) {
  s.list.clear();
  for (std::size_t i = 0; i < s.multipliers.size(); ++i)
    if (s.multipliers[i].bound > 0.0) s.list.push_back(static_cast<std::uint32_t>(i));
  s.active = s.list.size();
  s.violation.drop_below = -Violation::infinity;
  s.violation.drop_above = Violation::infinity;
}

namespace {

// The primal value of w = 0: every row lacks 1, and a free offset sides with the heavier class.
double value_of_nothing(DualState& s, const Problem& p) {
  double heavy[2] = {0.0, 0.0};
  for (const Multiplier& m : s.multipliers) heavy[m.sign > 0.0] += m.bound;
  if (p.recipe.penalize_offset || offset_value(p) == 0.0) return heavy[0] + heavy[1];
  s.best.back() = (heavy[1] > heavy[0] ? 1.0 : -1.0) / offset_value(p);
  return 2.0 * std::min(heavy[0], heavy[1]);
}

}  // namespace

DualState begin_dual(const Problem& p, const double C, const std::uint64_t seed) {
  DualState s;
  const std::size_t n = p.rows.count;
  s.multipliers.resize(n);
  const bool squared = p.recipe.loss == Loss::squared_hinge;
  for (std::size_t i = 0; i < n; ++i) {
    const double cost = C * p.labels.weight(i), sign = p.labels.signs[i];
    s.multipliers[i] = squared && cost > 0.0 ? Multiplier{0.0, Violation::infinity, 0.0, sign, 0.5 / cost}
                                             : Multiplier{0.0, cost, 0.0, sign, 0.0};
  }
  s.theta.assign(p.rows.columns + 1, 0.0);
  s.best = s.theta;
  s.primal = value_of_nothing(s, p);
  s.dual = 0.0;
  s.seed = seed;
  all_in_play(s);
  return s;
}

void restart(DualState& s, const double* values, const double offset) {
  for (std::size_t i = 0; i < s.multipliers.size(); ++i) s.multipliers[i].value = values[i];
  s.centre = offset;
  s.whole = false;
  s.position = s.stayed = 0;
  all_in_play(s);
}

namespace {

void measure_rows(DualState& s, const Problem& p) {
  std::vector<double> norms(p.rows.count);
  const auto squared_norms = p.kernels->squared_norms[static_cast<std::size_t>(p.rows.kind)];
  each_block(p.rows, norms.size(), std::min(most_parts, norms.size()), p.threads,
             [&](std::size_t, const std::size_t begin, const std::size_t end, double* scratch) {
               squared_norms(p.rows, {begin, end}, scratch, norms.data() + begin);
             });
  for (std::size_t i = 0; i < norms.size(); ++i)
    s.multipliers[i].inverse = 1.0 / (norms[i] + offset_value(p) * offset_value(p) + s.multipliers[i].give);
  s.measured = true;
}

}  // namespace

void descend(DualState& s, const Problem& p, const std::uint64_t budget) {
  if (s.list.empty()) {
    ++s.pass;
    return;
  }
  if (!s.measured) measure_rows(s, p);
  if (!s.whole) add_up(s, p);
  if (s.position == 0) shuffle(s);
  std::vector<double> scratch(p.rows.scratch_size());
  const std::size_t listed = s.active - s.position, count = std::min<std::uint64_t>(budget, listed);
  const std::uint32_t* from = s.list.data() + s.position;
  const auto visit = p.kernels->descend[static_cast<std::size_t>(p.rows.kind)];
  for (std::size_t done = 0, some = 0; done < count; done += some) {
    some = visits_with_room(count - done);
    s.stayed += visit(p.rows, from + done, some, listed - done, offset_value(p), scratch.data(), s.multipliers.data(),
                      s.theta.data(), s.theta.back(), s.violation, s.list.data() + s.stayed);
  }
  s.position += count;
  s.visits += count;
  if (s.position == s.active) end_pass(s, p);
}

namespace {

// The value of the constant coordinate's weight that makes the loss least, all else fixed. The slope of the loss rises
// by c_i |v| where row i meets its corner, at (y_i - score_i) / v, from minus the positive rows' sum of them: a
// weighted quantile, found by halving.
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

// Scale the heavier class down until the classes balance: sum of values[i] y_i = 0.
void balance(const DualState& s, std::vector<double>& values) {
  double heavy[2] = {0.0, 0.0};
  for (std::size_t i = 0; i < values.size(); ++i) heavy[s.multipliers[i].sign > 0.0] += values[i];
  if (heavy[0] == heavy[1]) return;
  const bool which = heavy[1] > heavy[0];
  const double factor = heavy[!which] / heavy[which];
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((s.multipliers[i].sign > 0.0) == which) values[i] *= factor;
}

// Multipliers that are allowed: those of the descent, those that theta suggests, or, while theta comes from a sample,
// what its scores suggest.
std::vector<double> allowed(const DualState& s, const std::vector<double>& scores) {
  if (s.polish.sharpness > 0.0 && s.polish.sample == s.list.size()) return s.polish.values;
  std::vector<double> values;
  values.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Multiplier& m = s.multipliers[i];
    const double share = 0.5 + s.polish.sharpness * (1.0 - m.sign * scores[i]);
    values.push_back(s.polish.sharpness > 0.0 ? m.bound * std::clamp(share, 0.0, 1.0) : m.value);
  }
  return values;
}

double dual_value(const DualState& s, const Problem& p, std::vector<double> values) {
  const bool free = !p.recipe.penalize_offset && offset_value(p) != 0.0;
  if (free) balance(s, values);
  double sum = 0.0;
  for (const double value : values) sum += value;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= s.multipliers[i].sign;
  std::vector<double> pull(p.rows.columns + 1);
  pull_together(*p.kernels, p.rows, values.data(), 1, offset_value(p), p.threads, pull.data());
  const double square = dot(pull.data(), pull.data(), pull.size() - free);
  const double share = sum < square ? sum / square : 1.0;     // all multipliers times this is best
  return share * sum - 0.5 * share * share * square;
}

}  // namespace

bool promises(const DualState& s, const double tol) {
  const Polish& q = s.polish;
  if (q.sharpness > 0.0) return q.primal - q.dual <= std::max(tol * q.primal, 0.01 * (s.primal - s.dual));
  return s.seen_gap <= 1.5 * tol * s.primal || s.pass % 64 == 1;    // it was seen before the pass improved it
}

double worth(const DualState& s) {
  double sum = 0.0;
  for (const Multiplier& m : s.multipliers) sum += m.value - 0.5 * m.give * m.value * m.value;
  return sum - 0.5 * dot(s.theta.data(), s.theta.data(), s.theta.size());
}

void prove(DualState& s, const Problem& p) {
  const std::size_t n = s.multipliers.size();
  std::vector<double> scores(n), theta = s.theta;
  const double none = 0.0;
  const bool free = !p.recipe.penalize_offset && offset_value(p) != 0.0;
  const bool improve = free && s.whole;     // a polish finds the offset with the weights
  const Weights weights{theta.data(), improve ? &none : &theta.back(), 1, 1.0, offset_value(p)};
  compute_scores(*p.kernels, p.rows, weights, {0, n}, p.threads, scores.data());
  if (improve) theta.back() = best_offset(s, scores, offset_value(p));
  const double shift = improve ? theta.back() * offset_value(p) : 0.0;
  double loss = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double lack = 1.0 - s.multipliers[i].sign * (scores[i] + shift);
    if (lack > 0.0) loss += s.multipliers[i].bound * lack;
  }
  const double primal = loss + 0.5 * dot(theta.data(), theta.data(), theta.size() - free);
  if (primal < s.primal) {
    s.primal = primal;
    s.best = theta;
  }
  for (double& score : scores) score += shift;
  s.dual = std::max(s.dual, dual_value(s, p, allowed(s, scores)));
}

}  // namespace rosenblatt
