// Margins computed ahead of the visits: a row that they call resting has a margin beyond the one required, whatever
// moved w meanwhile, and training with them has the bits of training without.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "loop/advance.hpp"
#include "loop/state_memory.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

// Rows of multiples of 1/4, so that margins of exactly 0 occur, dense and as CSR. One label in `flipped` is wrong.
struct Data {
  std::size_t rows, columns;
  std::vector<double> x, values;
  std::vector<std::int32_t> indices, starts{0};
  std::vector<std::int8_t> signs;

  Data(const std::size_t n, const std::size_t d, const std::size_t flipped)
      : rows(n), columns(d), x(numbers(n * d, 1)) {
    for (double& number : x) number = std::round(4.0 * number) / 4.0;
    for (std::size_t i = 0; i < n; ++i) {
      double side = 0.1;
      for (std::size_t j = 0; j < d; ++j) {
        const double number = x[i * d + j];
        side += number * (j % 3 ? 1.0 : -2.0);
        if (number != 0.0) values.push_back(number), indices.push_back(static_cast<std::int32_t>(j));
      }
      starts.push_back(static_cast<std::int32_t>(values.size()));
      signs.push_back((side > 0.0) == (i % flipped != 0) ? 1 : -1);
    }
  }
  Problem problem(const bool sparse, const std::size_t threads) const {
    Problem p;
    p.rows.count = rows;
    p.rows.columns = p.rows.stored_columns = p.rows.stride = columns;
    p.rows.values = x.data();
    p.rows.stored_values = x.size();
    p.labels.signs = signs.data();
    p.functions = find_functions(nullptr);
    p.threads = threads;
    if (!sparse) return p;
    p.rows.kind = RowKind::csr_f64_i32;
    p.rows.values = values.data();
    p.rows.indices = indices.data();
    p.rows.starts = starts.data();
    p.rows.stored_values = values.size();
    return p;
  }
};

// Everything that a run leaves behind, as bits: a run that overflows may leave NaN.
static std::vector<std::uint64_t> train(const Problem& p, const std::uint64_t slice) {
  StateMemory s(1, p.rows.columns, p.recipe.keep);
  s.seed = 3;
  Workspace work;
  Trace trace;
  const std::uint64_t last = 3 * p.rows.count + 777;
  while (!s.clean && !s.overflow && s.visits < last) advance(s, p, work, trace, slice, last);
  std::vector<double> all(s.v, s.v + s.size()), w(s.size() + 1);
  s.copy_kept_weights(w.data(), w.data() + s.size());
  all.insert(all.end(), w.begin(), w.end());
  for (const std::uint64_t count : {s.visits, s.steps, s.updates, s.mistakes, s.run, s.bar, s.position, s.pass})
    all.push_back(static_cast<double>(count));
  all.insert(all.end(), {s.offset[0], s.loss_sum, s.mistake_weight, s.averaged, s.scale_sum, s.overflow ? 1.0 : 0.0});
  std::vector<std::uint64_t> bits(all.size());
  std::transform(all.begin(), all.end(), bits.begin(), [](double x) { return std::bit_cast<std::uint64_t>(x); });
  return bits;
}

static void threads_leave_the_same_bits(const Data& data) {
  for (const bool sparse : {false, true})
    for (const Loss loss : {Loss::perceptron, Loss::hinge, Loss::squared_hinge, Loss::modified_huber})
      for (const Step step : {Step::constant, Step::inverse_sqrt, Step::pa1})
        for (const Keep keep : {Keep::last, Keep::average, Keep::best}) {
          Problem one = data.problem(sparse, 1), two = data.problem(sparse, 2);
          one.recipe.loss = loss;
          one.recipe.step = step;
          one.recipe.keep = keep;
          one.recipe.eta0 = 0.01;
          one.recipe.margin = step == Step::inverse_sqrt ? 0.25 : 0.0;
          one.recipe.order = step == Step::pa1 ? Order::cyclic : Order::shuffle;
          two.recipe = one.recipe;
          const StateMemory s(1, data.columns, keep);
          CHECK(can_score_windows(*two.functions, two.rows, two.labels, two.recipe, s, two.threads));
          const auto expected = train(one, 1u << 20);
          CHECK(train(two, 1u << 20) == expected);
          if (keep == Keep::average) CHECK(train(two, 5000) == expected);
        }
}

// Rows are scored, then mistakes move w; slow truth computes the margins again.
static void resting_rows_stay_beyond_their_margin(const Data& data) {
  const Problem p = data.problem(false, 2);
  StateMemory s(1, data.columns, Keep::last);
  for (std::size_t j = 0; j < data.columns; ++j) s.v[j] = j % 3 ? 10.0 : -20.0;
  const std::size_t count = 4096;
  std::vector<std::uint32_t> order(count);
  for (std::size_t k = 0; k < count; ++k) order[k] = static_cast<std::uint32_t>(k);
  const auto margin = [&](const std::size_t i) {
    double sum = s.offset[0];
    for (std::size_t j = 0; j < data.columns; ++j) sum += s.v[j] * data.x[i * data.columns + j];
    return data.signs[i] * sum;
  };
  ScoreWindows windows;
  double norm = s.offset[0];
  for (std::size_t j = 0; j < data.columns; ++j) norm = std::hypot(norm, s.v[j]);
  ScoreWindow window = windows.score(*p.functions, p.rows, p.labels, p.recipe, s, order, norm, 2);
  std::size_t resting = 0, at_risk = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (margin(k) <= 0.0) {
      window.count_move(k, margin(k), 1.0);
      for (std::size_t j = 0; j < data.columns; ++j) s.v[j] += data.signs[k] * data.x[k * data.columns + j];
      s.offset[0] += data.signs[k];
    }
    for (std::size_t i = k; i < k + 8 && i < count; ++i) {
      const bool rests = window.count_resting(i, i + 1) == 1;
      ++(rests ? resting : at_risk);
      CHECK(!rests || margin(i) > 0.0);
    }
  }
  CHECK(resting > 0 && at_risk > 0);
}

// Windows learn from their visits: calm rows have the longest, and rows of which many move w have pauses, which end.
static void windows_follow_the_rows(const Data& calm, const Data& noisy) {
  const auto next_size = [](const Data& data, Workspace& work, const std::uint64_t visits) {
    Problem p = data.problem(false, 2);
    p.recipe.eta0 = 1e-6;
    StateMemory s(1, data.columns, Keep::last);
    for (std::size_t j = 0; j < data.columns; ++j) s.v[j] = j % 3 ? 1.0 : -2.0;
    s.offset[0] = 0.1;
    Trace trace;
    advance(s, p, work, trace, visits, visits);
    return work.windows.next_size(1u << 20);
  };
  Workspace work;
  CHECK(next_size(calm, work, 16384) == 8192);
  CHECK(next_size(noisy, work, 24000) <= 128);
  CHECK(next_size(calm, work, 24000 * 3) == 8192);
}

// Rows and steps so small that squares underflow, next to usual ones.
static void underflow_leaves_the_same_bits(Data data) {
  for (const double scale : {1e-155, 1e-170, 1e-300}) {
    for (const bool rows : {false, true}) {
      Data small = data;
      if (rows)
        for (std::size_t i = 0; i < small.rows * small.columns; ++i)
          if (i / small.columns % 3) small.x[i] *= scale;
      Problem one = small.problem(false, 1), two = small.problem(false, 2);
      one.recipe.eta0 = rows ? 1.0 : scale;
      one.recipe.offset_value = rows ? 0.0 : 1.0;
      two.recipe = one.recipe;
      CHECK(train(two, 1u << 20) == train(one, 1u << 20));
    }
  }
}

// A margin that is not finite ends the run at the same visit.
static void rows_that_are_not_finite_are_visited(Data data) {
  data.x[15000 * data.columns + 2] = std::numeric_limits<double>::quiet_NaN();
  const auto expected = train(data.problem(false, 1), 1u << 20);
  CHECK(std::bit_cast<double>(expected.back()) == 1.0);
  CHECK(train(data.problem(false, 2), 1u << 20) == expected);
}

int main() {
  const Data nearly_separable(24000, 16, 500), overlapping(24000, 16, 5);
  threads_leave_the_same_bits(nearly_separable);
  threads_leave_the_same_bits(overlapping);
  resting_rows_stay_beyond_their_margin(nearly_separable);
  resting_rows_stay_beyond_their_margin(Data(4096, 1, 100));  // rows along few directions: the bound is tight
  windows_follow_the_rows(Data(24000, 16, 24000), Data(24000, 16, 2));
  underflow_leaves_the_same_bits(nearly_separable);
  rows_that_are_not_finite_are_visited(nearly_separable);
  return report();
}
