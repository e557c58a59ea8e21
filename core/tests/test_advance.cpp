// The resumable call: on separable rows every order ends without mistakes, with the same result for any slice size and
// any number of threads. A stream scores each row by the weights that it would return just before the row.
#include <algorithm>
#include <limits>

#include "loop/advance.hpp"
#include "loop/predict_and_advance.hpp"
#include "loop/state_memory.hpp"
#include "loop/working_set.hpp"
#include "passes/passes.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

struct Data {
  std::size_t rows, columns;
  std::vector<double> x;
  std::vector<std::int8_t> signs;
  std::vector<std::int32_t> codes;

  Data(const std::size_t n, const std::size_t d, const std::uint64_t seed)
      : rows(n), columns(d), x(numbers(n * d, seed)) {
    for (std::size_t i = 0; i < n; ++i) {
      double side = 0.05;
      for (std::size_t j = 0; j < d; ++j) side += x[i * d + j] * (j % 2 ? -1.0 : 1.0);
      signs.push_back(side > 0 ? 1 : -1);
      codes.push_back(side > 0.5 ? 2 : side > -0.5 ? 1 : 0);
      x[i * d] += 0.2 * signs.back();
    }
  }
  Problem problem(const Order order, const Keep keep, const std::size_t threads, const bool joint = false) const {
    Problem p;
    p.rows.count = rows;
    p.rows.columns = p.rows.stored_columns = p.rows.stride = columns;
    p.rows.values = x.data();
    p.rows.stored_values = x.size();
    p.labels.signs = joint ? nullptr : signs.data();
    p.labels.codes = joint ? codes.data() : nullptr;
    p.recipe.order = order;
    p.recipe.keep = keep;
    p.functions = find_functions(nullptr);
    p.threads = threads;
    return p;
  }
};

struct Result {
  std::vector<double> w;
  std::uint64_t visits, updates;
  bool clean;
  bool operator==(const Result&) const = default;
};

static Result run(const Data& data, const Order order, const Keep keep, const std::uint64_t slice,
                  const std::size_t threads, const std::uint64_t limit, const bool joint = false) {
  StateMemory s(joint ? 3 : 1, data.columns, keep);
  s.seed = 5;
  s.reserve_working_sets(working_set_size(data.rows));
  Workspace work;
  Trace trace;
  const Problem p = data.problem(order, keep, threads, joint);
  while (!s.clean && s.visits < limit) advance(s, p, work, trace, slice, limit);
  std::vector<double> w(s.size()), b(s.planes);
  s.copy_kept_weights(w.data(), b.data());
  w.insert(w.end(), b.begin(), b.end());
  return {w, s.visits, s.updates, s.clean};
}

// Slow truth: copy the weights returned, score one row, learn it.
static void rows_are_scored_before_they_are_learned(const Data& data, const Keep keep, const bool joint,
                                                    const std::uint64_t slice) {
  Problem p = data.problem(Order::cyclic, keep, 1, joint);
  p.recipe.stream = true;
  p.recipe.penalty = 0.01;  // so that w = scale * v
  StateMemory fast(joint ? 3 : 1, data.columns, keep), slow(fast);
  Workspace work, slow_work;
  Trace trace;
  std::vector<double> scores(data.rows * fast.planes), expected(scores), w(fast.size()), b(fast.planes);
  while (fast.visits < data.rows) predict_and_advance(fast, p, work, {p.rows, scores.data()}, slice, data.rows);
  for (std::size_t i = 0; i < data.rows; ++i) {
    slow.copy_kept_weights(w.data(), b.data());
    p.functions->scores[index_of(p.rows.kind)](p.rows, {i, i + 1}, w.data(), slow.planes, 1.0, b.data(),
                                               p.recipe.offset_value, nullptr, expected.data() + i * slow.planes);
    advance(slow, p, slow_work, trace, 1, data.rows);
  }
  CHECK(scores == expected);
  CHECK(std::equal(fast.v, fast.v + fast.size(), slow.v));
}

// A batch moves w once, by all of its rows.
static void batches_are_scored_before_they_are_learned(const Data& data) {
  const Problem p = data.problem(Order::batch, Keep::last, 1);
  StateMemory s(1, data.columns, Keep::last);
  Workspace work;
  std::vector<double> scores(data.rows), expected(data.rows), w(s.size()), b(1);
  for (std::uint64_t pass = 1; pass <= 3; ++pass) {
    s.copy_kept_weights(w.data(), b.data());
    p.functions->scores[index_of(p.rows.kind)](p.rows, {0, data.rows}, w.data(), 1, 1.0, b.data(), 1.0, nullptr,
                                               expected.data());
    predict_and_advance(s, p, work, {p.rows, scores.data()}, 1, data.rows * pass);
    CHECK(scores == expected && s.pass == pass);
  }
  CHECK(s.updates > 1);
}

// A run stops when its trace is full, and goes on with an empty one: every move is in one of them.
static void full_traces_stop_a_run(const Data& data, const Order order, const Keep keep, const bool joint) {
  const Problem p = data.problem(order, keep, 1, joint);
  StateMemory s(joint ? 3 : 1, data.columns, keep);
  s.seed = 5;
  s.reserve_working_sets(working_set_size(data.rows));
  Workspace work;
  std::vector<Trace::Line> lines(4);
  std::uint64_t moves = 0;
  while (!s.clean && s.visits < 3000) {
    Trace trace{lines.data(), 3, 0};  // the fourth line must stay as it is
    lines[3].row = -7;
    advance(s, p, work, trace, 1u << 20, 3000);
    CHECK(trace.size <= 3 && lines[3].row == -7);
    CHECK(trace.full() || s.clean || s.visits >= 3000);
    for (std::size_t k = 0; k < trace.size; ++k) {
      CHECK(order == Order::batch ? lines[k].row == -1 && lines[k].rival == -1 : lines[k].margin <= 0.0);
      CHECK(joint && order != Order::batch ? lines[k].rival >= 0 : lines[k].rival == -1);
    }
    moves += trace.size;
  }
  CHECK(moves == s.updates && moves > 3);
  const Result whole = run(data, order, keep, 1u << 20, 1, 3000, joint);
  CHECK(whole.updates == s.updates && whole.visits == s.visits);
}

int main() {
  const Data small(200, 5, 1), large(20000, 61, 2);
  for (const Order order :
       {Order::cyclic, Order::shuffle_once, Order::shuffle, Order::random_mistake, Order::working_set, Order::batch})
    for (const Keep keep : {Keep::last, Keep::average, Keep::best}) {
      if (order == Order::working_set && keep == Keep::best) continue;
      const Result whole = run(small, order, keep, 1u << 30, 1, 10'000'000);
      CHECK(whole.clean);
      for (const std::uint64_t slice : {1u, 7u, 500u}) CHECK(run(small, order, keep, slice, 1, 10'000'000) == whole);
      const Result one = run(large, order, keep, 50000, 1, 2000000);
      CHECK(run(large, order, keep, 70'000, 3, 2000000) == one);
      CHECK(run(large, order, keep, 900, 2, 200000, true).visits >= 200000 ||
            run(large, order, keep, 900, 2, 200000, true).clean);
    }
  for (const Keep keep : {Keep::last, Keep::average, Keep::best})
    for (const std::uint64_t slice : {1u, 7u, 500u}) {
      rows_are_scored_before_they_are_learned(small, keep, false, slice);
      rows_are_scored_before_they_are_learned(small, keep, true, slice);
    }
  batches_are_scored_before_they_are_learned(small);
  for (const Order order : {Order::cyclic, Order::random_mistake, Order::working_set, Order::batch})
    for (const Keep keep : {Keep::last, Keep::best})
      for (const bool joint : {false, true})
        if (order != Order::working_set || keep != Keep::best) full_traces_stop_a_run(small, order, keep, joint);
  return report();
}
