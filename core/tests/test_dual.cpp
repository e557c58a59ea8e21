// Both solvers of the hinge reach the same optimum, and their primal and dual values bracket it.
#include "solvers/dual.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

struct Table {
  static constexpr std::size_t rows = 5000, columns = 7;
  std::vector<double> x = numbers(rows * columns, 1);
  std::vector<std::int8_t> signs = std::vector<std::int8_t>(rows);

  Table() {
    const auto noise = numbers(rows, 2);
    for (std::size_t i = 0; i < rows; ++i) signs[i] = x[i * columns] + noise[i] > 0.2 ? 1 : -1;
  }
  Problem problem(const bool penalize_offset) const {
    Problem p;
    p.rows.count = rows;
    p.rows.columns = p.rows.stored_columns = p.rows.stride = columns;
    p.rows.values = x.data();
    p.rows.stored_values = x.size();
    p.labels.signs = signs.data();
    p.recipe.penalize_offset = penalize_offset;
    p.functions = choose_functions();
    p.threads = 2;
    return p;
  }
};

static void both_solvers_agree(const bool penalize_offset) {
  const Table table;
  const Problem p = table.problem(penalize_offset);
  DualState by_descent = begin_dual(p, 1.0, 0), by_newton = begin_dual(p, 1.0, 0);
  for (int k = 0; k < 4000 && by_descent.primal - by_descent.dual > 1e-6 * by_descent.primal; ++k) {
    descend_coordinates(by_descent, p, 4000);
    if (k % 8 == 0) prove_gap(by_descent, p);
  }
  for (int k = 0; k < 200 && by_newton.primal - by_newton.dual > 1e-6 * by_newton.primal; ++k)
    if (step_newton(by_newton, p)) prove_gap(by_newton, p);
  CHECK(by_newton.primal - by_newton.dual <= 1e-6 * by_newton.primal);
  CHECK(by_descent.dual <= by_newton.primal * (1.0 + 1e-12));
  CHECK(by_newton.dual <= by_descent.primal * (1.0 + 1e-12));
  CHECK(by_descent.primal - by_newton.dual <= 1e-3 * by_newton.primal);
}

int main() {
  both_solvers_agree(true);
  both_solvers_agree(false);
  return report();
}
