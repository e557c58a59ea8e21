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
  s.check_position = 0;
  s.check_mistakes = 0.0;
}

// The bar that runs must beat is raised by every check and falls by half with every epoch of visits: luck, or weights
// that the runs do not see, would otherwise keep better weights from being checked for ever.
void lower_bar(State& s, const Problem& p, const std::uint64_t before) {
  if (!p.recipe.stream && s.steps / p.rows.count > before / p.rows.count) s.bar /= 2;
}

void visit_rows(State& s, const Problem& p, Workspace& work, Trace& trace, const std::span<const std::uint32_t> rows,
                const std::uint64_t count) {
  const auto visit = p.kernels->visit[static_cast<std::size_t>(p.rows.kind)][static_cast<std::size_t>(p.recipe.loss)]
                                     [p.labels.signs ? 0 : 1];
  const std::uint64_t before = s.steps;
  const std::size_t listed = std::min<std::size_t>(count, rows.size());
  for (std::size_t done = 0, asked = 0, made = 0; done < listed && made == asked; done += made) {
    asked = visits_with_room(listed - done);
    const ReadAhead reading(p.rows, rows.subspan(done, asked), s.visits, s.activation ? 1 : p.threads);
    made =
        visit(p.rows, p.labels, p.recipe, rows.data() + done, asked, rows.size() - done, work.scratch.data(), trace, s);
    s.position += made;
  }
  lower_bar(s, p, before);
}

// Every row once a pass.
void learn_in_passes(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t limit) {
  const std::uint64_t count = std::min<std::uint64_t>(limit, p.rows.count - s.position);
  visit_rows(s, p, work, trace, work.order.next(s, p.recipe.order, p.rows.count, count), count);
  if (s.phase == Phase::check) begin_check(s);
  if (s.position == p.rows.count) end_pass(s, p.recipe);
}

// Rows by lot; as many right ones in a row as there are rows call for a check of all.
void learn_by_lot(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t limit) {
  const std::uint64_t quota = rests_when_right(p.recipe) ? p.rows.count : ~std::uint64_t{0};
  if (s.run >= quota) return begin_check(s);
  const std::uint64_t epoch_left = p.rows.count - s.steps % p.rows.count;
  const std::uint64_t count = std::min({limit, quota - s.run, epoch_left, std::uint64_t{1024}});
  visit_rows(s, p, work, trace, work.order.next(s, p.recipe.order, p.rows.count, count), count);
  if (s.phase == Phase::check) begin_check(s);
}

// The lowest working set over and over, until every row of it is right.
void learn_hard_rows(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t limit) {
  if (!is_lowest(p.rows.count, s.level)) return begin_check(s);           // the beginning: nothing chosen yet
  const Selection level = level_rows(s, p.rows.count);
  if (s.run >= level.size()) {
    if (s.level == 0) return mark_clean(s, p.recipe);
    --s.level;
    s.run = s.position = 0;
    return begin_check(s);
  }
  const std::uint64_t count = std::min({limit, level.size() - s.position, level.size() - s.run});
  const auto rows = level.list ? std::span(level.list + s.position, level.size() - s.position)
                               : work.order.next(s, Order::cyclic, p.rows.count, count);
  visit_rows(s, p, work, trace, rows, count);
  if (s.position == level.size()) s.position = 0;
}

void learn(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t limit) {
  switch (p.recipe.order) {
    case Order::random_mistake: return learn_by_lot(s, p, work, trace, limit);
    case Order::working_set: return learn_hard_rows(s, p, work, trace, limit);
    default: return learn_in_passes(s, p, work, trace, limit);
  }
}

void end_check(State& s, const Recipe& recipe, const bool whole) {
  if (whole && s.check_mistakes == 0.0 && rests_when_right(recipe)) {
    mark_clean(s, recipe);
  } else if (whole && recipe.keep == Keep::best && s.check_mistakes < s.best_mistakes) {
    keep_best(s);
    s.best_mistakes = s.check_mistakes;
  }
  s.bar = s.run;
  s.run = 0;
  s.phase = Phase::learn;
}

// All rows, or as many as it takes to see that these weights will not do.
void check(State& s, const Problem& p) {
  const auto begin = static_cast<std::size_t>(s.check_position);
  const std::size_t end = std::min(begin + check_rows(p.rows), p.rows.count);
  s.check_mistakes += inspect(*p.kernels, p.rows, p.labels, weights_of(s, p.recipe), p.recipe.loss, {begin, end},
                              p.threads, nullptr, nullptr)
                          .mistakes;
  s.visits += end - begin;
  s.check_position = end;
  const bool whole = end == p.rows.count;
  const double enough = p.recipe.keep == Keep::best ? s.best_mistakes : std::numeric_limits<double>::min();
  if (whole || s.check_mistakes >= enough) end_check(s, p.recipe, whole);
}

// All misclassified rows at once (notes 000). One pass is one step.
void batch(State& s, const Problem& p, Workspace& work, Trace& trace) {
  work.gradient.resize(s.size() + s.planes);
  const Totals totals = inspect(*p.kernels, p.rows, p.labels, weights_of(s, p.recipe), p.recipe.loss, {0, p.rows.count},
                                p.threads, nullptr, work.gradient.data());
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
    if (trace.lines)
      trace.lines[trace.size++] = {s.visits, -1, -1, std::numeric_limits<double>::quiet_NaN(), eta, common::norm_of(s)};
  }
  if (p.recipe.keep == Keep::average) common::count_in_average(s);
}

}  // namespace

std::size_t check_rows(const RowsView& rows) noexcept {
  const std::size_t each = std::max<std::size_t>(rows.stored_values / std::max<std::size_t>(rows.count, 1), 1);
  return std::clamp<std::size_t>((std::size_t{1} << 22) / each, 1024, std::size_t{1} << 18);
}

void advance(State& s, const Problem& p, Workspace& work, Trace& trace, const std::uint64_t budget,
             const std::uint64_t last_visit) {
  work.scratch.resize(p.rows.scratch_size());
  const std::uint64_t until = std::min(last_visit, s.visits + std::max<std::uint64_t>(budget, 1));
  while (s.visits < until && !s.clean && !s.overflow && !trace.full()) {
    if (p.recipe.order == Order::batch) batch(s, p, work, trace);
    else if (s.phase == Phase::learn) learn(s, p, work, trace, until - s.visits);
    else if (p.recipe.order == Order::working_set) check_level(s, p, work);
    else check(s, p);
  }
}

}  // namespace rosenblatt
