// How far margins may have moved since a window was scored, and how windows and the pauses between them grow.
#include <array>
#include <limits>

#include "loop/score_windows.hpp"
#include "loop/state_memory.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

static constexpr std::array<double, 4> margins{3.0, 5.0, 1.0, 9.0}, norms{1.0, 2.0, 1.0, 4.0};

// Rows rest while they are beyond the required margin, from any row on and up to any other.
static void rows_beyond_the_margin_rest_until_w_moves() {
  const ScoreWindow window(margins.data(), norms.data(), 1.0, 2.0, 0.0);
  CHECK(window.count_resting(0, 4) == 2);
  CHECK(window.count_resting(1, 4) == 1);
  CHECK(window.count_resting(2, 4) == 0);
  CHECK(window.count_resting(3, 4) == 1);
  CHECK(window.count_resting(0, 1) == 1);
  CHECK(window.count_resting(0, 0) == 0);
  const ScoreWindow equal(margins.data(), norms.data(), 1.0, 3.0, 0.0);
  CHECK(equal.count_resting(0, 4) == 0);  // a margin that is just required is not beyond it
}

// Rounding errors are rounding * ||w|| * ||x||: here 2 for the first row and 4 for the second.
static void rounding_errors_count_as_moves() {
  CHECK(ScoreWindow(margins.data(), norms.data(), 8.0, 0.99, 0.25).count_resting(0, 4) == 2);
  CHECK(ScoreWindow(margins.data(), norms.data(), 8.0, 1.0, 0.25).count_resting(0, 4) == 0);
  CHECK(ScoreWindow(margins.data(), norms.data(), 8.0, 1.01, 0.25).count_resting(1, 4) == 0);
}

// A move by a row of norm 2 with step 1/2 is one of length 1. A second one along the same row, whose margin has risen
// by 1/2 * 4 meanwhile, makes it 2, and one against it, after a margin of 9, ends where w began.
static void moves_add_up_along_their_directions() {
  const auto rests = [](const ScoreWindow& window, const std::size_t row) {
    return window.count_resting(row, row + 1);
  };
  for (const double required : {1.999, 2.001}) {
    ScoreWindow window(margins.data(), norms.data(), 1.0, required, 0.0);
    window.count_move(1, 5.0, 0.5);  // row 0 keeps 3 - 1 * 1, row 3 keeps 9 - 4
    CHECK(rests(window, 0) == (required < 2.0));
    CHECK(rests(window, 3));
    CHECK(window.norm() == 2.0);
    window.count_move(1, 7.0, 0.5);  // (5 + 2), so that both moves are along one line: row 3 keeps 9 - 8
    CHECK(!rests(window, 0) && !rests(window, 3));
    CHECK(window.norm() == 3.0);
  }
  for (const double required : {0.999, 1.001}) {
    ScoreWindow window(margins.data(), norms.data(), 1.0, required, 0.0);
    window.count_move(1, 5.0, 0.5);
    window.count_move(1, 7.0, 0.5);
    CHECK(rests(window, 3) == (required < 1.0));
    CHECK(rests(window, 0) == 1 - (required > 1.0));  // 3 - 2
  }
  ScoreWindow across(margins.data(), norms.data(), 1.0, 1.5, 0.0);
  across.count_move(1, 5.0, 0.5);
  across.count_move(1, 5.0, 0.5);  // its margin has not changed, so the moves are at a right angle: 3 - sqrt(2)
  CHECK(rests(across, 0) == 1);
  ScoreWindow back(margins.data(), norms.data(), 1.0, 2.9, 0.0);
  back.count_move(1, 5.0, 0.5);
  back.count_move(1, 3.0, 0.5);  // its margin has fallen by 2: the second move takes the first one back
  CHECK(rests(back, 0) == 1);
  ScoreWindow beyond(margins.data(), norms.data(), 1.0, 2.999, 0.0);
  beyond.count_move(1, 5.0, 0.5);
  beyond.count_move(1, 1.0, 0.5);  // more than it rose by: rounding alone can do that, and no length is below 0
  CHECK(rests(beyond, 0) == 1);
}

// The error of a margin moves the bound by 2 * length * rounding * ||w||: from 1 to 1 + 2 * 1 * 0.25 * 1, then sqrt.
static void the_error_of_a_margin_counts_in_a_move() {
  const double reach = std::sqrt(1.5) + 0.25 * 2.0;
  for (const double share : {0.999, 1.001}) {
    ScoreWindow window(margins.data(), norms.data(), 1.0, 3.0 - share * reach, 0.25);
    window.count_move(1, 5.0, 0.5);
    CHECK(window.count_resting(0, 1) == (share > 1.0));
  }
}

// Squares that underflow, overflow and are no numbers: no row rests that might not.
static void numbers_out_of_range_let_no_row_rest() {
  const double tiny = 0x1p-501, huge = std::numeric_limits<double>::max(), nothing = std::nan("");
  const std::array<double, 3> many{1.0, 1.0, 1.0}, sizes{tiny, 0x1p-500, 1.0};
  const ScoreWindow still(many.data(), sizes.data(), 1.0, 0.0, 0.0);
  CHECK(still.count_resting(0, 1) == 0);  // a row of such a size is always visited
  CHECK(still.count_resting(1, 3) == 2);
  const std::array<double, 1> low{0x1p-500}, one{1.0};
  ScoreWindow moved(low.data(), one.data(), 1.0, 0.0, 0.0);
  CHECK(moved.count_resting(0, 1) == 1);
  moved.count_move(0, low[0], 0.0);  // a move by nothing counts as one of 2^-500
  CHECK(moved.count_resting(0, 1) == 0);
  for (const double change : {huge, nothing}) {
    ScoreWindow lost(many.data() + 2, sizes.data() + 2, 1.0, -huge, 0.0);
    CHECK(lost.count_resting(0, 1) == 1);
    lost.count_move(0, 1.0, change);
    CHECK(lost.count_resting(0, 1) == 0);
  }
  const std::array<double, 1> unknown{nothing};
  CHECK(ScoreWindow(unknown.data(), one.data(), 1.0, -huge, 0.0).count_resting(0, 1) == 0);
}

static ScoreWindow window_with(const std::size_t exact) {
  ScoreWindow window(margins.data(), norms.data(), 1.0, 2.0, 0.0);
  for (std::size_t k = 0; k < exact; ++k) window.count_exact();
  CHECK(window.exact() == exact);
  return window;
}

// Windows of 512 visits at first. They double where fewer than one visit in 32 needed its dot product, up to 8192, and
// are halved where more than one in 8 did, down to 128.
static void windows_grow_where_few_rows_move_w() {
  constexpr std::size_t many = 1 << 20;
  ScoreWindows windows;
  CHECK(windows.next_size(many) == 512);
  CHECK(windows.next_size(300) == 300);
  CHECK(windows.next_size(128) == 128 && windows.next_size(127) == 0);
  CHECK(windows.next_pause(many) == many);
  windows.learn_from(window_with(16), 512);  // just one in 32
  CHECK(windows.next_size(many) == 512);
  windows.learn_from(window_with(15), 512);
  CHECK(windows.next_size(many) == 1024);
  windows.learn_from(window_with(128), 1024);  // just one in 8
  CHECK(windows.next_size(many) == 1024);
  windows.learn_from(window_with(129), 1024);
  CHECK(windows.next_size(many) == 512);
  for (std::size_t size = 1024; size <= 8192; size *= 2) {
    windows.learn_from(window_with(0), 512);
    CHECK(windows.next_size(many) == size);
  }
  windows.learn_from(window_with(0), 512);
  CHECK(windows.next_size(many) == 8192);
}

// Where more than one visit in 4 of the smallest windows needed its dot product, 1024 visits follow without a window,
// then twice as many each time, up to 65536, until a window is calm.
static void pauses_grow_where_too_many_rows_move_w() {
  constexpr std::size_t many = 1 << 20;
  ScoreWindows windows;
  windows.learn_from(window_with(512), 512);
  windows.learn_from(window_with(256), 256);
  CHECK(windows.next_size(many) == 128);  // it was not the smallest until now
  windows.learn_from(window_with(32), 128);  // one in 4, which is not too many
  CHECK(windows.next_size(many) == 128);
  for (std::size_t pause = 1024; pause <= 65536; pause *= 2) {
    windows.learn_from(window_with(33), 128);
    CHECK(windows.next_size(many) == 0);
    CHECK(windows.next_pause(many) == pause && windows.next_pause(100) == 100);
    windows.learn_from_pause(pause - 1);
    CHECK(windows.next_size(many) == 0 && windows.next_pause(many) == 1);
    windows.learn_from_pause(9);
    CHECK(windows.next_size(many) == 128);
  }
  windows.learn_from(window_with(128), 128);
  CHECK(windows.next_pause(many) == 65536);
  windows.learn_from_pause(65536);
  windows.learn_from(window_with(0), 128);
  for (int k = 0; k < 2; ++k) windows.learn_from(window_with(128), 128);
  CHECK(windows.next_pause(many) == 1024);
}

// Two classes of 2^18 numbers in memory, of which each condition alone forbids windows.
static void windows_are_for_rows_that_rest_beyond_a_margin() {
  const FunctionTable& functions = *find_functions(nullptr);
  const std::int8_t sign = 1;
  RowsView rows;
  rows.stored_values = std::size_t{1} << 18;
  LabelsView labels;
  labels.signs = &sign;
  StateMemory s(1, 1, Keep::last);
  Recipe usual;
  const auto may = [&](const Recipe& recipe) { return can_score_windows(functions, rows, labels, recipe, s, 2); };
  const auto with = [&](const auto change) {
    Recipe recipe = usual;
    change(recipe);
    return may(recipe);
  };
  CHECK(may(usual));
  CHECK(!can_score_windows(functions, rows, labels, usual, s, 1));
  CHECK(can_score_windows(functions, rows, labels, usual, s, 3));
  CHECK(!can_score_windows(functions, rows, LabelsView{}, usual, s, 2));
  CHECK(with([](Recipe& r) { r.order = Order::shuffle; }));
  CHECK(!with([](Recipe& r) { r.order = Order::working_set; }));
  CHECK(!with([](Recipe& r) { r.penalty = 0.1; }));
  CHECK(!with([](Recipe& r) { r.l1 = 0.1; }));
  CHECK(!with([](Recipe& r) { r.step = Step::alma; }));
  CHECK(!with([](Recipe& r) { r.step = Step::diagonal; }));
  CHECK(with([](Recipe& r) { r.step = Step::pa1; }));
  CHECK(!with([](Recipe& r) { r.margin = -0.1; }));
  CHECK(with([](Recipe& r) { r.margin = 0.1; }));
  CHECK(!with([](Recipe& r) { r.loss = Loss::logistic; }));
  CHECK(with([](Recipe& r) { r.loss = Loss::hinge; }));
  rows.stored_values -= 1;
  CHECK(!may(usual));
  rows.stored_values += 2;
  CHECK(may(usual));
  double unclipped = 0.0;
  s.unclipped = &unclipped;
  CHECK(!may(usual));
  s.unclipped = nullptr;
}

// The margins of a window are those of its rows in their order, and they rest beyond what loss and margin ask for.
static void a_window_has_the_margins_of_its_rows() {
  constexpr std::size_t count = 300;
  std::vector<double> x = numbers(count, 4);
  x[7] = (1.25 - 0x1p-50) / 4.0;  // its margin is just below 1.5, so that it pushes
  std::vector<std::int8_t> signs;
  for (std::size_t i = 0; i < count; ++i) signs.push_back(i % 3 ? 1 : -1);
  RowsView rows;
  rows.count = rows.stored_values = count;
  rows.columns = rows.stored_columns = rows.stride = 1;
  rows.values = x.data();
  LabelsView labels;
  labels.signs = signs.data();
  StateMemory s(1, 1, Keep::last);
  s.v[0] = 4.0;
  s.offset[0] = 0.25;
  std::vector<std::uint32_t> order;
  for (std::size_t k = 0; k < count; ++k) order.push_back(static_cast<std::uint32_t>((7 * k) % count));
  Recipe recipe;
  recipe.loss = Loss::hinge;
  recipe.margin = 0.5;  // rows rest beyond 1.5
  ScoreWindows windows;
  for (const std::size_t threads : {1u, 2u, 9u}) {
    const ScoreWindow window = windows.score(*find_functions(nullptr), rows, labels, recipe, s, order, 5.0, threads);
    CHECK(window.norm() == 5.0 && window.exact() == 0);
    for (std::size_t k = 0; k < count; ++k) {
      const double margin = signs[order[k]] * (4.0 * x[order[k]] + 0.25);
      CHECK((window.count_resting(k, k + 1) == 1) == (margin > 1.5));
    }
  }
}

// Rounding of so many columns is allowed for: 2^-50 of ||w|| ||x|| for each, and for 32 more.
static void columns_add_to_the_rounding_of_a_window() {
  for (const std::size_t columns : {1u, 96u}) {
    std::vector<double> x(columns, 0.0);
    x[0] = 1.0;
    const std::int8_t sign = 1;
    RowsView rows;
    rows.count = 1;
    rows.columns = rows.stored_columns = rows.stride = rows.stored_values = columns;
    rows.values = x.data();
    LabelsView labels;
    labels.signs = &sign;
    StateMemory s(1, columns, Keep::last);
    s.v[0] = 1.0;
    Recipe recipe;
    recipe.offset_value = 0.0;
    const std::uint32_t order = 0;
    const double allowed = (static_cast<double>(columns) + 32.0) * 0x1p-50;
    ScoreWindows windows;
    for (const double share : {0.999, 1.001}) {  // of the margin 1 that rounding may take away
      const ScoreWindow window =
          windows.score(*find_functions(nullptr), rows, labels, recipe, s, {&order, 1}, share / allowed, 1);
      CHECK(window.count_resting(0, 1) == (share < 1.0));
    }
  }
}

int main() {
  rows_beyond_the_margin_rest_until_w_moves();
  rounding_errors_count_as_moves();
  moves_add_up_along_their_directions();
  the_error_of_a_margin_counts_in_a_move();
  numbers_out_of_range_let_no_row_rest();
  windows_grow_where_few_rows_move_w();
  pauses_grow_where_too_many_rows_move_w();
  windows_are_for_rows_that_rest_beyond_a_margin();
  a_window_has_the_margins_of_its_rows();
  columns_add_to_the_rounding_of_a_window();
  return report();
}
