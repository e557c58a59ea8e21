#include "solvers/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#define ROSENBLATT_TARGET common
#include "numerics/fixed_sums.hpp"
#include "parts/losses.hpp"
#include "passes/blocks.hpp"
#include "passes/side_by_side.hpp"
#include "rows/lifted_rows.hpp"
#include "solvers/joint_hinge.hpp"
#include "system/uninitialized_vector.hpp"

namespace rosenblatt {
namespace {

// out = the sum of the parts, added in their order.
void sum_parts(const std::vector<double>& sums, const std::size_t size, double* out) {
  std::fill(out, out + size, 0.0);
  for (std::size_t from = 0; from < sums.size(); from += size)
    for (std::size_t k = 0; k < size; ++k) out[k] += sums[from + k];
}

// log(x) for x >= 1.
double log_of(double x) {
  double powers = 0.0;
  for (; x > 2.0; x /= 2.0) powers += 0.693147180559945309;
  return powers + common::log1p(x - 1.0);
}

// Softmax of one row: returns the weighted loss and fills pulls and probabilities.
double softmax_row(const std::size_t own, const double weight, const double* scores, const std::size_t planes,
                   double* pull, double* probability) {
  const double top = *std::max_element(scores, scores + planes);
  double total = 0.0;
  for (std::size_t k = 0; k < planes; ++k) total += probability[k] = common::exp(scores[k] - top);
  const double loss = log_of(total) + top - scores[own];
  for (std::size_t k = 0; k < planes; ++k) {
    probability[k] /= total;
    pull[k] = weight * ((k == own ? 1.0 : 0.0) - probability[k]);
  }
  return weight * loss;
}

// change = the curvature of the loss times the scores along a direction, for one row.
void apply_curvature(const LabelsView& labels, const Loss loss, const std::size_t row, const double* curvature,
                     const double* along, const std::size_t planes, double* change) {
  if (planes == 1) {
    *change = *curvature * *along;
    return;
  }
  if (loss == Loss::hinge) return apply_joint_hinge_curvature(labels.weight(row), curvature, along, planes, change);
  double mean = 0.0;
  for (std::size_t k = 0; k < planes; ++k) mean += curvature[k] * along[k];
  for (std::size_t k = 0; k < planes; ++k) change[k] = labels.weight(row) * curvature[k] * (along[k] - mean);
}

void hessian_product_side_by_side(const FunctionTable& functions, const RowsView& rows, const LabelsView& labels,
                                  const Loss loss, const double* curvature, const double* p, const std::size_t planes,
                                  const double offset_value, const std::size_t threads, double* along, double* out) {
  const Weights weights{p, p + planes * rows.columns, planes, 1.0, offset_value};
  scores_side_by_side(functions, rows, weights, {0, rows.count}, threads, along);
  UninitializedVector<double> change(rows.count * planes);
  for_each_block(rows, rows.count, std::min(max_parts, rows.count), threads,
                 [&](std::size_t, const std::size_t begin, const std::size_t end, double*) {
                   for (std::size_t i = begin; i < end; ++i)
                     apply_curvature(labels, loss, i, curvature + i * planes, along + i * planes, planes,
                                     change.data() + i * planes);
                 });
  transpose_product_side_by_side(functions, rows, change.data(), planes, offset_value, threads, out);
}

// Adds curvature * x^2 of all rows to `width` sums per column. A row has `planes` curvatures; the first `width` count.
template <class Rows, class Width>
void add_squares(const Rows& of, const RowsView& rows, const double* curvature, const std::size_t planes,
                 const Width width, const double offset_value, double* sums) {
  std::vector<double> scratch(rows.scratch_size());
  for (std::size_t i = 0; i < rows.count; ++i) {
    const auto x = of.row(i, i, scratch.data());
    const double* const own = curvature + i * planes;
    for (std::size_t j = 0; j < x.size; ++j) {
      const auto value = static_cast<double>(x.values[j]);
      std::size_t column = j;
      if constexpr (requires { x.indices; }) column = static_cast<std::size_t>(x.indices[j]);
      for (std::size_t k = 0; k < width; ++k) sums[column * width + k] += own[k] * value * value;
    }
    for (std::size_t k = 0; k < width; ++k) sums[rows.columns * width + k] += own[k] * offset_value * offset_value;
  }
}

// The sum of scale * x^2 over the coordinates of each row from `begin` on, the offset's included.
template <class Rows>
void scaled_squares(const Rows& of, const RowsView& rows, const double* scale, const double offset_value,
                    const std::size_t begin, const std::size_t end, double* scratch, double* out) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto x = of.row(i, i, scratch);
    double sum = scale[rows.columns] * offset_value * offset_value;
    for (std::size_t j = 0; j < x.size; ++j) {
      const auto value = static_cast<double>(x.values[j]);
      std::size_t column = j;
      if constexpr (requires { x.indices; }) column = static_cast<std::size_t>(x.indices[j]);
      sum += scale[column] * value * value;
    }
    out[i] = sum;
  }
}

// The number of partial Hessians: the work must pay for adding them. Dense rows add 16 entries at a time; sparse rows
// have fewer entries.
std::size_t hessian_parts(const RowsView& rows, const std::size_t selected) {
  const double size = static_cast<double>(rows.columns) + 1.0, count = static_cast<double>(selected);
  const double stored =
      static_cast<double>(rows.stored_values) / static_cast<double>(std::max<std::size_t>(rows.count, 1));
  const double work =
      rows.indices ? stored * stored / 8.0 : size * size / 32.0;  // stored_values counts values and indices
  return static_cast<std::size_t>(std::clamp(count * work / (8.0 * size * size), 1.0, 8.0));
}

std::size_t useful_threads_for(const std::size_t rows, const std::size_t threads) { return rows < 16384 ? 1 : threads; }

}  // namespace

double loss_derivatives(const FunctionTable& functions, const LabelsView& labels, const Loss loss, const double* scores,
                        const std::size_t rows, const std::size_t planes, const std::size_t threads, double* pull,
                        double* curvature) {
  const auto binary_derivatives = functions.loss_derivatives[index_of(loss)];
  const std::size_t parts = std::clamp<std::size_t>(rows / max_block_rows, 1, max_parts);  // short loops run one by one
  std::vector<double> sums(parts, 0.0);
  parallel(useful_threads_for(rows, threads), parts, [&](const std::size_t part) {
    const std::size_t begin = rows * part / parts, end = rows * (part + 1) / parts;
    if (labels.signs) {
      sums[part] = binary_derivatives(labels, scores, begin, end, pull, curvature);
      return;
    }
    for (std::size_t i = begin; i < end; ++i)
      sums[part] += softmax_row(static_cast<std::size_t>(labels.codes[i]), labels.weight(i), scores + i * planes,
                                planes, pull + i * planes, curvature + i * planes);
  });
  double total = 0.0;
  sum_parts(sums, 1, &total);
  return total;
}

void transpose_product(const FunctionTable& functions, const RowsView& rows, const double* change,
                       const std::size_t planes, const double offset_value, const std::size_t threads, double* out) {
  if (go_side_by_side(functions, rows, planes, rows.count))
    return transpose_product_side_by_side(functions, rows, change, planes, offset_value, threads, out);
  const std::size_t size = planes * (rows.columns + 1), parts = std::min(gradient_parts(rows, size), rows.count);
  std::vector<double> sums(parts * size, 0.0);
  const auto accumulate = functions.accumulate[index_of(rows.kind)];
  for_each_block(rows, rows.count, parts, threads,
                 [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
                   double* sum = sums.data() + part * size;
                   accumulate(rows, {begin, end}, change + begin * planes, planes, scratch, sum);
                   add_offsets(change + begin * planes, end - begin, planes, offset_value, sum + size - planes);
                 });
  sum_parts(sums, size, out);
}

void hessian_product(const FunctionTable& functions, const RowsView& rows, const LabelsView& labels, const Loss loss,
                     const double* curvature, const double* p, const std::size_t planes, const double offset_value,
                     const std::size_t threads, double* along, double* out) {
  if (go_side_by_side(functions, rows, planes, rows.count))
    return hessian_product_side_by_side(functions, rows, labels, loss, curvature, p, planes, offset_value, threads,
                                        along, out);
  const std::size_t size = planes * (rows.columns + 1), parts = std::min(gradient_parts(rows, size), rows.count);
  std::vector<double> sums(parts * size, 0.0);
  const auto scores = functions.scores[index_of(rows.kind)];
  const auto accumulate = functions.accumulate[index_of(rows.kind)];
  for_each_block(rows, rows.count, parts, threads,
                 [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
                   double* sum = sums.data() + part * size;
                   scores(rows, {begin, end}, p, planes, 1.0, p + size - planes, offset_value, scratch,
                          along + begin * planes);
                   std::vector<double> change((end - begin) * planes);
                   for (std::size_t i = begin; i < end; ++i)
                     apply_curvature(labels, loss, i, curvature + i * planes, along + i * planes, planes,
                                     change.data() + (i - begin) * planes);
                   add_offsets(change.data(), end - begin, planes, offset_value, sum + size - planes);
                   accumulate(rows, {begin, end}, change.data(), planes, scratch, sum);
                 });
  sum_parts(sums, size, out);
}

void compute_hessian(const FunctionTable& functions, const RowsView& rows, const Selection& selection,
                     const double* curvature, const double offset_value, const std::size_t threads, double* out) {
  const std::size_t size = rows.columns + 1, square = size * size;
  const std::size_t parts = hessian_parts(rows, selection.size());
  std::vector<double> sums(parts * square, 0.0);
  const auto add_outer_products = functions.add_outer_products[index_of(rows.kind)];
  parallel(useful_threads_for_products(rows, selection.size(), 1, threads), parts, [&](const std::size_t part) {
    std::vector<double> scratch(rows.scratch_size()), panel(panel_height * panel_width(size));
    const std::size_t begin = selection.size() * part / parts, end = selection.size() * (part + 1) / parts;
    add_outer_products(rows, selection.part(begin, end), curvature + begin, offset_value, scratch.data(), panel.data(),
                       sums.data() + part * square);
  });
  sum_parts(sums, square, out);
}

void compute_plane_hessians(const FunctionTable& functions, const RowsView& rows, const Selection& selection,
                            const double* curvature, const std::size_t planes, const double offset_value,
                            const std::size_t threads, double* out) {
  const std::size_t size = rows.columns + 1;
  const auto add_outer_products = functions.add_outer_products[index_of(rows.kind)];
  std::fill(out, out + planes * size * size, 0.0);
  parallel(useful_threads_for_products(rows, selection.size(), planes, threads), planes, [&](const std::size_t plane) {
    std::vector<double> scratch(rows.scratch_size()), panel(panel_height * panel_width(size)), own(selection.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = curvature[i * planes + plane];
    add_outer_products(rows, selection, own.data(), offset_value, scratch.data(), panel.data(),
                       out + plane * size * size);
  });
}

void compute_hessian_diagonal(const RowsView& rows, const double* curvature, const std::size_t planes,
                              const double offset_value, const std::size_t threads, double* out) {
  const std::size_t columns = rows.columns, groups = std::clamp<std::size_t>(threads, 1, planes);
  parallel(useful_threads(rows, rows.count, threads), groups, [&](const std::size_t group) {
    const std::size_t first = planes * group / groups, width = planes * (group + 1) / groups - first;
    std::vector<double> sums((columns + 1) * width, 0.0);  // side by side, so a stored number finds its sums together
    const auto add = [&](const auto& of) {
      if (width == 1)
        add_squares(of, rows, curvature + first, planes, std::integral_constant<std::size_t, 1>{}, offset_value,
                    sums.data());
      else add_squares(of, rows, curvature + first, planes, width, offset_value, sums.data());
    };
    common::with_rows(rows, add);
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t j = 0; j < columns; ++j) out[(first + k) * columns + j] = sums[j * width + k];
      out[planes * columns + first + k] = sums[columns * width + k];
    }
  });
}

void compute_scaled_squares(const RowsView& rows, const double* scale, const double offset_value,
                            const std::size_t threads, double* out) {
  for_each_block(rows, rows.count, std::min(max_parts, rows.count), threads,
                 [&](std::size_t, const std::size_t begin, const std::size_t end, double* scratch) {
                   common::with_rows(rows, [&](const auto& of) {
                     scaled_squares(of, rows, scale, offset_value, begin, end, scratch, out);
                   });
                 });
}

void add_scaled(const double* scores, const double step, const double* along, const std::size_t size,
                const std::size_t threads, double* out) {
  const std::size_t parts = std::min(max_parts, size);
  parallel(useful_threads_for(size, threads), parts, [&](const std::size_t part) {
    const std::size_t end = size * (part + 1) / parts;
    for (std::size_t i = size * part / parts; i < end; ++i) out[i] = scores[i] + step * along[i];
  });
}

double least_ratio(const double* now, const double* before, const std::size_t size, const std::size_t threads) {
  const std::size_t parts = std::min(max_parts, size);
  std::vector<double> least(parts, 1.0);
  parallel(useful_threads_for(size, threads), parts, [&](const std::size_t part) {
    const std::size_t end = size * (part + 1) / parts;
    double lowest = 1.0;
    for (std::size_t i = size * part / parts; i < end; ++i) {
      const double ratio = before[i] > 0.0 ? now[i] / before[i] : 1.0;
      lowest = ratio < lowest ? ratio : lowest;
    }
    least[part] = lowest;
  });
  return *std::min_element(least.begin(), least.end());
}

double dot(const double* a, const double* b, const std::size_t size) { return common::dot(a, b, size); }

double euclidean_norm(const double* x, const std::size_t size) {
  if (!common::all_finite(x, size)) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0.0;
  for (std::size_t j = 0; j < size; ++j) largest = std::max(largest, std::fabs(x[j]));
  if (largest == 0.0) return 0.0;
  common::FixedSum squares;
  squares.add_all(size, [=]<class V>(const std::size_t j) {
    const V scaled = common::load_as<V>(x + j) / largest;
    return scaled * scaled;
  });
  return largest * std::sqrt(squares.total());
}

void cholesky_solve(const double* l, const std::size_t size, double* b) {
  for (std::size_t i = 0; i < size; ++i) {
    const double* row = l + i * size;
    b[i] = row[i] == 0.0 ? 0.0 : (b[i] - common::dot(row, b, i)) / row[i];
  }
  for (std::size_t i = size; i-- > 0;) {
    const double* row = l + i * size;
    b[i] = row[i] == 0.0 ? 0.0 : b[i] / row[i];
    for (std::size_t j = 0; j < i; ++j) b[j] -= row[j] * b[i];
  }
}

}  // namespace rosenblatt
