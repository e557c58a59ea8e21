// A state of the dual solver with any numbers in it, as a checkpoint may hold: refused, or both solvers go on from it.
#include <stdexcept>

#include "fuzz/restored.hpp"
#include "solvers/dual.hpp"
#include "solvers/dual_state_io.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

struct Table {
  static constexpr std::size_t rows = 12, columns = 2;
  std::vector<double> x = numbers(rows * columns, 1);
  std::vector<std::int8_t> signs;

  Table() {
    const auto noise = numbers(rows, 2);
    for (std::size_t i = 0; i < rows; ++i) signs.push_back(x[i * columns] + noise[i] > 0.0 ? 1 : -1);
  }
  Problem problem(const bool squared, const bool penalize_offset) const {
    Problem p;
    p.rows.count = rows;
    p.rows.columns = p.rows.stored_columns = p.rows.stride = columns;
    p.rows.values = x.data();
    p.rows.stored_values = x.size();
    p.labels.signs = signs.data();
    p.recipe.loss = squared ? Loss::squared_hinge : Loss::hinge;
    p.recipe.penalize_offset = penalize_offset;
    p.functions = find_functions(nullptr);
    return p;
  }
};

static void restore(DualState& s, Input& input) {
  for (Multiplier& m : s.multipliers) restore_number(input, m.value);
  for_each_number(s, [&](const char*, auto& number) { restore_number(input, number); });
  for_each_array(s, [&](const char*, auto& array, std::size_t) {
    restore_length(input, array);
    restore_numbers(input, array);
  });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, const std::size_t size) {
  static const Table table;
  Input input(data, size);
  const Problem p = table.problem(input.flag(), input.flag());
  DualState s = begin_dual(p, 1.0, 0);
  const std::size_t columns = s.theta.size();
  for (std::size_t steps = input.below(12); steps > 0; --steps) step_newton(s, p);
  restore(s, input);
  try {
    check_restored(s, columns);
  } catch (const std::invalid_argument&) {
    return 0;
  }
  for (std::size_t k = 0; k < 12; ++k) {
    const auto work = input.take<std::uint8_t>();
    if (work % 3 == 0) descend_coordinates(s, p, work);
    else if (work % 3 == 1) step_newton(s, p);
    else prove_gap(s, p);
  }
  return 0;
}
