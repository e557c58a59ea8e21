#include "solvers/dual.hpp"

#include <algorithm>

#define ROSENBLATT_TARGET common
#include "numerics/random.hpp"
#include "parts/losses.hpp"
#include "passes/blocks.hpp"
#include "solvers/newton.hpp"
#include "system/mapped_file.hpp"

namespace rosenblatt {
namespace {

double offset_value(const Problem& p) { return p.recipe.offset_value; }

// theta = the sum of the multipliers' rows, with the centre added to the offset.
void sum_rows(DualState& s, const Problem& p) {
  std::vector<double> change(s.multipliers.size());
  for (std::size_t i = 0; i < change.size(); ++i) change[i] = s.multipliers[i].value * s.multipliers[i].sign;
  transpose_product(*p.functions, p.rows, change.data(), 1, offset_value(p), p.threads, s.theta.data());
  s.theta.back() += s.centre;
  s.theta_is_sum = true;
}

// The primal value of w = 0: every row residual 1, and a free offset sides with the heavier class.
double primal_at_zero(DualState& s, const Problem& p) {
  double class_weight[2] = {0.0, 0.0};
  for (const Multiplier& m : s.multipliers) class_weight[m.sign > 0.0] += m.bound;
  if (p.recipe.penalize_offset || offset_value(p) == 0.0) return class_weight[0] + class_weight[1];
  s.best.back() = (class_weight[1] > class_weight[0] ? 1.0 : -1.0) / offset_value(p);
  return 2.0 * std::min(class_weight[0], class_weight[1]);
}

void compute_inverse_norms(DualState& s, const Problem& p) {
  std::vector<double> norms(p.rows.count);
  const auto squared_norms = p.functions->squared_norms[index_of(p.rows.kind)];
  for_each_block(p.rows, norms.size(), std::min(max_parts, norms.size()), p.threads,
                 [&](std::size_t, const std::size_t begin, const std::size_t end, double* scratch) {
                   squared_norms(p.rows, {begin, end}, scratch, norms.data() + begin);
                 });
  for (std::size_t i = 0; i < norms.size(); ++i)
    s.multipliers[i].inverse = 1.0 / (norms[i] + offset_value(p) * offset_value(p) + s.multipliers[i].diagonal);
  s.norms_known = true;
}

void end_pass(DualState& s, const Problem& p) {
  Violation& v = s.violation;
  s.active = s.kept_active;
  ++s.pass;
  s.position = s.kept_active = 0;
  const bool all = s.active == s.list.size();
  if (v.width() <= s.reactivation_width || s.active == 0) {
    if (all) s.reactivation_width *= 0.3;
    activate_all(s);
  } else {
    v.drop_above = v.most > 0.0 ? v.most : Violation::infinity;
    v.drop_below = v.least < 0.0 ? v.least : -Violation::infinity;
  }
  v.least = Violation::infinity;
  v.most = -Violation::infinity;
  s.seen_gap = v.gap;
  v.gap = 0.0;
  if (!p.recipe.penalize_offset) {    // the multiplier of the constraint moves by its residual
    const double residual = s.theta.back() - s.centre;
    s.centre = s.theta.back();
    s.theta.back() += residual;
  }
}

}  // namespace

void shuffle_active(DualState& s) {
  const std::uint64_t key = random_bits(s.seed, s.pass);
  for (std::size_t k = 0; k + 1 < s.active; ++k)
    std::swap(s.list[k], s.list[k + random_below(random_bits(key, k), s.active - k)]);
}

void activate_all(DualState& s) {
  s.list.clear();
  for (std::size_t i = 0; i < s.multipliers.size(); ++i)
    if (s.multipliers[i].bound > 0.0) s.list.push_back(static_cast<std::uint32_t>(i));
  s.active = s.list.size();
  s.violation.drop_below = -Violation::infinity;
  s.violation.drop_above = Violation::infinity;
}

DualState begin_dual(const Problem& p, const double C, const std::uint64_t seed) {
  DualState s;
  const std::size_t n = p.rows.count;
  s.multipliers.resize(n);
  const bool squared = common::loss_facts(p.recipe.loss).squares_slack;
  for (std::size_t i = 0; i < n; ++i) {
    const double cost = C * p.labels.weight(i), sign = p.labels.signs[i];
    s.multipliers[i] = squared && cost > 0.0 ? Multiplier{0.0, Violation::infinity, 0.0, sign, 0.5 / cost}
                                             : Multiplier{0.0, cost, 0.0, sign, 0.0};
  }
  s.theta.assign(p.rows.columns + 1, 0.0);
  s.best = s.theta;
  s.primal = primal_at_zero(s, p);
  s.dual = 0.0;
  s.seed = seed;
  activate_all(s);
  return s;
}

void restart_dual(DualState& s, const double* values, const double offset) {
  for (std::size_t i = 0; i < s.multipliers.size(); ++i) s.multipliers[i].value = values[i];
  s.centre = offset;
  s.theta_is_sum = false;
  s.position = s.kept_active = 0;
  activate_all(s);
}

void descend_coordinates(DualState& s, const Problem& p, const std::uint64_t budget) {
  if (s.list.empty()) {
    ++s.pass;
    return;
  }
  if (!s.norms_known) compute_inverse_norms(s, p);
  if (!s.theta_is_sum) sum_rows(s, p);
  if (s.position == 0) shuffle_active(s);
  std::vector<double> scratch(p.rows.scratch_size());
  const std::size_t listed = s.active - s.position, count = std::min<std::uint64_t>(budget, listed);
  const std::uint32_t* from = s.list.data() + s.position;
  const auto visit = p.functions->descend_dual[index_of(p.rows.kind)];
  for (std::size_t done = 0, some = 0; done < count; done += some) {
    some = visits_within_budget(count - done);
    s.kept_active +=
        visit(p.rows, from + done, some, listed - done, offset_value(p), scratch.data(), s.multipliers.data(),
              s.theta.data(), s.theta.back(), s.violation, s.list.data() + s.kept_active);
  }
  s.position += count;
  s.visits += count;
  if (s.position == s.active) end_pass(s, p);
}

}  // namespace rosenblatt
