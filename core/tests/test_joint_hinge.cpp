// The smoothed joint hinge: its shares, and its Hessian as products and as a matrix.
#include "solvers/joint_hinge.hpp"
#include "solvers/newton.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

constexpr std::size_t rows = 300, columns = 4, planes = 5, size = planes * (columns + 1);

struct Table {
  std::vector<double> x = numbers(rows * columns, 1);
  std::vector<std::int32_t> codes = std::vector<std::int32_t>(rows);
  RowsView view;
  LabelsView labels;

  Table() {
    for (std::size_t i = 0; i < rows; ++i) codes[i] = static_cast<std::int32_t>(i % planes);
    view.count = rows;
    view.columns = view.stored_columns = view.stride = columns;
    view.values = x.data();
    view.stored_values = x.size();
    labels.codes = codes.data();
  }
};

// The shares of every row are a point of the simplex, and the pull is the slope of the loss.
static void shares_and_slopes() {
  const Table table;
  const std::vector<double> centres(rows * planes, 1.0 / planes), scores = numbers(rows * planes, 2);
  std::vector<double> pull(rows * planes), shares = pull, other_pull = pull, other_shares = pull, moved = scores;
  const double loss = smoothed_joint_hinge(table.labels, scores.data(), centres.data(), 0.7, rows, planes, 1,
                                           pull.data(), shares.data());
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < planes; ++k) {
      CHECK(shares[i * planes + k] >= 0.0);
      sum += shares[i * planes + k];
    }
    CHECK(std::abs(sum - 1.0) < 1e-12);
  }
  for (const std::size_t at : {std::size_t{0}, std::size_t{7}, rows * planes - 1}) {
    moved[at] += 1e-6;
    const double there = smoothed_joint_hinge(table.labels, moved.data(), centres.data(), 0.7, rows, planes, 2,
                                              other_pull.data(), other_shares.data());
    CHECK(std::abs((loss - there) / 1e-6 - pull[at]) < 1e-4);
    moved[at] = scores[at];
  }
}

// The matrix times a direction is the product.
static void matrix_and_product_agree() {
  const Table table;
  const FunctionTable& functions = *choose_functions();
  std::vector<double> shares = numbers(rows * planes, 3), matrix(size * size), along(rows * planes), out(size);
  for (double& share : shares) share = share > 0.0 ? share : 0.0;
  const std::vector<double> p = numbers(size, 4);
  joint_hinge_hessian(functions, table.view, table.labels, shares.data(), planes, 1.5, 2, matrix.data());
  hessian_product(functions, table.view, table.labels, Loss::hinge, shares.data(), p.data(), planes, 1.5, 2,
                  along.data(), out.data());
  for (std::size_t a = 0; a < size; ++a) {
    double sum = 0.0;
    for (std::size_t b = 0; b < size; ++b) sum += matrix[std::max(a, b) * size + std::min(a, b)] * p[b];
    CHECK(std::abs(sum - out[a]) < 1e-9);
  }
}

int main() {
  shares_and_slopes();
  matrix_and_product_agree();
  return report();
}
