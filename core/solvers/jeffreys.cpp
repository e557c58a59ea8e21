#include "solvers/jeffreys.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#define ROSENBLATT_TARGET common
#include "numerics/elementary.hpp"
#include "passes/blocks.hpp"
#include "solvers/newton.hpp"

namespace rosenblatt {
namespace {

// The columns of L^-1 as rows, which only sparse rows read.
std::vector<double> transposed_if_sparse(const RowsView& rows, const double* inverse, const std::size_t size) {
  if (!rows.indices) return {};
  std::vector<double> out(size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) out[j * size + i] = inverse[i * size + j];
  return out;
}

// out[i] = |L^-1 x_i|^2.
void compute_squared_lengths(const FunctionTable& functions, const RowsView& rows, const double* inverse,
                             const double offset_value, const std::size_t threads, double* out) {
  const std::size_t size = rows.columns + 1;
  const std::vector<double> transposed = transposed_if_sparse(rows, inverse, size);
  const auto squared_lengths = functions.squared_lengths[index_of(rows.kind)];
  const std::size_t parts = std::clamp<std::size_t>(rows.count / max_block_rows, 1, max_parts);
  parallel(useful_threads_for_products(rows, rows.count, 1, threads), parts, [&](const std::size_t part) {
    const std::size_t begin = rows.count * part / parts, end = rows.count * (part + 1) / parts;
    std::vector<double> scratch(rows.scratch_size()), panel(size * (length_panel_rows + 1));
    squared_lengths(rows, {begin, end}, inverse, transposed.data(), offset_value, scratch.data(), panel.data(),
                    out + begin);
  });
}

// Lengths become shares, and the pull that of the modified score: s (y - p) - s (y - 1/2) = s (1/2 - p). Rows without
// weights need no division.
void add_half_leverages(const LabelsView& labels, const std::size_t count, const double* __restrict curvature,
                        double* __restrict share, double* __restrict pull) {
  const std::int8_t* const signs = labels.signs;
  if (labels.weights) {
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = labels.weights[i];
      share[i] *= weight > 0.0 ? curvature[i] / weight : 0.0;
      pull[i] += share[i] * (pull[i] - 0.5 * weight * signs[i]);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    share[i] *= curvature[i];
    pull[i] += share[i] * (pull[i] - 0.5 * signs[i]);
  }
}

}  // namespace

double invert_information(const FunctionTable& functions, double* a, const std::size_t size, const double least_pivot,
                          double* inverse) {
  std::vector<double> scale(size);
  std::size_t unused = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double diagonal = a[i * size + i];
    if (!std::isfinite(diagonal)) return std::numeric_limits<double>::quiet_NaN();
    if (!(diagonal > 0.0)) ++unused;
    scale[i] = diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 1.0;
  }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) a[i * size + j] *= scale[i] * scale[j];
  const std::size_t dropped = functions.cholesky_factor(a, size, least_pivot);
  functions.invert_triangle(a, size, inverse);
  double total = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    const double pivot = a[i * size + i];
    if (pivot > 0.0) total += common::log(pivot / scale[i]);
    for (std::size_t j = 0; j <= i; ++j) inverse[i * size + j] *= scale[j];
  }
  return dropped > unused ? -std::numeric_limits<double>::infinity() : 2.0 * total;
}

JeffreysTerms jeffreys_terms(const FunctionTable& functions, const RowsView& rows, const LabelsView& labels,
                             const double* scores, const double offset_value, const double least_pivot,
                             const std::size_t threads, double* pull, double* curvature, double* share,
                             double* inverse) {
  const std::size_t size = rows.columns + 1;
  JeffreysTerms terms;
  terms.loss = loss_derivatives(functions, labels, Loss::logistic, scores, rows.count, 1, threads, pull, curvature);
  std::vector<double> information(size * size);
  compute_hessian(functions, rows, {0, rows.count}, curvature, offset_value, threads, information.data());
  terms.log_determinant = invert_information(functions, information.data(), size, least_pivot, inverse);
  compute_squared_lengths(functions, rows, inverse, offset_value, threads, share);
  add_half_leverages(labels, rows.count, curvature, share, pull);
  return terms;
}

}  // namespace rosenblatt
