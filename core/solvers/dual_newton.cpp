// Newton's method on the augmented Lagrangian of the dual: see dual.hpp.
#include <algorithm>
#include <cmath>

#include "passes/blocks.hpp"
#include "passes/passes.hpp"
#include "solvers/dual.hpp"
#include "solvers/line_search.hpp"
#include "solvers/newton.hpp"

namespace rosenblatt {
namespace {

constexpr std::size_t level_ratio = 8, least_sample = 2048, sample_of_columns = 8;
constexpr double level_gap = 0.1;           // a sample is solved at this gap, relative to its primal value
constexpr double level_sharpness = 3.0;     // at the start of a larger sample
constexpr double level_move = 8.0;          // how far scores may move there
constexpr double relative_accuracy = 0.01, min_move_allowance = 0.5;
constexpr std::uint64_t max_inner_steps = 50, max_steps_without_evaluation = 10;

bool has_free_offset(const Problem& p) { return !p.recipe.penalize_offset && p.recipe.offset_value != 0.0; }

double bound_of(const DualState& s, const std::size_t row) { return s.newton.weight * s.multipliers[row].bound; }

// The multiplier that a score suggests.
double suggested_multiplier(const DualState& s, const std::size_t row, const double score) {
  const Multiplier& m = s.multipliers[row];
  const double bound = bound_of(s, row);
  return clamp_to(m.value + s.newton.sharpness * bound * (1.0 - m.sign * score), bound);
}

// out[k] = score of rows[k]
void score_rows(const Problem& p, const std::vector<std::uint32_t>& rows, const std::vector<double>& theta,
                std::vector<double>& out) {
  out.resize(rows.size());
  const Weights weights{theta.data(), &theta.back(), 1, 1.0, p.recipe.offset_value};
  compute_scores(*p.functions, p.rows, weights, {0, rows.size(), rows.data()}, p.threads, out.data());
}

// out += sum of change[k] (x, v) over rows[k]
void pull_rows(const Problem& p, const std::vector<std::uint32_t>& rows, const std::vector<double>& change,
               std::vector<double>& out) {
  const std::size_t size = out.size(),
                    parts = std::min(gradient_parts(p.rows, size), std::max<std::size_t>(rows.size() / 64, 1));
  std::vector<double> sums(parts * size, 0.0);
  const auto accumulate = p.functions->accumulate[index_of(p.rows.kind)];
  for_each_block(p.rows, rows.size(), parts, p.threads,
                 [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
                   double* sum = sums.data() + part * size;
                   accumulate(p.rows, {begin, end, rows.data()}, change.data() + begin, 1, scratch, sum);
                   for (std::size_t k = begin; k < end; ++k) sum[size - 1] += change[k] * p.recipe.offset_value;
                 });
  for (std::size_t k = 0; k < sums.size(); ++k) out[k % size] += sums[k];
}

// out += sign * sum of bound (x, v) (x, v)^T over these rows.
void add_hessian(const Problem& p, const DualState& s, const std::vector<std::uint32_t>& rows, const double sign,
                 std::vector<double>& out) {
  if (rows.empty()) return;
  const std::size_t size = s.theta.size();
  const Selection all{0, rows.size(), rows.data()};
  std::vector<double> weight(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) weight[k] = bound_of(s, rows[k]);
  if (sign > 0.0 && rows.size() < 4 * size) {
    std::vector<double> scratch(p.rows.scratch_size()), panel(panel_height * panel_width(size));
    p.functions->add_outer_products[index_of(p.rows.kind)](p.rows, all, weight.data(), p.recipe.offset_value,
                                                           scratch.data(), panel.data(), out.data());
    return;
  }
  std::vector<double> sum(out.size());
  compute_hessian(*p.functions, p.rows, all, weight.data(), p.recipe.offset_value, p.threads, sum.data());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] += sign * sum[k];
}

// Updates the values of these rows for the present scores, and by the changes the pull, the Hessian and `near`.
void update_values(DualState& s, const Problem& p, const std::vector<std::uint32_t>& rows) {
  DualNewton& q = s.newton;
  std::vector<double> change;
  std::vector<std::uint32_t> changed, entered, left;
  for (const std::uint32_t i : rows) {
    const double value = suggested_multiplier(s, i, q.scores[i]);
    if (value != q.values[i]) {
      changed.push_back(i);
      change.push_back((value - q.values[i]) * s.multipliers[i].sign);
      q.values[i] = value;
    }
    const bool near = value > 0.0 && value < bound_of(s, i);
    if (near != static_cast<bool>(q.near[i])) (near ? entered : left).push_back(i);
    q.near[i] = near;
  }
  pull_rows(p, changed, change, q.pull);
  if (left.empty()) return add_hessian(p, s, entered, 1.0, q.hessian);
  std::vector<std::uint32_t> keep;
  for (const std::uint32_t i : q.rows)
    if (q.near[i]) keep.push_back(i);
  if (keep.size() <= entered.size() + left.size()) {
    std::fill(q.hessian.begin(), q.hessian.end(), 0.0);
    return add_hessian(p, s, keep, 1.0, q.hessian);
  }
  add_hessian(p, s, entered, 1.0, q.hessian);
  add_hessian(p, s, left, -1.0, q.hessian);
}

// The squared distance of the value from the multiplier in the metric of the augmented Lagrangian.
double distance(const DualState& s, const std::size_t row) {
  const double change = s.newton.values[row] - s.multipliers[row].value;
  return change == 0.0 ? 0.0 : change * change / (s.newton.sharpness * bound_of(s, row));
}

// Whether theta is accurate enough for the present multipliers. Every weight has curvature at least 1, so the squared
// gradient bounds twice the possible gain. A free offset has only the curvature of the rows near their corner.
bool is_small(const DualState& s, const Problem& p, const std::vector<double>& gradient) {
  const DualNewton& q = s.newton;
  double total = q.inactive_distance;
  for (const std::uint32_t i : q.active) total += distance(s, i);
  const double shortfall = gradient.back(),
               curvature = has_free_offset(p) ? std::min(q.sharpness * q.hessian.back(), 1.0) : 1.0;
  const double gain = dot(gradient.data(), gradient.data(), gradient.size() - 1);
  return gain + (shortfall == 0.0 ? 0.0 : shortfall * shortfall / curvature) <= relative_accuracy * total;
}

// Rows are active if their distance from the corner is within the range in which scores move before an update.
void choose_active(DualState& s) {
  DualNewton& q = s.newton;
  const double slack =
      q.previous_score_move > 0.0 ? q.sharpness * q.previous_score_move * q.move_allowance : Violation::infinity;
  q.active.clear();
  q.inactive_distance = 0.0;
  for (const std::uint32_t i : q.rows) {
    const Multiplier& m = s.multipliers[i];
    const double bound = bound_of(s, i), reach = slack * bound;
    const double target = m.value + q.sharpness * bound * (1.0 - m.sign * q.scores[i]);
    if (target > -reach && target < bound + reach) q.active.push_back(i);
    else q.inactive_distance += distance(s, i);
  }
  if (q.active.size() >= s.theta.size()) return;    // fewer active rows than columns are not reliable
  q.active = q.rows;
  q.inactive_distance = 0.0;
}

// The augmented Lagrangian at theta.
double lagrangian(const DualState& s, const Problem& p) {
  double value = 0.5 * dot(s.theta.data(), s.theta.data(), s.theta.size() - !p.recipe.penalize_offset);
  for (const std::uint32_t i : s.newton.rows)
    value += s.newton.values[i] * (1.0 - s.multipliers[i].sign * s.newton.scores[i]) - 0.5 * distance(s, i);
  return value;
}

// All rows are evaluated here, so steps that fail can return to this point.
void set_checkpoint(DualState& s, const Problem& p) {
  s.newton.checkpoint_value = lagrangian(s, p);
  s.newton.checkpoint = s.theta;
}

// Starts a sample of `size` rows. Multipliers are set by the distance of each row from its corner.
void begin_level(DualState& s, const Problem& p, const std::size_t size, const double sharpness) {
  DualNewton& q = s.newton;
  const std::size_t n = s.multipliers.size(), columns = s.theta.size();
  q.sample = size;
  q.weight = static_cast<double>(s.list.size()) / static_cast<double>(size);
  q.sharpness = sharpness;
  q.near.assign(n, 0);
  for (std::size_t k = 0; k < size; ++k) q.near[s.list[k]] = 1;
  q.rows.clear();
  for (std::size_t i = 0; i < n; ++i)
    if (q.near[i]) q.rows.push_back(static_cast<std::uint32_t>(i));
  q.scores.assign(n, 0.0);
  q.values.assign(n, 0.0);
  q.near.assign(n, 0);
  q.pull.assign(columns, 0.0);
  q.hessian.assign(columns * columns, 0.0);
  q.inner_steps = q.steps_since_evaluation = 0;
  q.score_move = q.inactive_distance = 0.0;
  std::vector<double> scores;
  score_rows(p, q.rows, s.theta, scores);
  for (std::size_t k = 0; k < q.rows.size(); ++k) {
    const std::uint32_t i = q.rows[k];
    q.scores[i] = scores[k];
    s.multipliers[i].value = 0.5 * bound_of(s, i);
    s.multipliers[i].value = suggested_multiplier(s, i, scores[k]);
  }
  update_values(s, p, q.rows);
  q.previous_score_move = level_move;
  q.move_allowance = min_move_allowance;
  choose_active(s);
  set_checkpoint(s, p);
}

std::size_t first_sample(const DualState& s) {
  const std::size_t least = std::max(least_sample, sample_of_columns * s.theta.size());
  std::size_t size = s.list.size();
  while (size / level_ratio >= least) size /= level_ratio;
  return size;
}

std::size_t next_sample(const DualState& s) {
  const std::size_t size = level_ratio * s.newton.sample;
  return size + size / level_ratio < s.list.size() ? size : s.list.size();
}

// The slope of the augmented Lagrangian along a direction. Inactive rows are constant.
PiecewiseSlope slope_along(const DualState& s, const std::vector<double>& along, const double start,
                           const double square) {
  const DualNewton& q = s.newton;
  std::vector<PiecewiseSlope::Line> lines(along.size());
  for (std::size_t k = 0; k < along.size(); ++k) {
    const std::uint32_t i = q.active[k];
    const Multiplier& m = s.multipliers[i];
    const double bound = bound_of(s, i), rise = q.sharpness * bound, pull = m.sign * along[k];
    lines[k] = {m.value + rise * (1.0 - m.sign * q.scores[i]), -rise * pull, bound, pull};
  }
  return {start, square, std::move(lines)};
}

std::vector<double> gradient_of(const DualState& s, const Problem& p) {
  std::vector<double> gradient(s.theta);
  if (!p.recipe.penalize_offset) gradient.back() = 0.0;
  for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] -= s.newton.pull[k];
  if (p.recipe.offset_value == 0.0) gradient.back() = 0.0;
  return gradient;
}

void score_sample(DualState& s, const Problem& p) {
  std::vector<double> scores;
  score_rows(p, s.newton.rows, s.theta, scores);
  for (std::size_t k = 0; k < scores.size(); ++k) s.newton.scores[s.newton.rows[k]] = scores[k];
  update_values(s, p, s.newton.rows);
  s.visits += scores.size();
}

// Evaluates all rows of the sample. If the steps increased the augmented Lagrangian, inactive rows mattered: return to
// the checkpoint and make all rows active.
void evaluate_all_rows(DualState& s, const Problem& p) {
  DualNewton& q = s.newton;
  score_sample(s, p);
  if (q.active.size() < q.rows.size() && !(lagrangian(s, p) <= q.checkpoint_value)) {
    s.theta = q.checkpoint;
    score_sample(s, p);
    q.move_allowance = Violation::infinity;
  } else {
    set_checkpoint(s, p);
  }
  double loss = 0.0, sum = 0.0;
  for (const std::uint32_t i : q.rows) {
    const double shortfall = 1.0 - s.multipliers[i].sign * q.scores[i];
    if (shortfall > 0.0) loss += shortfall * bound_of(s, i);
    sum += q.values[i];
  }
  const std::size_t counted = s.theta.size() - has_free_offset(p);
  q.primal = loss + 0.5 * dot(s.theta.data(), s.theta.data(), counted);
  q.dual =
      sum - 0.5 * dot(q.pull.data(), q.pull.data(), counted) - (has_free_offset(p) ? std::abs(q.pull.back()) : 0.0);
  q.steps_since_evaluation = 0;
  q.all_rows_evaluated = true;
  choose_active(s);
}

// Multipliers take the values that theta suggests. Fewer inner steps mean a larger increase in sharpness.
void update_multipliers(DualState& s, const Problem& p) {
  DualNewton& q = s.newton;
  for (const std::uint32_t i : q.rows) s.multipliers[i].value = q.values[i];
  q.sharpness *= q.inner_steps <= 5 ? 4.0 : q.inner_steps <= 10 ? 2.5 : q.inner_steps < max_inner_steps ? 1.5 : 0.5;
  q.inner_steps = 0;
  q.move_allowance = min_move_allowance;
  q.previous_score_move = q.score_move;
  q.score_move = 0.0;
  update_values(s, p, q.rows);
  choose_active(s);
  set_checkpoint(s, p);
}

// The Newton direction, or the offset alone where no row is near its corner and nothing else determines it.
std::vector<double> newton_direction(const DualState& s, const Problem& p, const std::vector<double>& gradient) {
  const DualNewton& q = s.newton;
  const std::size_t size = s.theta.size();
  std::vector<double> direction(size, 0.0);
  if (has_free_offset(p) && q.hessian.back() == 0.0 && gradient.back() != 0.0) {
    direction.back() = std::copysign(1.0 / p.recipe.offset_value, -gradient.back());
    return direction;
  }
  std::vector<double> square = q.hessian;
  for (double& entry : square) entry *= q.sharpness;
  for (std::size_t k = 0; k + 1 < size; ++k) square[k * size + k] += 1.0;
  square.back() += p.recipe.penalize_offset ? 1.0 : 0.0;
  if (square.back() == 0.0) square.back() = 1.0;
  for (std::size_t k = 0; k < size; ++k) direction[k] = -gradient[k];
  p.functions->cholesky_factor(square.data(), size, 0.0);
  cholesky_solve(square.data(), size, direction.data());
  return direction;
}

void take_newton_step(DualState& s, const Problem& p, const std::vector<double>& gradient) {
  DualNewton& q = s.newton;
  const std::size_t size = s.theta.size();
  const std::vector<double> direction = newton_direction(s, p, gradient);
  std::vector<double> along;
  score_rows(p, q.active, direction, along);
  const std::size_t counted = p.recipe.penalize_offset ? size : size - 1;
  const double t = step_length(slope_along(s, along, dot(gradient.data(), direction.data(), size),
                                           dot(direction.data(), direction.data(), counted)));
  for (std::size_t k = 0; k < size; ++k) s.theta[k] += t * direction[k];
  double score_move = 0.0;
  for (std::size_t k = 0; k < q.active.size(); ++k) {
    q.scores[q.active[k]] += t * along[k];
    score_move = std::max(score_move, std::abs(t * along[k]));
  }
  q.score_move += score_move;
  update_values(s, p, q.active);
  ++q.inner_steps;
  ++q.steps_since_evaluation;
  ++s.steps;
  s.visits += q.active.size();
}

}  // namespace

bool step_newton(DualState& s, const Problem& p) {
  DualNewton& q = s.newton;
  if (s.list.empty()) return true;
  s.theta_is_sum = false;
  if (q.sharpness == 0.0) {
    activate_all(s);
    shuffle_active(s);
    begin_level(s, p, first_sample(s), 0.2);
  }
  std::vector<double> gradient = gradient_of(s, p);
  bool small = is_small(s, p, gradient);
  if (q.all_rows_evaluated && (small || q.inner_steps >= max_inner_steps)) {
    const bool done = q.primal - q.dual <= level_gap * q.primal || q.sharpness > 100.0 || !small;
    if (q.sample < s.list.size() && done) begin_level(s, p, next_sample(s), level_sharpness);
    else update_multipliers(s, p);
    gradient = gradient_of(s, p);
    small = false;
  } else if (q.all_rows_evaluated) {  // inactive rows mattered
    q.move_allowance *= 3.0;
    choose_active(s);
  }
  if (!small && q.steps_since_evaluation < max_steps_without_evaluation) {
    q.all_rows_evaluated = false;
    take_newton_step(s, p, gradient);
    return false;
  }
  evaluate_all_rows(s, p);
  return q.sample == s.list.size();
}

}  // namespace rosenblatt
