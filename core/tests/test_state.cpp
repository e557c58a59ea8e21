// States: all numbers are saved and restored, copies are whole, and a state that does not fit its rows is refused.
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "loop/prepare_state.hpp"
#include "loop/state_io.hpp"
#include "loop/working_set.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

// Every number differs from every other and from that of a new state.
static void fill(Progress& s) {
  double next = 2.0;
  s.visits = 101, s.steps = 102, s.updates = 103, s.mistakes = 104, s.pass = 105, s.position = 106;
  s.pass_mistakes = 107, s.pass_updates = 108, s.run = 109, s.bar = 110, s.check_position = 111, s.level = 112;
  s.seed = 113;
  for (double* number : {&s.check_mistakes, &s.best_mistakes, &s.mistake_weight, &s.loss_sum, &s.loss_product,
                         &s.averaged, &s.scale, &s.scale_sum})
    *number = next++;
  s.clean = s.overflow = true;
}

static bool same_numbers(const Progress& a, const Progress& b) {
  return a.visits == b.visits && a.steps == b.steps && a.updates == b.updates && a.mistakes == b.mistakes &&
         a.pass == b.pass && a.position == b.position && a.pass_mistakes == b.pass_mistakes &&
         a.pass_updates == b.pass_updates && a.run == b.run && a.bar == b.bar && a.check_position == b.check_position &&
         a.level == b.level && a.seed == b.seed && a.check_mistakes == b.check_mistakes &&
         a.best_mistakes == b.best_mistakes && a.mistake_weight == b.mistake_weight && a.loss_sum == b.loss_sum &&
         a.loss_product == b.loss_product && a.averaged == b.averaged && a.scale == b.scale &&
         a.scale_sum == b.scale_sum && a.clean == b.clean && a.overflow == b.overflow;
}

static void new_states_start_at_zero() {
  const Progress s;
  for_each_number(s, [](const std::string& name, const auto number) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double start = name == "best_mistakes" ? infinity : name == "scale" || name == "loss_product" ? 1.0 : 0.0;
    CHECK(static_cast<double>(number) == start);
  });
  CHECK(s.phase == Phase::learn);
}

static void saved_numbers_are_all_numbers() {
  Progress from, to;
  fill(from);
  std::vector<std::pair<std::string, double>> saved;
  for_each_number(from,
                  [&](const char* name, const auto number) { saved.emplace_back(name, static_cast<double>(number)); });
  for_each_number(to, [&](const char* name, auto& number) {
    for (const auto& [key, value] : saved)
      if (key == name) number = static_cast<std::remove_reference_t<decltype(number)>>(value);
  });
  CHECK(same_numbers(from, to));
}

static void saved_arrays_are_all_arrays() {
  for (const Keep keep : {Keep::last, Keep::average, Keep::best}) {
    StateMemory s(3, 4, keep);
    std::size_t numbers = 0;
    double next = 1.0;
    for_each_array(s, [&](const char*, const std::span<double> values) {
      for (double& value : values) value = next++;
      numbers += values.size();
    });
    CHECK(numbers == (keep == Keep::last ? 15 : 30));
    CHECK(s.v[0] == 1.0 && s.v[11] == 12.0 && s.offset[0] == 13.0 && s.offset[2] == 15.0);
    if (keep == Keep::average) CHECK(s.average_correction[11] == 27.0 && s.offset_sum[2] == 30.0);
    if (keep == Keep::best) CHECK(s.best[11] == 27.0 && s.best_offset[2] == 30.0);
    CHECK(reinterpret_cast<std::uintptr_t>(s.v) % 64 == 0);
  }
}

static void copies_are_whole_and_apart() {
  StateMemory s(2, 3, Keep::average);
  fill(s);
  s.reserve_working_sets(5);
  s.working_sets[4] = 7;
  s.working_sets_checked_for = 9;
  s.keep_activations(6);
  s.activation[11] = 2.5;
  for (std::size_t i = 0; i < s.size(); ++i) s.v[i] = s.average_correction[i] = static_cast<double>(i + 1);
  s.offset[1] = s.offset_sum[1] = 4.5;
  const StateMemory copy(s);
  CHECK(same_numbers(s, copy) && copy.planes == 2 && copy.columns == 3 && copy.best == nullptr);
  CHECK(std::equal(s.v, s.v + 6, copy.v) &&
        std::equal(s.average_correction, s.average_correction + 6, copy.average_correction));
  CHECK(copy.offset[1] == 4.5 && copy.offset_sum[1] == 4.5);
  CHECK(copy.working_set_rows() == s.working_set_rows() && copy.working_sets[4] == 7);
  CHECK(copy.working_sets_checked_for == 9 && copy.activation_size() == 12 && copy.activation[11] == 2.5);
  CHECK(copy.v != s.v && copy.working_sets != s.working_sets && copy.activation != s.activation);
  const StateMemory pocket(2, 3, Keep::best), other(pocket);
  CHECK(other.best != nullptr && other.best_offset != nullptr && other.average_correction == nullptr);
  CHECK(other.activation == nullptr);
  s.reserve_working_sets(3);  // never fewer
  CHECK(s.working_set_rows().size() == 5);
}

static void other_rows_and_other_weights_forget_activations() {
  StateMemory s(1, 2, Keep::last);
  fill(s);
  s.keep_activations(4);
  CHECK(s.activation != nullptr && s.activation_size() == 4 && s.activation[3] == 0.0);
  s.begin_new_rows();
  CHECK(s.activation == nullptr && s.position == 0 && s.pass_updates == 0 && s.pass_mistakes == 0);
  CHECK(!s.clean && !s.overflow && s.visits == 101 && s.pass == 105);
  s.keep_activations(4);
  const double w[] = {2.0, 3.0}, b[] = {4.0};
  s.set_weights(w, b);
  CHECK(s.activation == nullptr && s.v[0] == 2.0 && s.v[1] == 3.0 && s.offset[0] == 4.0);
}

// What an l1 penalty has asked of other weights is not due.
static void other_weights_begin_a_new_account() {
  StateMemory s(1, 2, Keep::last);
  const double w[] = {2.0, -3.0}, b[] = {4.0};
  s.set_weights(w, b);
  CHECK(s.unclipped == nullptr && s.squared_norm < 0.0);
  s.begin_l1();
  CHECK(s.unclipped[0] == 2.0 && s.unclipped[1] == -3.0 && s.l1_sum == 0.0);
  s.l1_sum = 1.5;
  s.unclipped[1] = -1.0;
  const StateMemory copy(s);
  CHECK(copy.unclipped != s.unclipped && copy.unclipped[1] == -1.0 && copy.l1_sum == 1.5);
  double kept[2], offset[1];
  s.copy_kept_weights(kept, offset);
  CHECK(kept[0] == 0.5 && kept[1] == 0.0 && offset[0] == 4.0);
  s.set_weights(w, b);
  CHECK(s.unclipped[1] == -3.0 && s.l1_sum == 0.0);
}

// The weights that a learner returns, by the formulas in state.hpp.
static void kept_weights_are_those_of_the_formulas() {
  double w[2], b[1];
  StateMemory last(1, 2, Keep::last), average(1, 2, Keep::average), best(1, 2, Keep::best);
  for (StateMemory* s : {&last, &average, &best}) {
    s->scale = 0.5, s->scale_sum = 3.0, s->averaged = 4.0;
    s->v[0] = 2.0, s->v[1] = -6.0, s->offset[0] = 7.0;
  }
  last.copy_kept_weights(w, b);
  CHECK(w[0] == 1.0 && w[1] == -3.0 && b[0] == 7.0);
  average.average_correction[0] = 10.0, average.average_correction[1] = 2.0, average.offset_sum[0] = 6.0;
  average.copy_kept_weights(w, b);
  CHECK(w[0] == 4.0 && w[1] == -4.0 && b[0] == 1.5);
  average.averaged = 0.0;  // no visit yet
  average.copy_kept_weights(w, b);
  CHECK(w[0] == 1.0 && w[1] == -3.0 && b[0] == 7.0);
  best.best[0] = 8.0, best.best[1] = 9.0, best.best_offset[0] = 5.0;
  best.copy_kept_weights(w, b);
  CHECK(w[0] == 1.0 && b[0] == 7.0);  // nothing in the pocket
  best.best_mistakes = 3.0;
  best.copy_kept_weights(w, b);
  CHECK(w[0] == 8.0 && w[1] == 9.0 && b[0] == 5.0);
  best.best_mistakes = std::numeric_limits<double>::infinity();
  for (const auto& [bar, run, kept] :
       {std::tuple{3u, 3u, true}, {3u, 2u, true}, {3u, 4u, false}, {1u, 1u, true}, {0u, 0u, false}}) {
    best.bar = bar, best.run = run;  // in a stream the longest run decides
    CHECK(best.pocket_is_best() == kept);
  }
}

struct Case {
  std::vector<std::int8_t> signs = std::vector<std::int8_t>(300, 1);
  std::vector<std::int32_t> codes = std::vector<std::int32_t>(300, 1);
  Problem p;

  explicit Case(const bool joint = false, const Order order = Order::cyclic, const Keep keep = Keep::last) {
    p.rows.count = 300;
    p.rows.columns = p.rows.stored_columns = p.rows.stride = 2;
    if (joint) p.labels.codes = codes.data();
    else p.labels.signs = signs.data();
    p.recipe.order = order;
    p.recipe.keep = keep;
  }
};

// Whether a new state is accepted after a change.
static bool accepts(
    const Case& c, const std::size_t planes, const std::size_t columns, const Keep keep,
    const std::function<void(StateMemory&)>& change = [](StateMemory&) {}) {
  StateMemory s(planes, columns, keep);
  change(s);
  try {
    prepare_state(s, keep, c.p);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

static void states_of_another_shape_are_refused() {
  CHECK(accepts(Case(), 1, 2, Keep::last) && !accepts(Case(), 1, 3, Keep::last) && !accepts(Case(), 2, 2, Keep::last));
  CHECK(!accepts(Case(), 1, 2, Keep::average) && accepts(Case(false, Order::cyclic, Keep::best), 1, 2, Keep::best));
  const Case joint(true);
  CHECK(accepts(joint, 3, 2, Keep::last) && accepts(joint, 2, 2, Keep::last) && !accepts(joint, 1, 2, Keep::last));
  Case one_class(true);
  one_class.codes.assign(300, 0);
  CHECK(accepts(one_class, 2, 2, Keep::last) && !accepts(one_class, 1, 2, Keep::last));
  for (const std::size_t row : {0u, 1u, 299u})
    for (const std::int32_t code : {-1, 0, 2, 3}) {
      Case one(true);
      one.codes[row] = code;
      CHECK(accepts(one, 3, 2, Keep::last) == (code == 0 || code == 2));
    }
}

static void states_beyond_their_rows_are_refused() {
  const auto at = [](const std::uint64_t place) { return [=](StateMemory& s) { s.position = place; }; };
  const auto checked = [](const std::uint64_t place) { return [=](StateMemory& s) { s.check_position = place; }; };
  for (const Order order : {Order::cyclic, Order::shuffle, Order::working_set}) {
    const Case c(false, order);
    CHECK(accepts(c, 1, 2, Keep::last, at(300)) && !accepts(c, 1, 2, Keep::last, at(301)));
    CHECK(accepts(c, 1, 2, Keep::last, checked(300)) && !accepts(c, 1, 2, Keep::last, checked(301)));
  }
  CHECK(accepts(Case(false, Order::random_mistake), 1, 2, Keep::last, at(301)));
  CHECK(!accepts(Case(false, Order::random_mistake), 1, 2, Keep::last, checked(301)));
  const auto visited = [](const std::uint64_t count) { return [=](StateMemory& s) { s.visits = count; }; };
  const std::uint64_t most = std::uint64_t{1} << 62;
  CHECK(accepts(Case(), 1, 2, Keep::last, visited(most)) && !accepts(Case(), 1, 2, Keep::last, visited(most + 1)));
  Case empty;
  empty.p.rows.count = 0;
  CHECK(accepts(empty, 1, 2, Keep::last, at(5)));
}

// 300 rows have working sets of 75.
static void working_sets_of_other_rows_are_refused() {
  const Case c(false, Order::working_set);
  const auto with = [](const std::uint64_t level, const std::uint64_t place, const std::uint32_t row) {
    return [=](StateMemory& s) {
      s.level = level;
      s.position = place;
      s.reserve_working_sets(75);
      s.working_sets[74] = row;
    };
  };
  CHECK(accepts(c, 1, 2, Keep::last, with(1, 75, 299)) && !accepts(c, 1, 2, Keep::last, with(1, 76, 299)));
  CHECK(!accepts(c, 1, 2, Keep::last, with(1, 0, 300)) && !accepts(c, 1, 2, Keep::last, with(2, 0, 299)));
  CHECK(accepts(Case(), 1, 2, Keep::last, with(1, 300, 300)));  // other orders do not look at them
  StateMemory s(1, 2, Keep::last);
  prepare_state(s, Keep::last, c.p);
  CHECK(s.working_set_rows().size() == 75 && s.working_sets_checked_for == 300);
}

static void sizes_of_levels_are_quarters() {
  const std::size_t sizes[] = {20000, 5000, 1250, 312, 78};
  for (std::uint64_t level = 0; level < 5; ++level) {
    CHECK(level_size(20000, level) == sizes[level]);
    CHECK(is_lowest_level(20000, level) == (level == 4));
  }
  CHECK(working_set_size(20000) == 5000 + 1250 + 312 + 78 && working_set_size(256) == 0 && working_set_size(257) == 64);
  CHECK(is_lowest_level(256, 0) && !is_lowest_level(257, 0) && level_size(3, ~std::uint64_t{0}) == 0);
  std::vector<std::uint32_t> members(5000 + 1250 + 312 + 78);
  StateMemory s(1, 2, Keep::last);
  s.working_sets = members.data();
  const std::size_t starts[] = {0, 0, 5000, 6250, 6562};
  for (s.level = 0; s.level < 5; ++s.level) {
    const Selection rows = level_rows(s, 20000);
    CHECK(rows.begin == 0 && rows.size() == sizes[s.level]);
    CHECK(s.level == 0 ? rows.list == nullptr : rows.list == members.data() + starts[s.level]);
  }
}

// A saved run goes on with the same slices, in every version: a check may end after any of them.
static void slices_of_a_check_have_four_million_numbers() {
  const auto slice = [](const std::size_t rows, const std::size_t numbers) {
    RowsView view;
    view.count = rows;
    view.stored_values = rows * numbers;
    return rows_per_check(view);
  };
  CHECK(slice(100, 1) == 262144 && slice(100, 16) == 262144 && slice(100, 17) == 246723 && slice(100, 61) == 68759);
  CHECK(slice(7, 4096) == 1024 && slice(7, 4095) == 1024 && slice(7, 4000) == 1048 && slice(7, 1u << 20) == 1024);
  CHECK(slice(0, 0) == 262144 && slice(100, 0) == 262144);
}

// Only a run from 0 on a whole kernel matrix in memory stores what every row scores.
static void activations_are_kept_where_they_pay() {
  const auto keeps = [](const std::function<void(Problem&, StateMemory&)>& change) {
    Case c;
    c.p.rows.columns = 300;
    c.p.rows.kernel_in_memory = true;
    StateMemory s(1, 300, Keep::last);
    change(c.p, s);
    prepare_state(s, Keep::last, c.p);
    CHECK(s.activation == nullptr || s.activation_size() == 300);
    return s.activation != nullptr;
  };
  CHECK(keeps([](Problem&, StateMemory&) {}));
  CHECK(!keeps([](Problem& p, StateMemory&) { p.rows.kernel_in_memory = false; }));
  CHECK(!keeps([](Problem& p, StateMemory&) { p.rows.count = 299; }));
  CHECK(!keeps([](Problem& p, StateMemory&) { p.recipe.stream = true; }));
  CHECK(!keeps([](Problem& p, StateMemory&) { p.recipe.order = Order::batch; }));
  CHECK(!keeps([](Problem& p, StateMemory&) { p.recipe.penalty = 0.5; }));
  CHECK(!keeps([](Problem&, StateMemory& s) { s.visits = 1; }));
  CHECK(!keeps([](Problem&, StateMemory& s) { s.v[299] = 1.0; }));
  CHECK(!keeps([](Problem&, StateMemory& s) { s.v[0] = 1.0; }));
}

static void activations_of_other_rows_are_refused() {
  Case c;
  StateMemory s(1, 2, Keep::last);
  const auto refused = [&] {
    try {
      prepare_state(s, Keep::last, c.p);
      return false;
    } catch (const std::invalid_argument&) {
      return true;
    }
  };
  c.p.rows.kernel_matrix = reinterpret_cast<const KernelMatrixView*>(c.signs.data());  // is not read
  s.keep_activations(300);
  CHECK(!refused());
  s.keep_activations(299);
  CHECK(refused());
  s.keep_activations(300);
  c.p.rows.kernel_matrix = nullptr;
  CHECK(refused());
}

int main() {
  new_states_start_at_zero();
  saved_numbers_are_all_numbers();
  saved_arrays_are_all_arrays();
  copies_are_whole_and_apart();
  other_rows_and_other_weights_forget_activations();
  other_weights_begin_a_new_account();
  kept_weights_are_those_of_the_formulas();
  states_of_another_shape_are_refused();
  states_beyond_their_rows_are_refused();
  working_sets_of_other_rows_are_refused();
  sizes_of_levels_are_quarters();
  slices_of_a_check_have_four_million_numbers();
  activations_are_kept_where_they_pay();
  activations_of_other_rows_are_refused();
  return report();
}
