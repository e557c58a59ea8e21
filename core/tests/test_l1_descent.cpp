// The minimum of a quadratic function with an l1 penalty, and rows with some of their columns.
#include <algorithm>
#include <stdexcept>

#include "rows/chosen_columns.hpp"
#include "solvers/l1_descent.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

// Random rows with `dependent` copies of the first column at the end.
static std::vector<double> table(const std::size_t rows, const std::size_t size, const std::size_t dependent) {
  std::vector<double> a = numbers(rows * size, size);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < dependent; ++k) a[i * size + size - 1 - k] = a[i * size];
  return a;
}

// Categories as zeros and ones, groups of four, beside ones: the columns of each group add up to the ones.
static std::vector<double> categories(const std::size_t rows, const std::size_t size) {
  std::vector<double> a(rows * size, 0.0);
  const std::vector<double> dice = numbers(rows * size, 11);
  for (std::size_t i = 0; i < rows; ++i) {
    a[i * size + 1] = 1.0;
    for (std::size_t group = 2; group + 4 <= size; group += 4) {
      const double* drawn = dice.data() + i * size + group;
      a[i * size + group + static_cast<std::size_t>(std::max_element(drawn, drawn + 4) - drawn)] = 1.0;
    }
  }
  return a;
}

// The half square of A u - t: at u = 0 its gradient is -A^T t. At the minimum the gradient is -penalty sign(u) where u
// is not 0, and within the penalty elsewhere. The gradient that the function returns is that of its u.
static void meets_the_conditions(const std::vector<double>& a, const std::size_t rows, const double penalty,
                                 const std::size_t rounds) {
  const std::size_t size = a.size() / rows;
  const std::vector<double> t = numbers(rows, 3);
  std::vector<double> h(size * size, 0.0), weights(size, penalty), u(size, 0.0), gradient(size, 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      gradient[j] -= a[i * size + j] * t[i];
      for (std::size_t k = 0; k < size; ++k) h[j * size + k] += a[i * size + j] * a[i * size + k];
    }
  const std::vector<double> first = gradient;
  weights[1] = 0.0;  // a free offset
  CHECK(minimise_l1(*choose_functions(), {h.data(), weights.data(), size}, 1e-24, rounds, u.data(), gradient.data()));
  for (std::size_t j = 0; j < size; ++j) {
    double expected = first[j];
    for (std::size_t k = 0; k < size; ++k) expected += h[j * size + k] * u[k];
    CHECK(std::abs(expected - gradient[j]) < 1e-9);
    if (u[j] != 0.0) CHECK(std::abs(gradient[j] + std::copysign(weights[j], u[j])) < 1e-9);
    CHECK(std::abs(gradient[j]) < weights[j] + 1e-9);
  }
}

static void a_coordinate_without_curvature_stays() {
  const double h[4] = {1.0, 0.0, 0.0, 0.0}, penalty[2] = {0.5, 0.5};
  double u[2] = {0.0, 3.0}, gradient[2] = {-2.0, 7.0};
  CHECK(minimise_l1(*choose_functions(), {h, penalty, 2}, 0.0, 10, u, gradient));
  CHECK(u[0] == 1.5 && u[1] == 3.0);
}

static void chosen_columns_of_dense_rows() {
  const std::vector<double> x = numbers(70 * 5, 5);
  RowsView view;
  view.count = 70;
  view.columns = view.stored_columns = 4;  // the fifth number of a row is not part of it
  view.stride = 5;
  view.values = x.data();
  view.stored_values = 280;
  const std::uint32_t chosen[2] = {1, 3};
  const RowsCopy copy = choose_columns(view, chosen, 2, 2);
  const auto* values = static_cast<const double*>(copy.view.values);
  for (std::size_t i = 0; i < 70; ++i) CHECK(values[2 * i] == x[5 * i + 1] && values[2 * i + 1] == x[5 * i + 3]);
  CHECK(copy.view.columns == 2 && copy.view.count == 70);
  const std::uint32_t falling[2] = {3, 1}, outside[1] = {4};
  for (const auto& [list, count] : {std::pair{falling, std::size_t{2}}, std::pair{outside, std::size_t{1}}}) {
    bool refused = false;
    try {
      choose_columns(view, list, count, 1);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

static void chosen_columns_of_sparse_rows() {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const std::vector<std::int32_t> indices{0, 2, 5, 1, 5, 0}, starts{0, 3, 3, 5, 6};
  RowsView view;
  view.kind = RowKind::csr_f64_i32;
  view.count = 4;
  view.columns = view.stored_columns = 6;
  view.values = values.data();
  view.indices = indices.data();
  view.starts = starts.data();
  view.stored_values = 12;
  const std::uint32_t chosen[2] = {0, 5};
  const RowsCopy copy = choose_columns(view, chosen, 2, 2);
  const auto *at = static_cast<const std::int32_t*>(copy.view.indices),
             *from = static_cast<const std::int32_t*>(copy.view.starts);
  const auto* kept = static_cast<const double*>(copy.view.values);
  const std::int32_t expected_at[4] = {0, 1, 1, 0}, expected_from[5] = {0, 2, 2, 3, 4};
  const double expected[4] = {1, 3, 5, 6};
  for (std::size_t k = 0; k < 4; ++k) CHECK(at[k] == expected_at[k] && kept[k] == expected[k]);
  for (std::size_t i = 0; i < 5; ++i) CHECK(from[i] == expected_from[i]);
}

int main() {
  for (const double penalty : {0.0, 0.01, 0.5, 2.0, 50.0}) {
    meets_the_conditions(table(60, 12, 0), 60, penalty, 2000);
    if (penalty > 0.0) meets_the_conditions(table(60, 12, 3), 60, penalty, 2000);
    if (penalty > 0.0) meets_the_conditions(table(8, 30, 2), 8, penalty, 2000);
    if (penalty > 0.0) meets_the_conditions(categories(400, 42), 400, penalty, 30);
  }
  a_coordinate_without_curvature_stays();
  chosen_columns_of_dense_rows();
  chosen_columns_of_sparse_rows();
  return report();
}
