// Visits of rows, held to a plain loop that follows the definitions, for every step, penalty and mean.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "loop/prepare_state.hpp"
#include "tests/plain_visits.hpp"

using namespace rosenblatt;

static bool near(const double a, const double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }

static void visits_follow_the_definitions(const Recipe& recipe, const bool sparse, const std::size_t planes,
                                          const bool weighted) {
  const Rows rows(sparse, planes, recipe, weighted);
  Plain plain(rows, planes);
  StateMemory s(planes, columns, recipe.keep);
  prepare_state(s, recipe.keep, rows.p);
  Workspace work;
  std::vector<Trace::Line> lines(200);
  Trace trace{lines.data(), 200, 0};
  for (const std::uint64_t last : {1u, 2u, 50u, 61u, 150u}) {
    while (plain.visits < last) plain.visit(plain.visits % count);
    advance(s, rows.p, work, trace, 1u << 20, last);
    CHECK(s.visits == last && s.steps == last && s.updates == plain.updates && s.mistakes == plain.mistakes);
    CHECK(s.run == plain.run && s.pass == last / count && s.position == last % count && !s.overflow && !s.clean);
    CHECK(near(s.loss_sum + std::log(s.loss_product), plain.loss_sum) && near(s.mistake_weight, plain.mistake_weight));
    Vector w(s.size()), b(planes);
    s.copy_kept_weights(w.data(), b.data());
    const bool pocket = plain.bar > 0 && plain.bar >= plain.run;
    for (std::size_t k = 0; k < planes; ++k)
      for (std::size_t j = 0; j < full_size; ++j) {
        const double expected = recipe.keep == Keep::average          ? plain.sum[k][j] / static_cast<double>(last)
                                : recipe.keep == Keep::best && pocket ? plain.best[k][j]
                                                                      : plain.w[k][j];
        CHECK(near(j == columns ? b[k] : w[k * columns + j], expected));
      }
  }
  CHECK(trace.size == plain.lines.size() && trace.size == s.updates && trace.size > 10);
  for (std::size_t k = 0; k < trace.size; ++k) {
    const Trace::Line &a = lines[k], &b = plain.lines[k];
    CHECK(a.visit == b.visit && a.row == b.row && a.rival == b.rival && near(a.margin, b.margin));
    CHECK(near(a.change, b.change) && near(a.norm, b.norm));
  }
}

static const Recipe recipes[] = {
    {},
    {.eta0 = 0.5, .margin = 0.3, .offset_value = 2.0},
    {.loss = Loss::hinge, .step = Step::inverse, .eta0 = 0.8, .penalty = 0.1, .penalize_offset = true},
    {.loss = Loss::hinge, .step = Step::pegasos, .penalty = 0.05},
    {.loss = Loss::hinge, .step = Step::pegasos, .penalty = 0.05, .offset_value = 0.5, .penalize_offset = true},
    {.loss = Loss::hinge, .eta0 = 0.5, .penalty = 1.9},  // the scale changes its sign, and is soon below 1e-9
    {.loss = Loss::squared_hinge, .step = Step::inverse_sqrt, .eta0 = 0.1, .penalty = 0.01},
    {.loss = Loss::logistic, .step = Step::inverse_sqrt, .eta0 = 0.5, .penalty = 0.01},
    {.loss = Loss::hinge, .step = Step::pa},
    {.loss = Loss::hinge, .step = Step::pa1, .aggressiveness = 0.2},
    {.loss = Loss::hinge, .step = Step::pa2, .aggressiveness = 0.3, .offset_value = 0.0},
    {.step = Step::alma, .eta0 = 1.4, .margin = 0.5},
    {.step = Step::alma, .eta0 = 0.3, .margin = 0.2, .offset_value = 0.0},
    {.loss = Loss::hinge, .step = Step::diagonal, .aggressiveness = 0.5},
    {.loss = Loss::hinge, .step = Step::full, .aggressiveness = 2.0, .offset_value = 0.7},
    {.loss = Loss::hinge, .step = Step::full, .eta0 = 0.1, .aggressiveness = 0.5, .penalty = 0.2},
    {.loss = Loss::hinge, .step = Step::diagonal, .eta0 = 0.1, .penalty = 0.2},
};
static const Recipe l1_recipes[] = {
    {.loss = Loss::logistic, .step = Step::inverse_sqrt, .eta0 = 0.5, .l1 = 0.05},
    {.loss = Loss::hinge, .eta0 = 0.1, .l1 = 0.2},
    {.loss = Loss::hinge, .step = Step::inverse, .eta0 = 0.8, .penalty = 0.1, .l1 = 0.1},
    {.loss = Loss::hinge, .step = Step::pegasos, .penalty = 0.1, .l1 = 0.02, .offset_value = 0.0},
};

static void every_recipe_follows_the_definitions() {
  for (const bool sparse : {false, true})
    for (const std::size_t planes : {1u, 3u})
      for (const bool weighted : {false, true}) {
        for (Recipe recipe : recipes)
          for (const Keep keep : {Keep::last, Keep::average, Keep::best}) {
            recipe.keep = keep;
            recipe.stream = true;
            visits_follow_the_definitions(recipe, sparse, planes, weighted);
          }
        for (Recipe recipe : l1_recipes)
          for (const Keep keep : {Keep::last, Keep::best}) {
            recipe.keep = keep;
            recipe.stream = true;
            visits_follow_the_definitions(recipe, sparse, planes, weighted);
          }
      }
}

// Losses with a logarithm are summed as a product, until that is large: 2000 visits bring it there more than once.
static void long_sums_of_losses_add_up() {
  for (const bool weighted : {false, true}) {
    const Rows rows(false, 1, {.loss = Loss::logistic, .eta0 = 0.001, .stream = true}, weighted);
    Plain plain(rows, 1);
    StateMemory s(1, columns, Keep::last);
    Workspace work;
    Trace trace;
    while (plain.visits < 2000) plain.visit(plain.visits % count);
    advance(s, rows.p, work, trace, 1u << 20, 2000);
    CHECK(near(s.loss_sum + std::log(s.loss_product), plain.loss_sum) && s.loss_product < 0x1p512);
    CHECK(s.loss_sum > 300.0);
  }
}

// Where rows can be checked, a mistake after a long run moves nothing before the check.
static void mistakes_after_long_runs_wait_for_a_check() {
  for (const std::uint64_t run : {3u, 4u, 5u}) {
    const Rows rows(false, 1, {.keep = Keep::best}, false);
    StateMemory s(1, columns, Keep::best);
    s.run = run;
    s.bar = 4;
    Workspace work;
    Trace trace;
    advance(s, rows.p, work, trace, 1, 1);  // w is 0, so the first row is a mistake
    const bool checked = run == 5;  // all 60 rows, which are mistakes of w = 0
    CHECK(s.visits == (checked ? 60 : 1) && s.steps == (checked ? 0 : 1) && s.mistakes == (checked ? 0 : 1));
    CHECK(s.bar == std::max<std::uint64_t>(run, 4) && s.run == 0 && (s.best_mistakes == 60.0) == checked);
  }
}

// One row of two numbers, seen by these weights.
struct OneRow {
  double x[2], v[2];
  std::int8_t sign = 1;
  Recipe recipe;
};

static StateMemory state_after(const OneRow& one, const std::uint64_t visits) {
  Problem p;
  p.rows.count = 1;
  p.rows.columns = p.rows.stored_columns = p.rows.stride = 2;
  p.rows.values = one.x;
  p.rows.stored_values = 2;
  p.labels.signs = &one.sign;
  p.recipe = one.recipe;
  p.recipe.stream = true;
  p.functions = find_functions(nullptr);
  StateMemory s(1, 2, p.recipe.keep);
  prepare_state(s, p.recipe.keep, p);
  std::copy(one.v, one.v + 2, s.v);
  Workspace work;
  Trace trace;
  advance(s, p, work, trace, visits, visits);
  return s;
}

// A run is void where a margin is not finite, or a norm that a step needs. Norms that no step needs may overflow.
static void runs_with_numbers_that_are_not_finite_are_void() {
  const double nothing = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  const Recipe plain{.loss = Loss::hinge}, pa{.loss = Loss::hinge, .step = Step::pa};
  for (const double value : {nothing, infinite, -infinite}) {
    const StateMemory s = state_after({{value, 1.0}, {1.0, 1.0}, 1, plain}, 3);
    CHECK(s.overflow && s.visits == 0 && s.updates == 0 && s.mistakes == 0 && s.run == 0);
  }
  const StateMemory long_row = state_after({{1e200, 1.0}, {0.0, -5.0}, 1, pa}, 3);
  CHECK(long_row.overflow && long_row.visits == 0 && long_row.v[0] == 0.0);
  const StateMemory at_rest = state_after({{1e200, 1.0}, {0.0, 5.0}, 1, pa}, 3);
  CHECK(!at_rest.overflow && at_rest.visits == 3 && at_rest.updates == 0 && at_rest.run == 3);
  const StateMemory fixed = state_after({{1e200, 1.0}, {0.0, -5.0}, 1, plain}, 1);
  CHECK(!fixed.overflow && fixed.visits == 1 && fixed.v[0] == 1e200 && fixed.updates == 1);
}

// A row of zeros has no direction to move in.
static void empty_rows_do_not_move_w() {
  for (const Step step : {Step::pa, Step::pa1, Step::alma}) {
    Recipe recipe{.loss = step == Step::alma ? Loss::perceptron : Loss::hinge, .step = step, .offset_value = 0.0};
    const StateMemory s = state_after({{0.0, 0.0}, {0.25, 0.5}, -1, recipe}, 2);
    CHECK(s.v[0] * s.scale == 0.25 && s.v[1] * s.scale == 0.5 && s.mistakes == 2 && s.updates == 2 && !s.overflow);
  }
}

// Weights that another run has learned are projected into the unit ball, and their covariance is the identity.
static void states_are_prepared_for_their_steps() {
  Rows rows(false, 3, {.step = Step::alma}, false);
  for (const double size : {0.25, 1.0, 4.0}) {
    StateMemory s(3, columns, Keep::last);
    const Vector w(12, size / 4.0), b{0.0, size / 2.0, 0.0};  // 12 (size / 4)^2 + (size / 2)^2 = size^2
    s.set_weights(w.data(), b.data());
    s.scale = 0.5;
    for (std::size_t i = 0; i < 12; ++i) s.v[i] *= 2.0;
    prepare_state(s, Keep::last, rows.p);
    const double kept = std::min(size, 1.0);
    CHECK(near(s.squared_norm, kept * kept) && near(s.scale * s.v[11], kept / 4.0) && near(s.offset[1], kept / 2.0));
  }
  for (const Step step : {Step::alma, Step::constant}) {  // a known norm, and a step that needs none
    rows.p.recipe.step = step;
    StateMemory s(3, columns, Keep::last);
    s.v[0] = 2.0;
    s.squared_norm = step == Step::alma ? 0.25 : -1.0;
    prepare_state(s, Keep::last, rows.p);
    CHECK(s.scale * s.v[0] == 2.0 && s.squared_norm == (step == Step::alma ? 0.25 : -1.0));
  }
  for (const Step step : {Step::diagonal, Step::full}) {
    rows.p.recipe.step = step;
    StateMemory s(3, columns, Keep::last);
    prepare_state(s, Keep::last, rows.p);
    const std::size_t each = step == Step::full ? 25 : 5;
    CHECK(s.covariance_size() == 3 * each);
    for (std::size_t i = 0; i < 3 * each; ++i)
      CHECK(s.covariance[i] == (step == Step::diagonal || i % each % 6 == 0 ? 1.0 : 0.0));
    s.covariance[2] = 0.5;
    prepare_state(s, Keep::last, rows.p);
    CHECK(s.covariance[2] == 0.5);  // a run that goes on
  }
}

static bool refuses(const Rows& rows, StateMemory& s) {
  try {
    prepare_state(s, rows.p.recipe.keep, rows.p);
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

static void steps_that_do_not_go_together_are_refused() {
  Rows rows(false, 1, {.step = Step::full}, false);
  StateMemory s(1, columns, Keep::last);
  CHECK(!refuses(rows, s));
  rows.p.recipe.step = Step::diagonal;
  CHECK(refuses(rows, s));  // its covariance is full
  StateMemory kernel(1, columns, Keep::last);
  rows.p.rows.kernel_matrix = reinterpret_cast<const KernelMatrixView*>(rows.x.data());  // is not read
  CHECK(refuses(rows, kernel));
  const auto refused = [](const Order order, const Keep keep, const bool penalize_offset) {
    const Rows some(false, 1, {.order = order, .keep = keep, .l1 = 0.1, .penalize_offset = penalize_offset}, false);
    StateMemory state(1, columns, keep);
    const bool is_refused = refuses(some, state);
    CHECK(is_refused || state.unclipped != nullptr);
    return is_refused;
  };
  CHECK(!refused(Order::cyclic, Keep::last, false) && !refused(Order::cyclic, Keep::best, false));
  CHECK(refused(Order::cyclic, Keep::average, false) && refused(Order::batch, Keep::last, false));
  CHECK(refused(Order::cyclic, Keep::last, true));
}

int main() {
  every_recipe_follows_the_definitions();
  long_sums_of_losses_add_up();
  mistakes_after_long_runs_wait_for_a_check();
  runs_with_numbers_that_are_not_finite_are_void();
  empty_rows_do_not_move_w();
  states_are_prepared_for_their_steps();
  steps_that_do_not_go_together_are_refused();
  return report();
}
