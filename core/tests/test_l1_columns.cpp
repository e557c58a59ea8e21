// Coordinate descent over the columns of sparse rows finds the minimum of the model of a step.
#include <stdexcept>

#include "solvers/l1_columns.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

namespace {

// Random sparse rows: about a third of the numbers of a table.
struct SparseRows {
  std::vector<double> values;
  std::vector<std::int32_t> indices, starts{0};
  RowsView view;

  SparseRows(const std::size_t rows, const std::size_t columns) {
    const std::vector<double> table = numbers(rows * columns, 7);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        if ((i * 7 + j * 5) % 3 != 0) continue;
        values.push_back(table[i * columns + j]);
        indices.push_back(static_cast<std::int32_t>(j));
      }
      starts.push_back(static_cast<std::int32_t>(values.size()));
    }
    view.kind = RowKind::csr_f64_i32;
    view.count = rows;
    view.columns = view.stored_columns = columns;
    view.values = values.data();
    view.indices = indices.data();
    view.starts = starts.data();
    view.stored_values = 2 * values.size();
  }

  // x_i.p, where the last number of p is the offset.
  double score(const std::size_t i, const std::vector<double>& p, const double offset_value) const {
    double sum = p.back() * offset_value;
    for (auto at = starts[i]; at < starts[i + 1]; ++at)
      sum += values[static_cast<std::size_t>(at)] * p[static_cast<std::size_t>(indices[static_cast<std::size_t>(at)])];
    return sum;
  }
};

}  // namespace

// At the minimum the gradient is -penalty sign(u) where u is not 0, and within the penalty elsewhere. Rows without bend
// count for nothing.
static void meets_the_conditions(const std::size_t rows, const std::size_t columns, const double ridge,
                                 const double penalty) {
  const SparseRows x(rows, columns);
  const std::size_t size = columns + 1;
  const std::vector<double> z = numbers(size, 3), first = numbers(size, 4);
  std::vector<double> bend(rows), ridges(size, ridge), penalties(size, penalty), u = z;
  for (std::size_t i = 0; i < rows; ++i) bend[i] = i % 5 == 0 ? 0.0 : 0.1 + 0.01 * static_cast<double>(i);
  penalties.back() = ridges.back() = 0.0;  // a free offset
  const L1Model model{x.view, bend.data(), first.data(), ridges.data(), penalties.data(), 2.0};
  CHECK(minimise_l1_by_columns(model, 1e-18, 100000, u.data()));
  std::vector<double> gradient = first, step = u;
  for (std::size_t j = 0; j < size; ++j) gradient[j] += ridges[j] * (step[j] -= z[j]);
  for (std::size_t i = 0; i < rows; ++i) {
    const double along = bend[i] * x.score(i, step, 2.0);
    for (auto at = x.starts[i]; at < x.starts[i + 1]; ++at)
      gradient[static_cast<std::size_t>(x.indices[static_cast<std::size_t>(at)])] +=
          along * x.values[static_cast<std::size_t>(at)];
    gradient.back() += 2.0 * along;
  }
  for (std::size_t j = 0; j < size; ++j) {
    if (u[j] != 0.0) CHECK(std::abs(gradient[j] + std::copysign(penalties[j], u[j])) < 1e-6);
    CHECK(std::abs(gradient[j]) < penalties[j] + 1e-6);
  }
}

static void a_few_sweeps_are_not_enough() {
  const SparseRows x(40, 30);
  const std::vector<double> bend(40, 1.0), first = numbers(31, 4), ridge(31, 0.0), penalty(31, 0.01);
  std::vector<double> u(31, 0.0);
  const L1Model model{x.view, bend.data(), first.data(), ridge.data(), penalty.data(), 1.0};
  CHECK(!minimise_l1_by_columns(model, 1e-12, 3, u.data()));
}

static void dense_rows_are_refused() {
  const std::vector<double> x(6, 1.0), numbers_of_weights(4, 1.0);
  RowsView view;
  view.count = 2;
  view.columns = view.stored_columns = view.stride = 3;
  view.values = x.data();
  const double* any = numbers_of_weights.data();
  std::vector<double> u(4, 0.0);
  bool refused = false;
  try {
    minimise_l1_by_columns({view, any, any, any, any, 1.0}, 1e-3, 10, u.data());
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

int main() {
  for (const double penalty : {0.05, 0.5, 50.0}) {
    meets_the_conditions(60, 12, 0.0, penalty);
    meets_the_conditions(60, 12, 1.0, penalty);
    meets_the_conditions(12, 40, 1.0, penalty);
  }
  a_few_sweeps_are_not_enough();
  dense_rows_are_refused();
  return report();
}
