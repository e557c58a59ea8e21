// The building blocks of Newton's method against plain sums and finite differences; the same bits on any threads.
#include <algorithm>

#include "solvers/jeffreys.hpp"
#include "solvers/newton.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

struct Table {
  static constexpr std::size_t rows = 9000, columns = 130;
  std::vector<double> x = numbers(rows * columns, 1), weights = numbers(rows, 2);
  std::vector<std::int8_t> signs = std::vector<std::int8_t>(rows);
  std::vector<std::int32_t> codes = std::vector<std::int32_t>(rows);
  RowsView view;

  Table() {
    for (std::size_t i = 0; i < rows; ++i) {
      signs[i] = x[i * columns] > 0.0 ? 1 : -1;
      codes[i] = static_cast<std::int32_t>(i % 3);
      weights[i] = std::abs(weights[i]);
    }
    view.count = rows;
    view.columns = view.stored_columns = view.stride = columns;
    view.values = x.data();
    view.stored_values = x.size();
  }
  LabelsView labels(const bool joint) const {
    return {joint ? nullptr : signs.data(), joint ? codes.data() : nullptr, weights.data()};
  }
};

static bool near(const double a, const double b, const double tol) {
  return std::abs(a - b) <= tol * (1.0 + std::abs(b));
}

// All quantities at some weights, for two classes or joint classes.
struct Passes {
  std::size_t planes, size;
  double loss;
  std::vector<double> scores, pull, curvature, gradient, along, curved;

  Passes(const FunctionTable& functions, const Table& table, const bool joint, const std::vector<double>& z,
         const std::vector<double>& p, const std::size_t threads)
      : planes(joint ? 3 : 1), size(planes * (Table::columns + 1)) {
    const LabelsView labels = table.labels(joint);
    scores.resize(Table::rows * planes);
    pull = curvature = along = scores;
    gradient.resize(size);
    curved.resize(size);
    std::vector<double> none(scores.size());
    hessian_product(functions, table.view, labels, Loss::logistic, none.data(), z.data(), planes, 1.0, threads,
                    scores.data(), curved.data());
    loss = loss_derivatives(functions, labels, Loss::logistic, scores.data(), Table::rows, planes, threads, pull.data(),
                            curvature.data());
    transpose_product(functions, table.view, pull.data(), planes, 1.0, threads, gradient.data());
    hessian_product(functions, table.view, labels, Loss::logistic, curvature.data(), p.data(), planes, 1.0, threads,
                    along.data(), curved.data());
  }
};

// The gradient matches differences of the loss, and the Hessian product differences of the gradient.
static void differences_agree(const FunctionTable& functions, const Table& table, const bool joint) {
  const std::size_t size = (joint ? 3 : 1) * (Table::columns + 1);
  std::vector<double> z = numbers(size, 3), p = numbers(size, 4), up = z, down = z;
  const double h = 1e-5;
  for (std::size_t k = 0; k < size; ++k) {
    up[k] += h * p[k];
    down[k] -= h * p[k];
  }
  const Passes here(functions, table, joint, z, p, 1), above(functions, table, joint, up, p, 1),
      below(functions, table, joint, down, p, 1), threaded(functions, table, joint, z, p, 3);
  CHECK(near(-dot(here.gradient.data(), p.data(), size), (above.loss - below.loss) / (2 * h), 1e-6));
  for (std::size_t k = 0; k < size; ++k)
    CHECK(near(here.curved[k], (below.gradient[k] - above.gradient[k]) / (2 * h), 1e-5));
  CHECK(here.loss == threaded.loss && here.gradient == threaded.gradient && here.curved == threaded.curved);
}

// The explicit Hessian agrees with the Hessian product and with the separate diagonal, and its factor solves.
static void hessian_agrees(const FunctionTable& functions, const Table& table) {
  constexpr std::size_t size = Table::columns + 1;
  const std::vector<double> z = numbers(size, 3), p = numbers(size, 4);
  const Passes at(functions, table, false, z, p, 1);
  std::vector<double> square(size * size), again(size * size), diagonal(size), product(size, 0.0);
  compute_hessian(functions, table.view, {0, Table::rows}, at.curvature.data(), 1.0, 1, square.data());
  compute_hessian(functions, table.view, {0, Table::rows}, at.curvature.data(), 1.0, 3, again.data());
  compute_hessian_diagonal(table.view, at.curvature.data(), 1, 1.0, 1, diagonal.data());
  for (std::size_t i = 0; i < size; ++i) {
    CHECK(near(square[i * size + i], diagonal[i], 1e-9));
    for (std::size_t j = 0; j < size; ++j) {
      product[i] += square[std::max(i, j) * size + std::min(i, j)] * p[j];
      if (j <= i) CHECK(square[i * size + j] == again[i * size + j]);
    }
  }
  for (std::size_t i = 0; i < size; ++i) CHECK(near(at.curved[i], product[i], 1e-9));
  CHECK(functions.cholesky_factor(square.data(), size, 1e-13) == 0);
  cholesky_solve(square.data(), size, product.data());
  for (std::size_t i = 0; i < size; ++i) CHECK(near(product[i], p[i], 1e-6));
}

// A linearly dependent coordinate is dropped and stays 0.
static void dependent_coordinates_are_dropped(const FunctionTable& functions) {
  std::vector<double> square{1.0, 0.0, 1.0, 1.0}, b{3.0, 3.0};
  CHECK(functions.cholesky_factor(square.data(), 2, 1e-13) == 1);
  cholesky_solve(square.data(), 2, b.data());
  CHECK(b[0] == 3.0 && b[1] == 0.0);
}

// Leverages add up to the number of coordinates, the inverse is that of the factor, and threads change no bit.
static void jeffreys_terms_agree(const FunctionTable& functions, const Table& table) {
  constexpr std::size_t size = Table::columns + 1;
  const std::vector<double> z = numbers(size, 3);
  const Passes at(functions, table, false, z, z, 1);
  std::vector<double> pull(Table::rows), curvature = pull, share = pull, inverse(size * size), again = inverse;
  const auto terms = [&](const std::size_t threads, std::vector<double>& out) {
    return jeffreys_terms(functions, table.view, table.labels(false), at.scores.data(), 1.0, 1e-13, threads,
                          pull.data(), curvature.data(), share.data(), out.data());
  };
  const JeffreysTerms one = terms(1, inverse);
  const std::vector<double> first = share;
  const JeffreysTerms three = terms(3, again);
  CHECK(one.loss == at.loss && one.log_determinant == three.log_determinant && first == share && inverse == again);
  double leverages = 0.0;
  for (std::size_t i = 0; i < Table::rows; ++i) leverages += share[i] * table.weights[i];
  CHECK(near(leverages, static_cast<double>(size), 1e-9));
  std::vector<double> x(table.x.begin(), table.x.begin() + Table::columns);
  x.push_back(1.0);
  double length = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    const double product = dot(inverse.data() + i * size, x.data(), size);
    length += product * product;
  }
  CHECK(near(share[0], length * curvature[0] / table.weights[0], 1e-9));
}

// Tables of any shape and kind of number: the outer products, and the lengths by the identity as L^-1, against plain
// sums.
template <class T>
static void shape_agrees(const FunctionTable& functions, const RowKind kind, const std::size_t rows,
                         const std::size_t columns) {
  const std::size_t size = columns + 1;
  const std::vector<double> drawn = numbers(rows * columns, 5);
  const std::vector<T> x(drawn.begin(), drawn.end());
  std::vector<double> weight(rows), square(size * size), lengths(rows), identity(size * size, 0.0), panel(17 * size);
  for (std::size_t i = 0; i < rows; ++i) weight[i] = static_cast<double>(i % 5);
  for (std::size_t j = 0; j < size; ++j) identity[j * size + j] = 1.0;
  RowsView view;
  view.kind = kind;
  view.count = rows;
  view.columns = view.stored_columns = view.stride = columns;
  view.values = x.data();
  view.stored_values = x.size();
  compute_hessian(functions, view, {0, rows}, weight.data(), 0.5, 1, square.data());
  functions.squared_lengths[index_of(kind)](view, {0, rows}, identity.data(), nullptr, 0.5, nullptr, panel.data(),
                                            lengths.data());
  const auto entry = [&](const std::size_t i, const std::size_t j) {
    return j == columns ? 0.5 : static_cast<double>(x[i * columns + j]);
  };
  for (std::size_t i = 0; i < rows; ++i) {
    double length = 0.0;
    for (std::size_t j = 0; j < size; ++j) length += entry(i, j) * entry(i, j);
    CHECK(near(lengths[i], length, 1e-12));
  }
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t k = 0; k <= j; ++k) {
      double sum = 0.0;
      for (std::size_t i = 0; i < rows; ++i) sum += weight[i] * entry(i, j) * entry(i, k);
      CHECK(near(square[j * size + k], sum, 1e-12));
    }
}

static void shapes_agree(const FunctionTable& functions) {
  for (const std::size_t rows : {1u, 15u, 16u, 33u, 70u, 150u})
    for (const std::size_t columns : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 15u, 16u, 18u, 21u}) {
      shape_agrees<double>(functions, RowKind::dense_f64, rows, columns);
      shape_agrees<float>(functions, RowKind::dense_f32, rows, columns);
    }
}

int main() {
  const FunctionTable& functions = *choose_functions();
  const Table table;
  differences_agree(functions, table, false);
  differences_agree(functions, table, true);
  hessian_agrees(functions, table);
  dependent_coordinates_are_dropped(functions);
  jeffreys_terms_agree(functions, table);
  for (const char* const name : {"baseline", "avx2", "avx512"})
    if (const FunctionTable* const target = find_functions(name)) shapes_agree(*target);
  return report();
}
