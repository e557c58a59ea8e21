// A state of a run with any numbers in it, as a checkpoint may hold: refused, or it advances, alike in slices of any
// size.
#include <stdexcept>

#include "fuzz/restored.hpp"
#include "loop/prepare_state.hpp"
#include "loop/state_io.hpp"
#include "loop/working_set.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

struct Table {
  static constexpr std::size_t most_rows = 300, columns = 3, classes = 3;  // enough rows for a working set
  std::vector<double> x = numbers(most_rows * columns, 1);
  std::vector<std::int8_t> signs;
  std::vector<std::int32_t> codes;

  Table() {
    for (std::size_t i = 0; i < most_rows; ++i) {
      const double side = x[i * columns] + 0.3 * x[i * columns + 1];
      signs.push_back(side > 0.1 ? 1 : -1);
      codes.push_back(side > 0.3 ? 2 : side > -0.3 ? 1 : 0);
    }
  }
  Problem problem(Input& input) const {
    Problem p;
    p.rows.count = input.below(4) == 1 ? most_rows : 1 + input.below(9);
    p.rows.columns = p.rows.stored_columns = p.rows.stride = columns;
    p.rows.values = x.data();
    p.rows.stored_values = p.rows.count * columns;
    if (input.flag()) p.labels.signs = signs.data();
    else p.labels.codes = codes.data();
    Recipe& r = p.recipe;
    r.loss = static_cast<Loss>(input.below(loss_count));
    r.order = static_cast<Order>(input.below(order_count));
    r.step = static_cast<Step>(input.below(step_count));
    r.keep = static_cast<Keep>(input.below(keep_count));
    for (double* number : {&r.eta0, &r.aggressiveness, &r.margin, &r.penalty, &r.offset_value})
      restore_number(input, *number);
    r.penalize_offset = input.flag();
    r.stream = input.flag();
    p.functions = find_functions(nullptr);
    return p;
  }
};

static void restore(StateMemory& s, Input& input) {
  s.phase = input.flag() ? Phase::check : Phase::learn;
  for_each_number(s, [&](const char*, auto& number) { restore_number(input, number); });
  for_each_array(s, [&](const char*, const std::span<double> array) { restore_numbers(input, array); });
  if (input.below(8) == 1) s.keep_activations(input.below(10));
  const std::size_t members = input.below(8) == 1 ? input.take<std::uint8_t>() : 0;
  s.reserve_working_sets(members);
  restore_numbers(input, std::span(s.working_sets, members));
}

static bool same_weights(const StateMemory& a, const StateMemory& b) {
  return a.visits == b.visits && a.clean == b.clean && a.overflow == b.overflow &&
         std::memcmp(a.v, b.v, a.size() * sizeof(double)) == 0 &&
         std::memcmp(a.offset, b.offset, a.planes * sizeof(double)) == 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, const std::size_t size) {
  static const Table table;
  Input input(data, size);
  const Problem p = table.problem(input);
  StateMemory s(p.labels.signs ? 1 : Table::classes, Table::columns, p.recipe.keep);
  restore(s, input);
  StateMemory other(s);
  try {
    prepare_state(s, p.recipe.keep, p);
    prepare_state(other, p.recipe.keep, p);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  // The pocket's bar falls with every epoch of steps. Slices agree on when only if epochs begin with passes, as in a
  // run.
  const bool alike = p.recipe.keep != Keep::best || s.steps % p.rows.count == s.position;
  Workspace work, other_work;
  Trace trace;
  const std::uint64_t budget = 50 + p.rows.count, until = s.visits + budget;
  const auto ended = [&](const StateMemory& state) { return state.clean || state.overflow || state.visits >= until; };
  advance(s, p, work, trace, budget, until);
  REQUIRE(ended(s));
  while (!ended(other)) advance(other, p, other_work, trace, 20, until);
  if (alike) REQUIRE(same_weights(s, other));
  return 0;
}
