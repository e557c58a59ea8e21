#include "advance.hpp"

#include <algorithm>
#include <limits>

#define ROSENBLATT_TARGET common
#include "passes.hpp"
#include "visit.hpp"

namespace rosenblatt {
namespace {

using common::keep_best;

Weights weights_of(const State& s, const Recipe& recipe) {
  return {s.v, s.offset, s.planes, s.scale, recipe.offset_value};
}

bool goes_through_all(const Order order) {
  return order == Order::cyclic || order == Order::shuffle_once || order == Order::shuffle;
}

// Nothing moves w any more once no row is wrong. Other losses push on.
bool rests_when_right(const Recipe& recipe) { return recipe.loss == Loss::perceptron && recipe.penalty == 0.0; }

// The present weights make no mistakes, and will not move on.
void mark_clean(State& s, const Recipe& recipe) {
  s.clean = true;
  if (recipe.keep != Keep::best) return;
  keep_best(s);
  s.best_mistakes = 0.0;
}

void end_pass(State& s, const Recipe& recipe) {
  if (s.pass_updates == 0 && s.pass_mistakes == 0 && recipe.penalty == 0.0 && !recipe.stream) mark_clean(s, recipe);
  s.position = 0;
  s.pass_updates = s.pass_mistakes = 0;
  ++s.pass;
}

void begin_check(State& s) {
  s.phase = Phase::check;
  s.check_position = s.found = 0;
  s.check_mistakes = 0.0;
}

// So many right visits in a row call for a check of all rows: a whole data set drawn, a whole working set right.
std::uint64_t visits_until_check(const State& s, const Problem& p) {
  if (!rests_when_right(p.recipe)) return p.rows.count;
  if (p.recipe.order == Order::random_mistake) return p.rows.count - std::min<std::uint64_t>(s.run, p.rows.count);
  return s.members - std::min(s.run, s.members);
}

void learn(State& s, const Problem& p, Workspace& work, Trace& trace, std::uint64_t limit) {
  const Order order = p.recipe.order;
  if (goes_through_all(order)) {
    limit = std::min<std::uint64_t>(limit, p.rows.count - s.position);
  } else {
    const std::uint64_t left = visits_until_check(s, p);
    if (left == 0) return begin_check(s);
    limit = std::min(limit, left);
    if (order == Order::working_set) limit = std::min(limit, s.members - s.position);
    else limit = std::min<std::uint64_t>(limit, 1024);
  }
  const auto rows = work.order.next(s, order, p.rows.count, static_cast<std::size_t>(limit));
  const auto visit = p.kernels->visit[static_cast<std::size_t>(p.rows.kind)][static_cast<std::size_t>(p.recipe.loss)]
                                     [p.labels.signs ? 0 : 1];
  s.position += visit(p.rows, p.labels, p.recipe, rows.data(), static_cast<std::size_t>(limit), rows.size(),
                      work.scratch.data(), trace, s);
  if (s.phase == Phase::check) begin_check(s);
  if (goes_through_all(order) && s.position == p.rows.count) end_pass(s, p.recipe);
  if (order == Order::working_set && s.position == s.members) s.position = 0;
}

// Rows in a slice of a check: fixed by the data, for a check may end after a slice.
std::size_t check_rows(const RowsView& rows) {
  const std::size_t each = std::max<std::size_t>(rows.stored_values / std::max<std::size_t>(rows.count, 1), 1);
  return std::clamp<std::size_t>((std::size_t{1} << 20) / each, 1024, std::size_t{1} << 16);
}

void end_check(State& s, const Recipe& recipe, const bool whole) {
  if (whole && s.check_mistakes == 0.0 && rests_when_right(recipe)) {
    mark_clean(s, recipe);
  } else if (whole && recipe.keep == Keep::best && s.check_mistakes < s.best_mistakes) {
    keep_best(s);
    s.best_mistakes = s.check_mistakes;
    s.best_run = s.run;
  }
  if (recipe.order == Order::working_set) {
    s.position = s.found ? s.members : 0;
    s.members += s.found;
  }
  s.run = 0;
  s.phase = Phase::learn;
}

void check(State& s, const Problem& p, Workspace& work) {
  const bool collect = p.recipe.order == Order::working_set;
  const Range range{static_cast<std::size_t>(s.check_position),
                    std::min(static_cast<std::size_t>(s.check_position) + check_rows(p.rows), p.rows.count)};
  if (collect) work.margins.resize(range.end - range.begin);
  const Totals totals = inspect(*p.kernels, p.rows, p.labels, weights_of(s, p.recipe), p.recipe.loss, range, p.threads,
                                collect ? work.margins.data() : nullptr, nullptr);
  s.visits += range.end - range.begin;
  s.check_mistakes += totals.mistakes;
  s.check_position = range.end;
  if (collect)
    for (std::size_t i = range.begin; i < range.end; ++i)
      if (work.margins[i - range.begin] <= 0.0) s.working_set[s.members + s.found++] = static_cast<std::uint32_t>(i);
  const bool whole = range.end == p.rows.count;
  const bool hopeless = !collect && (p.recipe.keep == Keep::best ? s.check_mistakes >= s.best_mistakes
                                                                 : s.check_mistakes > 0.0);
  if (whole || hopeless) end_check(s, p.recipe, whole);
}

// All misclassified rows at once (notes 000). One pass is one step.
void batch(State& s, const Problem& p, Workspace& work, Trace& trace) {
  work.gradient.resize(s.size() + s.planes);
  const Totals totals = inspect(*p.kernels, p.rows, p.labels, weights_of(s, p.recipe), p.recipe.loss,
                                {0, p.rows.count}, p.threads, nullptr, work.gradient.data());
  s.visits += p.rows.count;
  ++s.steps;
  ++s.pass;
  s.mistakes += totals.wrong_rows;
  s.loss_sum += totals.loss;
  if (p.recipe.keep == Keep::best && totals.mistakes < s.best_mistakes) {
    keep_best(s);
    s.best_mistakes = totals.mistakes;
  }
  const bool still = std::all_of(work.gradient.begin(), work.gradient.end(), [](double g) { return g == 0.0; });
  if (totals.wrong_rows == 0 && still && p.recipe.penalty == 0.0) {
    mark_clean(s, p.recipe);
  } else {
    const double eta = common::step_size(p.recipe, static_cast<double>(s.steps));
    if (p.recipe.penalty != 0.0) common::shrink(s, 1.0 - eta * p.recipe.penalty, p.recipe.penalize_offset);
    ++s.updates;
    const double in_v = eta / s.scale;
    for (std::size_t i = 0; i < s.size(); ++i) s.v[i] += in_v * work.gradient[i];
    if (s.banked)
      for (std::size_t i = 0; i < s.size(); ++i) s.banked[i] -= s.scale_sum * in_v * work.gradient[i];
    for (std::size_t k = 0; k < s.planes; ++k) s.offset[k] += eta * work.gradient[s.size() + k];
    if (trace.lines) trace.lines[trace.size++] = {s.visits, -1, -1, std::numeric_limits<double>::quiet_NaN(), eta, common::norm(s)};
  }
  if (p.recipe.keep == Keep::average) common::count_in_average(s);
}

}  // namespace

void advance(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t budget,
             const std::uint64_t last_visit) {
  work.scratch.resize(p.rows.scratch_size());
  const std::uint64_t until = std::min(last_visit, s.visits + std::max<std::uint64_t>(budget, 1));
  while (s.visits < until && !s.clean && !trace.full()) {
    if (p.recipe.order == Order::batch) batch(s, p, work, trace);
    else if (s.phase == Phase::check) check(s, p, work);
    else learn(s, p, work, trace, until - s.visits);
  }
}

}  // namespace rosenblatt
