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
constexpr double level_gap = 0.1;           // a sample is done with, relative to its primal value
constexpr double level_sharpness = 3.0;     // to begin with on more rows
constexpr double level_move = 8.0;          // how far scores may then move
constexpr double exact_enough = 0.01, least_caution = 0.5;
constexpr std::uint64_t most_inner = 50, most_unseen = 10;

bool is_free(const Problem& p) { return !p.recipe.penalize_offset && p.recipe.offset_value != 0.0; }

double bound_of(const DualState& s, const std::size_t row) { return s.polish.weight * s.multipliers[row].bound; }

// The multiplier that a score suggests.
double suggested(const DualState& s, const std::size_t row, const double score) {
  const Multiplier& m = s.multipliers[row];
  const double bound = bound_of(s, row);
  return between(m.value + s.polish.sharpness * bound * (1.0 - m.sign * score), bound);
}

// out[k] = score of rows[k]
void score_rows(const Problem& p, const std::vector<std::uint32_t>& rows, const std::vector<double>& theta,
                std::vector<double>& out) {
  out.resize(rows.size());
  const Weights weights{theta.data(), &theta.back(), 1, 1.0, p.recipe.offset_value};
  compute_scores(*p.kernels, p.rows, weights, {0, rows.size(), rows.data()}, p.threads, out.data());
}

// out += sum of change[k] (x, v) over rows[k]
void pull_rows(const Problem& p, const std::vector<std::uint32_t>& rows, const std::vector<double>& change,
               std::vector<double>& out) {
  const std::size_t size = out.size(),
                    parts = std::min(gradient_parts(p.rows, size), std::max<std::size_t>(rows.size() / 64, 1));
  std::vector<double> sums(parts * size, 0.0);
  const auto accumulate = p.kernels->accumulate[static_cast<std::size_t>(p.rows.kind)];
  each_block(p.rows, rows.size(), parts, p.threads,
             [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
               double* sum = sums.data() + part * size;
               accumulate(p.rows, {begin, end, rows.data()}, change.data() + begin, 1, scratch, sum);
               for (std::size_t k = begin; k < end; ++k) sum[size - 1] += change[k] * p.recipe.offset_value;
             });
  for (std::size_t k = 0; k < sums.size(); ++k) out[k % size] += sums[k];
}

// gram += sign * sum of bound (x, v) (x, v)^T over these rows.
void add_gram(const Problem& p, const DualState& s, const std::vector<std::uint32_t>& rows, const double sign,
              std::vector<double>& gram) {
  if (rows.empty()) return;
  const std::size_t size = s.theta.size();
  const Selection all{0, rows.size(), rows.data()};
  std::vector<double> weight(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) weight[k] = bound_of(s, rows[k]);
  if (sign > 0.0 && rows.size() < 4 * size) {
    std::vector<double> scratch(p.rows.scratch_size()), panel(gram_rows * panel_width(size));
    p.kernels->gram[static_cast<std::size_t>(p.rows.kind)](p.rows, all, weight.data(), p.recipe.offset_value,
                                                           scratch.data(), panel.data(), gram.data());
    return;
  }
  std::vector<double> sum(gram.size());
  hessian(*p.kernels, p.rows, all, weight.data(), p.recipe.offset_value, p.threads, sum.data());
  for (std::size_t k = 0; k < gram.size(); ++k) gram[k] += sign * sum[k];
}

// Values of these rows, their pull and which are near their corner, for the present scores. What changed is added.
void follow_scores(DualState& s, const Problem& p, const std::vector<std::uint32_t>& rows) {
  Polish& q = s.polish;
  std::vector<double> change;
  std::vector<std::uint32_t> changed, entered, left;
  for (const std::uint32_t i : rows) {
    const double value = suggested(s, i, q.scores[i]);
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
  if (left.empty()) return add_gram(p, s, entered, 1.0, q.gram);
  std::vector<std::uint32_t> stay;
  for (const std::uint32_t i : q.rows)
    if (q.near[i]) stay.push_back(i);
  if (stay.size() <= entered.size() + left.size()) {
    std::fill(q.gram.begin(), q.gram.end(), 0.0);
    return add_gram(p, s, stay, 1.0, q.gram);
  }
  add_gram(p, s, entered, 1.0, q.gram);
  add_gram(p, s, left, -1.0, q.gram);
}

// Squared distance of the value from the multiplier, as the augmented Lagrangian measures it.
double distance(const DualState& s, const std::size_t row) {
  const double change = s.polish.values[row] - s.multipliers[row].value;
  return change == 0.0 ? 0.0 : change * change / (s.polish.sharpness * bound_of(s, row));
}

// Whether theta is as good as the multipliers are worth. Twice what is left to gain is at most the squared gradient, as
// every weight has a curvature of 1 at least; a free offset has only that of the rows near their corner.
bool is_small(const DualState& s, const Problem& p, const std::vector<double>& gradient) {
  const Polish& q = s.polish;
  double worth = q.far;
  for (const std::uint32_t i : q.play) worth += distance(s, i);
  const double lack = gradient.back(), curvature = is_free(p) ? std::min(q.sharpness * q.gram.back(), 1.0) : 1.0;
  const double gain = dot(gradient.data(), gradient.data(), gradient.size() - 1);
  return gain + (lack == 0.0 ? 0.0 : lack * lack / curvature) <= exact_enough * worth;
}

// Rows stay in play that are not much further from their corner than scores move while the multipliers stand still.
void choose_play(DualState& s) {
  Polish& q = s.polish;
  const double slack = q.usual_move > 0.0 ? q.sharpness * q.usual_move * q.caution : Violation::infinity;
  q.play.clear();
  q.far = 0.0;
  for (const std::uint32_t i : q.rows) {
    const Multiplier& m = s.multipliers[i];
    const double bound = bound_of(s, i), reach = slack * bound;
    const double wish = m.value + q.sharpness * bound * (1.0 - m.sign * q.scores[i]);
    if (wish > -reach && wish < bound + reach) q.play.push_back(i);
    else q.far += distance(s, i);
  }
  if (q.play.size() >= s.theta.size()) return;    // too few to go by
  q.play = q.rows;
  q.far = 0.0;
}

// The augmented Lagrangian at theta.
double lagrangian(const DualState& s, const Problem& p) {
  double value = 0.5 * dot(s.theta.data(), s.theta.data(), s.theta.size() - !p.recipe.penalize_offset);
  for (const std::uint32_t i : s.polish.rows)
    value += s.polish.values[i] * (1.0 - s.multipliers[i].sign * s.polish.scores[i]) - 0.5 * distance(s, i);
  return value;
}

// Here all rows are known: a point to come back to.
void mark(DualState& s, const Problem& p) {
  s.polish.marked_value = lagrangian(s, p);
  s.polish.marked = s.theta;
}

// A sample of `size` rows; the multipliers are set by how far each row is from its corner.
void begin_level(DualState& s, const Problem& p, const std::size_t size, const double sharpness) {
  Polish& q = s.polish;
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
  q.gram.assign(columns * columns, 0.0);
  q.inner = q.unseen = 0;
  q.moved = q.far = 0.0;
  std::vector<double> scores;
  score_rows(p, q.rows, s.theta, scores);
  for (std::size_t k = 0; k < q.rows.size(); ++k) {
    const std::uint32_t i = q.rows[k];
    q.scores[i] = scores[k];
    s.multipliers[i].value = 0.5 * bound_of(s, i);
    s.multipliers[i].value = suggested(s, i, scores[k]);
  }
  follow_scores(s, p, q.rows);
  q.usual_move = level_move;
  q.caution = least_caution;
  choose_play(s);
  mark(s, p);
}

std::size_t first_sample(const DualState& s) {
  const std::size_t least = std::max(least_sample, sample_of_columns * s.theta.size());
  std::size_t size = s.list.size();
  while (size / level_ratio >= least) size /= level_ratio;
  return size;
}

std::size_t next_sample(const DualState& s) {
  const std::size_t size = level_ratio * s.polish.sample;
  return size + size / level_ratio < s.list.size() ? size : s.list.size();
}

// The augmented Lagrangian along a direction. Rows not in play have constant pulls.
PiecewiseSlope slope_along(const DualState& s, const std::vector<double>& along, const double start,
                           const double square) {
  const Polish& q = s.polish;
  std::vector<PiecewiseSlope::Line> lines(along.size());
  for (std::size_t k = 0; k < along.size(); ++k) {
    const std::uint32_t i = q.play[k];
    const Multiplier& m = s.multipliers[i];
    const double bound = bound_of(s, i), rise = q.sharpness * bound, pull = m.sign * along[k];
    lines[k] = {m.value + rise * (1.0 - m.sign * q.scores[i]), -rise * pull, bound, pull};
  }
  return {start, square, std::move(lines)};
}

std::vector<double> gradient_of(const DualState& s, const Problem& p) {
  std::vector<double> gradient(s.theta);
  if (!p.recipe.penalize_offset) gradient.back() = 0.0;
  for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] -= s.polish.pull[k];
  if (p.recipe.offset_value == 0.0) gradient.back() = 0.0;
  return gradient;
}

void score_all(DualState& s, const Problem& p) {
  std::vector<double> scores;
  score_rows(p, s.polish.rows, s.theta, scores);
  for (std::size_t k = 0; k < scores.size(); ++k) s.polish.scores[s.polish.rows[k]] = scores[k];
  follow_scores(s, p, s.polish.rows);
  s.visits += scores.size();
}

// Look at all rows of the sample. If the steps have led uphill, for rows not in play should have been: back to the
// mark, and all rows are.
void look(DualState& s, const Problem& p) {
  Polish& q = s.polish;
  score_all(s, p);
  if (q.play.size() < q.rows.size() && !(lagrangian(s, p) <= q.marked_value)) {
    s.theta = q.marked;
    score_all(s, p);
    q.caution = Violation::infinity;
  } else {
    mark(s, p);
  }
  double loss = 0.0, sum = 0.0;
  for (const std::uint32_t i : q.rows) {
    const double lack = 1.0 - s.multipliers[i].sign * q.scores[i];
    if (lack > 0.0) loss += lack * bound_of(s, i);
    sum += q.values[i];
  }
  const std::size_t counted = s.theta.size() - is_free(p);
  q.primal = loss + 0.5 * dot(s.theta.data(), s.theta.data(), counted);
  q.dual = sum - 0.5 * dot(q.pull.data(), q.pull.data(), counted) - (is_free(p) ? std::abs(q.pull.back()) : 0.0);
  q.unseen = 0;
  q.looked = true;
  choose_play(s);
}

// The multipliers become what theta suggests, and the corners sharper the easier that was.
void take_over(DualState& s, const Problem& p) {
  Polish& q = s.polish;
  for (const std::uint32_t i : q.rows) s.multipliers[i].value = q.values[i];
  q.sharpness *= q.inner <= 5 ? 4.0 : q.inner <= 10 ? 2.5 : q.inner < most_inner ? 1.5 : 0.5;
  q.inner = 0;
  q.caution = least_caution;
  q.usual_move = q.moved;
  q.moved = 0.0;
  follow_scores(s, p, q.rows);
  choose_play(s);
  mark(s, p);
}

void newton_step(DualState& s, const Problem& p, const std::vector<double>& gradient) {
  Polish& q = s.polish;
  const std::size_t size = s.theta.size();
  std::vector<double> square = q.gram, direction(size), along;
  for (double& entry : square) entry *= q.sharpness;
  for (std::size_t k = 0; k + 1 < size; ++k) square[k * size + k] += 1.0;
  square.back() += p.recipe.penalize_offset ? 1.0 : 0.0;
  if (square.back() == 0.0) square.back() = 1.0;
  for (std::size_t k = 0; k < size; ++k) direction[k] = -gradient[k];
  if (is_free(p) && q.gram.back() == 0.0 && gradient.back() != 0.0) {   // nothing tells how far: the offset alone
    std::fill(direction.begin(), direction.end(), 0.0);
    direction.back() = std::copysign(1.0 / p.recipe.offset_value, -gradient.back());
  } else {
    p.kernels->factor(square.data(), size, 0.0);
    solve(square.data(), size, direction.data());
  }

  score_rows(p, q.play, direction, along);
  const std::size_t counted = p.recipe.penalize_offset ? size : size - 1;
  const double t = step_length(slope_along(s, along, dot(gradient.data(), direction.data(), size),
                                           dot(direction.data(), direction.data(), counted)));
  for (std::size_t k = 0; k < size; ++k) s.theta[k] += t * direction[k];
  double moved = 0.0;
  for (std::size_t k = 0; k < q.play.size(); ++k) {
    q.scores[q.play[k]] += t * along[k];
    moved = std::max(moved, std::abs(t * along[k]));
  }
  q.moved += moved;
  follow_scores(s, p, q.play);
  ++q.inner;
  ++q.unseen;
  ++s.steps;
  s.visits += q.play.size();
}

}  // namespace

bool polish(DualState& s, const Problem& p) {
  Polish& q = s.polish;
  if (s.list.empty()) return true;
  s.whole = false;
  if (q.sharpness == 0.0) {
    all_in_play(s);
    shuffle(s);
    begin_level(s, p, first_sample(s), 0.2);
  }
  std::vector<double> gradient = gradient_of(s, p);
  bool small = is_small(s, p, gradient);
  if (q.looked && (small || q.inner >= most_inner)) {
    const bool done = q.primal - q.dual <= level_gap * q.primal || q.sharpness > 100.0 || !small;
    if (q.sample < s.list.size() && done) begin_level(s, p, next_sample(s), level_sharpness);
    else take_over(s, p);
    gradient = gradient_of(s, p);
    small = false;
  } else if (q.looked) {    // rows not in play should have been
    q.caution *= 3.0;
    choose_play(s);
  }
  if (!small && q.unseen < most_unseen) {
    q.looked = false;
    newton_step(s, p, gradient);
    return false;
  }
  look(s, p);
  return q.sample == s.list.size();
}

}  // namespace rosenblatt
