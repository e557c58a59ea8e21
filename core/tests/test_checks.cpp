// Checks of all rows, the choice of working sets, and steps of whole batches, each held to a plain count or sum.
#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "loop/advance.hpp"
#include "loop/prepare_state.hpp"
#include "loop/working_set.hpp"
#include "system/mapped_file.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

// Rows of two numbers that w = (1, -1) has on their side, but for those in `wrong`. They count as rows of 4096 numbers,
// so that a slice of a check has 1024 of them.
struct Rows {
  std::vector<double> x;
  std::vector<std::int8_t> signs;
  Problem p;

  Rows(const std::size_t count, const std::vector<std::size_t>& wrong) : x(numbers(2 * count, 7)) {
    for (std::size_t i = 0; i < count; ++i) signs.push_back(x[2 * i] - x[2 * i + 1] > 0.0 ? 1 : -1);
    for (const std::size_t i : wrong) signs[i] = static_cast<std::int8_t>(-signs[i]);
    p.rows.count = count;
    p.rows.columns = p.rows.stored_columns = p.rows.stride = 2;
    p.rows.values = x.data();
    p.rows.stored_values = 4096 * count;
    p.labels.signs = signs.data();
    p.functions = find_functions(nullptr);
  }
  StateMemory state(const Order order, const Keep keep) {
    p.recipe.order = order;
    p.recipe.keep = keep;
    StateMemory s(1, 2, keep);
    s.seed = 5;
    prepare_state(s, keep, p);
    s.v[0] = 4.0;
    s.v[1] = -4.0;
    s.scale = 0.25;
    s.phase = Phase::check;
    return s;
  }
  double margin(const std::size_t i) const { return signs[i] * (x[2 * i] - x[2 * i + 1]); }
};

static constexpr std::uint64_t forever = std::uint64_t{1} << 40;

static void advance_by(State& s, const Problem& p, Workspace& work, const std::uint64_t budget) {
  Trace trace;
  advance(s, p, work, trace, budget, forever);
}

static void visits_are_as_many_as_allowed() {
  Rows rows(50, {});
  StateMemory s = rows.state(Order::cyclic, Keep::last);
  s.phase = Phase::learn;
  Workspace work;
  Trace trace;
  advance(s, rows.p, work, trace, 0, forever);  // at least one
  CHECK(s.visits == 1 && s.position == 1);
  advance(s, rows.p, work, trace, 1, forever);
  CHECK(s.visits == 2);
  advance(s, rows.p, work, trace, 5, forever);
  CHECK(s.visits == 7);
  advance(s, rows.p, work, trace, 5, 9);
  CHECK(s.visits == 9 && s.steps == 9 && s.run == 9);
}

// Where the memory for pages of a file is short, visits are made in parts, which are as many together.
static void short_memory_does_not_change_the_visits() {
  for (const Order order : {Order::cyclic, Order::shuffle, Order::random_mistake}) {
    Rows rows(60, {5, 20, 40});
    std::vector<double> weights[2];
    for (const std::int64_t budget : {unlimited, std::int64_t{1}}) {  // 16 visits, and then the memory is measured
      StateMemory s = rows.state(order, Keep::last);
      s.phase = Phase::learn;
      page_budget.store(budget);
      Workspace work;
      advance_by(s, rows.p, work, 50);
      CHECK(s.visits == 50 && s.steps == 50 && s.position == 50 && s.updates >= 3);
      weights[budget == 1].assign(s.v, s.v + 2);
    }
    CHECK(weights[0] == weights[1]);
  }
  page_budget.store(unlimited);
}

// Three mistakes in the slices 0, 1 and 1 of three. The pocket's weights, which make so many, end the check early.
static void checks_end_where_the_weights_are_not_better() {
  const double none = std::numeric_limits<double>::infinity();
  for (const auto& [known, visits, better] : {std::tuple{none, 3000u, true},
                                              {4.0, 3000u, true},
                                              {3.0, 2048u, false},
                                              {2.0, 2048u, false},
                                              {1.0, 1024u, false}})
    for (const Loss loss : {Loss::perceptron, Loss::hinge}) {
      Rows rows(3000, {10, 1030, 2000});
      rows.p.recipe.loss = loss;
      StateMemory s = rows.state(Order::random_mistake, Keep::best);
      s.best_mistakes = known;
      s.run = 77;
      s.offset[0] = 1e-9;
      Workspace work;
      for (std::uint64_t slice = 1024; s.phase == Phase::check; slice += 1024) {
        advance_by(s, rows.p, work, 1);
        CHECK(s.visits == std::min<std::uint64_t>(slice, 3000) && s.check_position == s.visits);
      }
      CHECK(s.visits == visits && !s.clean && s.bar == 77 && s.run == 0 && s.steps == 0);
      CHECK(s.best_mistakes == (better ? 3.0 : known));
      CHECK(s.best[0] == (better ? 1.0 : 0.0) && s.best[1] == (better ? -1.0 : 0.0));
      CHECK(s.best_offset[0] == (better ? 1e-9 : 0.0));
    }
}

static void mistakes_count_by_the_weights_of_their_rows() {
  Rows rows(1500, {3, 1400});
  std::vector<double> weights(1500, 9.0);
  weights[3] = 0.25;
  weights[1400] = 2.0;
  rows.p.labels.weights = weights.data();
  StateMemory s = rows.state(Order::random_mistake, Keep::best);
  Workspace work;
  advance_by(s, rows.p, work, 1500);
  CHECK(s.best_mistakes == 2.25 && s.visits == 1500 && s.phase == Phase::learn);
}

// Without a pocket one mistake is enough to go on.
static void checks_without_a_pocket_end_with_the_slice_of_a_mistake() {
  for (const std::size_t wrong : {0u, 1023u, 1024u, 2999u}) {
    Rows rows(3000, {wrong});
    StateMemory s = rows.state(Order::random_mistake, Keep::last);
    Workspace work;
    advance_by(s, rows.p, work, 1);
    while (s.phase == Phase::check) advance_by(s, rows.p, work, 1);
    CHECK(s.visits == std::min<std::size_t>((wrong / 1024 + 1) * 1024, 3000) && !s.clean);
  }
}

// Weights without a mistake rest if correct rows do not push and nothing shrinks them.
static void checks_without_a_mistake_end_a_run_that_rests() {
  const auto ends = [](const Keep keep, const Loss loss, const double penalty, const double margin) {
    Rows rows(1100, {});
    rows.p.recipe.loss = loss;
    rows.p.recipe.penalty = penalty;
    rows.p.recipe.margin = margin;
    StateMemory s = rows.state(Order::random_mistake, keep);
    Workspace work;
    advance_by(s, rows.p, work, 1);
    CHECK(!s.clean && s.phase == Phase::check);
    advance_by(s, rows.p, work, 1);
    CHECK(s.visits == 1100 && s.phase == Phase::learn);
    if (keep == Keep::best) CHECK(s.best_mistakes == 0.0 && s.best[0] == 1.0);
    return s.clean;
  };
  for (const Keep keep : {Keep::last, Keep::best}) {
    CHECK(ends(keep, Loss::perceptron, 0.0, 0.0));
    CHECK(!ends(keep, Loss::hinge, 0.0, 0.0));
    CHECK(!ends(keep, Loss::perceptron, 0.1, 0.0));
    CHECK(!ends(keep, Loss::perceptron, 0.0, 0.1));
  }
}

// A run of correct visits as long as the data starts a check, which begins anew.
static void long_runs_start_checks() {
  for (const std::uint64_t run : {1099u, 1100u, 1101u})
    for (const Loss loss : {Loss::perceptron, Loss::hinge}) {
      Rows rows(1100, {1090});
      rows.p.recipe.loss = loss;
      StateMemory s = rows.state(Order::random_mistake, Keep::last);
      s.phase = Phase::learn;
      s.check_position = 9;
      s.check_mistakes = 3.0;
      s.run = run;
      s.v[0] = 4e9;  // so that no visit pushes
      s.v[1] = -4e9;
      Workspace work;
      advance_by(s, rows.p, work, 1);
      const bool checks = run >= 1100 && loss == Loss::perceptron;
      CHECK((s.check_position == 1024) == checks && s.visits == (checks ? 1024 : 1));
      if (checks) CHECK(s.check_mistakes == 0.0 && s.phase == Phase::check && s.steps == 0);
    }
}

// Each epoch of visits halves the run that the next check needs, but not where rows are seen once.
static void epochs_halve_the_bar() {
  for (const bool stream : {false, true})
    for (const Order order : {Order::random_mistake, Order::cyclic}) {
      Rows rows(40, {});
      rows.p.recipe.stream = stream;
      StateMemory s = rows.state(order, Keep::best);
      s.phase = Phase::learn;
      s.bar = 1000;
      Workspace work;
      for (const std::uint64_t budget : {39u, 1u, 39u, 1u}) {
        s.run = 0;  // so that no check begins
        advance_by(s, rows.p, work, budget);
        const std::uint64_t epochs = s.steps / 40;
        CHECK(s.bar == (stream ? 1000u : 1000u >> epochs) && s.phase == Phase::learn);
        s.clean = false;
      }
      CHECK(s.steps == 80);
    }
}

// Each level has the quarter of the rows above with the smallest margins, in row order; random bits decide ties.
static void working_sets_are_the_rows_of_smallest_margin() {
  for (const std::size_t resumed : {0u, 1u, 3u, 99u}) {  // slices after which the buffers are lost
    Rows rows(5000, {4000});
    for (double& value : rows.x) value = std::round(4.0 * value) / 4.0;
    StateMemory s = rows.state(Order::working_set, Keep::last);
    s.run = s.position = 11;
    Workspace first, second;
    for (std::size_t slice = 0; s.phase == Phase::check; ++slice) {
      CHECK(s.visits == 1024 * slice && s.check_position == s.visits && s.level == 0);
      advance_by(s, rows.p, slice < resumed ? first : second, 1);
    }
    CHECK(s.visits == 5000 && s.level == 3 && !s.clean);
    CHECK(s.check_position == 0 && s.run == 0 && s.position == 0 && s.check_mistakes == 0.0);
    std::vector<std::uint32_t> level(5000);
    std::iota(level.begin(), level.end(), 0u);
    const std::uint32_t* members = s.working_sets;
    for (const std::size_t size : {1250u, 312u, 78u}) {
      std::sort(level.begin(), level.end(), [&](const std::uint32_t a, const std::uint32_t b) {
        return std::tuple(rows.margin(a), random_bits(5, a)) < std::tuple(rows.margin(b), random_bits(5, b));
      });
      level.resize(size);
      std::sort(level.begin(), level.end());
      CHECK(std::equal(level.begin(), level.end(), members));
      members += size;
    }
  }
}

// A level without a mistake leads to the one above, and that of all rows to the end.
static void levels_without_mistakes_lead_upwards() {
  Rows rows(5000, {});
  StateMemory s = rows.state(Order::working_set, Keep::last);
  std::uint32_t next = 0;
  for (std::size_t k = 0; k < 1250 + 312 + 78; ++k) s.working_sets[k] = next++ % 5000;
  s.phase = Phase::learn;
  s.level = 3;
  s.run = s.position = 78;
  Workspace work;
  advance_by(s, rows.p, work, 312);
  CHECK(s.phase == Phase::check && s.level == 1 && s.visits == 312 && s.check_position == 0);
  advance_by(s, rows.p, work, 1);
  CHECK(s.level == 1 && s.visits == 312 + 1024 && s.check_position == 1024);
  advance_by(s, rows.p, work, 1);
  CHECK(s.level == 0 && s.visits == 312 + 1250 && s.check_position == 0 && !s.clean);
  while (!s.clean) advance_by(s, rows.p, work, 1);
  CHECK(s.visits == 312 + 1250 + 5000 && s.steps == 0 && s.level == 0);
}

// Rows of a level are visited in turns, until a run has all of them.
static void the_lowest_level_is_visited_in_turns() {
  Rows rows(300, {});
  StateMemory s = rows.state(Order::working_set, Keep::last);
  s.phase = Phase::learn;
  s.level = 1;
  for (std::uint32_t k = 0; k < 75; ++k) s.working_sets[k] = 4 * k;
  s.run = 40;
  s.position = 60;
  Workspace work;
  advance_by(s, rows.p, work, 15);
  CHECK(s.position == 0 && s.run == 55 && s.visits == 15);
  advance_by(s, rows.p, work, 20);
  CHECK(s.position == 20 && s.run == 75 && s.phase == Phase::learn);
  advance_by(s, rows.p, work, 300);
  CHECK(s.clean && s.visits == 335 && s.steps == 35);
}

// Steps of whole batches: w and its mean, its mistakes and its losses, by plain sums.
static void batches_move_by_sums(const Loss loss, const double penalty, const Keep keep, const std::size_t planes) {
  Rows rows(40, {3, 9, 20});
  std::vector<double> weights = numbers(40, 3);
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < 40; ++i) weights[i] += 2.0, codes.push_back(static_cast<std::int32_t>(i % planes));
  Problem& p = rows.p;
  p.labels.weights = weights.data();
  if (planes > 1) p.labels.signs = nullptr, p.labels.codes = codes.data();
  p.recipe = {.loss = loss, .order = Order::batch, .keep = keep, .eta0 = 0.01, .penalty = penalty};
  p.recipe.penalize_offset = true;
  p.recipe.offset_value = 0.5;
  StateMemory s(planes, 2, keep);
  std::vector<double> w(3 * planes, 0.0), sum(w), best(w);
  double mistake_weight = 0.0, loss_sum = 0.0, fewest = std::numeric_limits<double>::infinity();
  std::uint64_t mistakes = 0;
  Workspace work;
  std::vector<Trace::Line> lines(9);
  for (std::uint64_t pass = 1; pass <= 9; ++pass) {
    std::vector<double> gradient(3 * planes, 0.0);
    double wrong = 0.0;
    for (std::size_t i = 0; i < 40; ++i) {
      const double row[] = {rows.x[2 * i], rows.x[2 * i + 1], 0.5};
      std::vector<double> scores;
      for (std::size_t k = 0; k < planes; ++k) scores.push_back(std::inner_product(row, row + 3, &w[3 * k], 0.0));
      std::size_t own = planes > 1 ? static_cast<std::size_t>(codes[i]) : 0, rival = own ? 0 : 1;
      for (std::size_t k = 0; k < planes; ++k)
        if (k != own && scores[k] > scores[rival]) rival = k;
      const double sign = planes > 1 ? 1.0 : rows.signs[i];
      const double margin = planes > 1 ? scores[own] - scores[rival] : sign * scores[0];
      if (margin <= 0.0) ++mistakes, wrong += weights[i];
      const double short_of = loss == Loss::hinge ? 1.0 - margin : -margin;
      if (short_of < 0.0 || (short_of == 0.0 && loss == Loss::hinge)) continue;
      loss_sum += weights[i] * short_of;
      for (std::size_t j = 0; j < 3; ++j) {
        gradient[3 * own + j] += weights[i] * sign * row[j];
        if (planes > 1) gradient[3 * rival + j] -= weights[i] * row[j];
      }
    }
    mistake_weight += wrong;
    if (wrong < fewest) best = w, fewest = wrong;
    for (std::size_t j = 0; j < w.size(); ++j) sum[j] += w[j] = (1.0 - 0.01 * penalty) * w[j] + 0.01 * gradient[j];
    Trace trace{lines.data(), pass, pass - 1};
    advance(s, p, work, trace, 1, forever);
    CHECK(s.visits == 40 * pass && s.steps == pass && s.pass == pass && s.updates == pass && s.mistakes == mistakes);
    CHECK(trace.size == pass && lines[pass - 1].visit == s.visits && lines[pass - 1].row == -1);
    double norm = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) norm += j % 3 == 2 ? 0.0 : w[j] * w[j];
    CHECK(std::abs(lines[pass - 1].norm - std::sqrt(norm)) < 1e-12 && lines[pass - 1].change == 0.01);
  }
  CHECK(std::abs(s.mistake_weight - mistake_weight) < 1e-9 && std::abs(s.loss_sum - loss_sum) < 1e-9 && !s.clean);
  std::vector<double> v(2 * planes), b(planes);
  s.copy_kept_weights(v.data(), b.data());
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double expected = keep == Keep::average ? sum[j] / 9.0 : keep == Keep::best ? best[j] : w[j];
    CHECK(std::abs((j % 3 == 2 ? b[j / 3] : v[j / 3 * 2 + j % 3]) - expected) < 1e-12);
  }
}

int main() {
  visits_are_as_many_as_allowed();
  short_memory_does_not_change_the_visits();
  checks_end_where_the_weights_are_not_better();
  mistakes_count_by_the_weights_of_their_rows();
  checks_without_a_pocket_end_with_the_slice_of_a_mistake();
  checks_without_a_mistake_end_a_run_that_rests();
  long_runs_start_checks();
  epochs_halve_the_bar();
  working_sets_are_the_rows_of_smallest_margin();
  levels_without_mistakes_lead_upwards();
  the_lowest_level_is_visited_in_turns();
  for (const Loss loss : {Loss::perceptron, Loss::hinge})
    for (const double penalty : {0.0, 3.0, 50.0})
      for (const Keep keep : {Keep::last, Keep::average, Keep::best})
        for (const std::size_t planes : {1u, 3u}) batches_move_by_sums(loss, penalty, keep, planes);
  return report();
}
