#include "loop/advance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#define ROSENBLATT_TARGET common
#include "loop/read_ahead.hpp"
#include "loop/visit.hpp"
#include "loop/working_set.hpp"
#include "passes/passes.hpp"
#include "system/mapped_file.hpp"

namespace rosenblatt {
namespace {

using common::keep_best;

Weights weights_of(const State& s, const Recipe& recipe) {
  return {s.v, s.offset, s.planes, s.scale, recipe.offset_value};
}

OrderPosition position_in_order(const State& s) { return {s.seed, s.pass, s.position}; }

// Whether w stops moving once every row is correct.
bool rests_when_correct(const Recipe& recipe) {
  return common::loss_facts(recipe.loss).rests_when_correct && !recipe.is_penalised() && recipe.margin == 0.0;
}

// The present weights make no mistakes and will not move.
void mark_clean(State& s, const Recipe& recipe) {
  s.clean = true;
  if (recipe.keep != Keep::best) return;
  keep_best(s);
  s.best_mistakes = 0.0;
}

void end_pass(State& s, const Recipe& recipe) {
  if (s.pass_updates == 0 && s.pass_mistakes == 0 && !recipe.is_penalised() && !recipe.stream) mark_clean(s, recipe);
  s.position = 0;
  s.pass_updates = s.pass_mistakes = 0;
  ++s.pass;
}

void begin_check(State& s) {
  clip_all(s);
  s.phase = Phase::check;
  s.check_position = 0;
  s.check_mistakes = 0.0;
}

// Each check raises the bar that a run must beat; each epoch of visits halves it. Otherwise one lucky run, or row
// weights that runs do not count, could keep better weights from ever being checked.
void lower_bar(State& s, const Problem& p, const std::uint64_t before) {
  if (!p.recipe.stream && s.steps / p.rows.count > before / p.rows.count) s.bar /= 2;
}

// Visits rows in order: `count` of them, or fewer where `visit` in loop/visit.hpp returns early. `rows` may list more,
// to be prefetched.
std::size_t visit_in_order(State& s, const Problem& p, Workspace& work, Trace& trace,
                           const std::span<const std::uint32_t> rows, const std::size_t count, ScoreWindow* window) {
  const auto visit = p.functions->visit[index_of(p.rows.kind)][index_of(p.recipe.loss)]
                                       [index_of(p.labels.signs ? ClassHead::binary : ClassHead::joint)];
  const std::size_t readers = s.activation || window ? 1 : p.threads;
  const ReadAhead reading(p.rows, rows.first(count), s.visits, readers);
  return visit(p.rows, p.labels, p.recipe, rows.data(), count, rows.size(), work.scratch.data(), trace, s, window);
}

double norm_with_offset(State& s) { return std::hypot(common::norm_of_weights(s), s.offset[0]); }

// The same, where all threads compute margins ahead of the visits.
std::size_t visit_in_windows(State& s, const Problem& p, Workspace& work, Trace& trace,
                             const std::span<const std::uint32_t> rows, const std::size_t count) {
  double norm = norm_with_offset(s);
  std::size_t done = 0;
  for (std::size_t asked = 0, made = 0; done < count && made == asked; done += made) {
    asked = work.windows.next_size(count - done);
    if (asked == 0) {
      asked = work.windows.next_pause(count - done);
      made = visit_in_order(s, p, work, trace, rows.subspan(done), asked, nullptr);
      work.windows.learn_from_pause(made);
      norm = norm_with_offset(s);
      continue;
    }
    ScoreWindow window =
        work.windows.score(*p.functions, p.rows, p.labels, p.recipe, s, rows.subspan(done, asked), norm, p.threads);
    made = visit_in_order(s, p, work, trace, rows.subspan(done), asked, &window);
    work.windows.learn_from(window, made);
    norm = window.norm();
  }
  return done;
}

void visit_rows(State& s, const Problem& p, Workspace& work, Trace& trace, const std::span<const std::uint32_t> rows,
                const std::uint64_t count) {
  const bool windows = can_score_windows(*p.functions, p.rows, p.labels, p.recipe, s, p.threads);
  const std::uint64_t before = s.steps;
  const std::size_t listed = std::min<std::size_t>(count, rows.size());
  for (std::size_t done = 0, asked = 0, made = 0; done < listed && made == asked; done += made) {
    asked = visits_within_budget(listed - done);
    made = windows ? visit_in_windows(s, p, work, trace, rows.subspan(done), asked)
                   : visit_in_order(s, p, work, trace, rows.subspan(done), asked, nullptr);
    s.position += made;
  }
  lower_bar(s, p, before);
}

// Every row once per pass.
void learn_in_passes(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t limit) {
  const std::uint64_t count = std::min<std::uint64_t>(limit, p.rows.count - s.position);
  visit_rows(s, p, work, trace, work.order.next(position_in_order(s), p.recipe.order, p.rows.count, count), count);
  if (s.phase == Phase::check) begin_check(s);
  if (s.position == p.rows.count) end_pass(s, p.recipe);
}

// Random rows. A run of correct visits as long as the data starts a check of all rows.
void learn_random_mistakes(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t limit) {
  const std::uint64_t quota = rests_when_correct(p.recipe) ? p.rows.count : ~std::uint64_t{0};
  if (s.run >= quota) return begin_check(s);
  const std::uint64_t epoch_left = p.rows.count - s.steps % p.rows.count;
  const std::uint64_t count = std::min({limit, quota - s.run, epoch_left, std::uint64_t{1024}});
  visit_rows(s, p, work, trace, work.order.next(position_in_order(s), p.recipe.order, p.rows.count, count), count);
  if (s.phase == Phase::check) begin_check(s);
}

// Visits the lowest working set repeatedly until every row of it is correct.
void learn_working_set(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t limit) {
  if (!is_lowest_level(p.rows.count, s.level)) return begin_check(s);           // at the start no set is chosen
  const Selection level = level_rows(s, p.rows.count);
  if (s.run >= level.size()) {
    if (s.level == 0) return mark_clean(s, p.recipe);
    --s.level;
    s.run = s.position = 0;
    return begin_check(s);
  }
  const std::uint64_t count = std::min({limit, level.size() - s.position, level.size() - s.run});
  const auto rows = level.list ? std::span(level.list + s.position, level.size() - s.position)
                               : work.order.next(position_in_order(s), Order::cyclic, p.rows.count, count);
  visit_rows(s, p, work, trace, rows, count);
  if (s.position == level.size()) s.position = 0;
}

void learn(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t limit) {
  switch (p.recipe.order) {
    case Order::random_mistake: return learn_random_mistakes(s, p, work, trace, limit);
    case Order::working_set: return learn_working_set(s, p, work, trace, limit);
    default: return learn_in_passes(s, p, work, trace, limit);
  }
}

void end_check(State& s, const Recipe& recipe, const bool whole) {
  if (whole && s.check_mistakes == 0.0 && rests_when_correct(recipe)) {
    mark_clean(s, recipe);
  } else if (whole && recipe.keep == Keep::best && s.check_mistakes < s.best_mistakes) {
    keep_best(s);
    s.best_mistakes = s.check_mistakes;
  }
  s.bar = s.run;
  s.run = 0;
  s.phase = Phase::learn;
}

// Checks all rows, or as many as show that these weights are not better.
void check(State& s, const Problem& p) {
  const auto begin = static_cast<std::size_t>(s.check_position);
  const std::size_t end = std::min(begin + rows_per_check(p.rows), p.rows.count);
  s.check_mistakes += evaluate(*p.functions, p.rows, p.labels, weights_of(s, p.recipe), p.recipe.loss, {begin, end},
                               p.threads, nullptr, nullptr)
                          .mistakes;
  s.visits += end - begin;
  s.check_position = end;
  const bool whole = end == p.rows.count;
  const double limit_of_mistakes = p.recipe.keep == Keep::best ? s.best_mistakes : std::numeric_limits<double>::min();
  if (whole || s.check_mistakes >= limit_of_mistakes) end_check(s, p.recipe, whole);
}

void take_batch_step(State& s, const Problem& p, const std::vector<double>& gradient, Trace& trace) {
  const double eta = common::step_size(p.recipe, static_cast<double>(s.steps));
  if (p.recipe.penalty != 0.0) common::shrink(s, 1.0 - eta * p.recipe.penalty, p.recipe.penalize_offset);
  ++s.updates;
  const double in_v = eta / s.scale;
  for (std::size_t i = 0; i < s.size(); ++i) s.v[i] += in_v * gradient[i];
  if (s.average_correction)
    for (std::size_t i = 0; i < s.size(); ++i) s.average_correction[i] -= s.scale_sum * in_v * gradient[i];
  for (std::size_t k = 0; k < s.planes; ++k) s.offset[k] += eta * gradient[s.size() + k];
  if (!trace.lines) return;
  const double no_margin = std::numeric_limits<double>::quiet_NaN();
  trace.lines[trace.size++] = {s.visits, -1, -1, no_margin, eta, common::norm_of_weights(s)};
}

// All misclassified rows at once. One pass is one step.
void learn_batch(State& s, const Problem& p, Workspace& work, Trace& trace) {
  work.gradient.resize(s.size() + s.planes);
  const Totals totals = evaluate(*p.functions, p.rows, p.labels, weights_of(s, p.recipe), p.recipe.loss,
                                 {0, p.rows.count}, p.threads, nullptr, work.gradient.data());
  if (!std::isfinite(totals.loss)) {
    s.overflow = true;
    return;
  }
  s.visits += p.rows.count;
  ++s.steps;
  ++s.pass;
  s.mistakes += totals.wrong_rows;
  s.mistake_weight += totals.mistakes;
  s.loss_sum += totals.loss;
  if (p.recipe.keep == Keep::best && totals.mistakes < s.best_mistakes) {
    keep_best(s);
    s.best_mistakes = totals.mistakes;
  }
  const bool gradient_is_zero =
      std::all_of(work.gradient.begin(), work.gradient.end(), [](double g) { return g == 0.0; });
  if (totals.wrong_rows == 0 && gradient_is_zero && p.recipe.penalty == 0.0) mark_clean(s, p.recipe);
  else take_batch_step(s, p, work.gradient, trace);
  if (p.recipe.keep == Keep::average) common::count_in_average(s);
}

}  // namespace

std::size_t rows_per_check(const RowsView& rows) noexcept {
  const std::size_t each = std::max<std::size_t>(rows.stored_values / std::max<std::size_t>(rows.count, 1), 1);
  return std::clamp<std::size_t>((std::size_t{1} << 22) / each, 1024, std::size_t{1} << 18);
}

void advance(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t budget,
             const std::uint64_t last_visit) {
  work.scratch.resize(p.rows.scratch_size());
  const std::uint64_t until = std::min(last_visit, s.visits + std::max<std::uint64_t>(budget, 1));
  while (s.visits < until && !s.clean && !s.overflow && !trace.full()) {
    if (p.recipe.order == Order::batch) learn_batch(s, p, work, trace);
    else if (s.phase == Phase::learn) learn(s, p, work, trace, until - s.visits);
    else if (p.recipe.order == Order::working_set) check_level(s, p, work);
    else check(s, p);
  }
}

}  // namespace rosenblatt
