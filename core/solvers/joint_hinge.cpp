#include "solvers/joint_hinge.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "passes/blocks.hpp"
#include "system/parallel.hpp"

namespace rosenblatt {
namespace {

// In place: the nearest point of the simplex. Coordinates below the common threshold drop out until none does.
void project_on_simplex(double* point, const std::size_t size) {
  std::size_t left = 0;
  double threshold = -1e308;
  for (;;) {
    double sum = 0.0;
    std::size_t above = 0;
    for (std::size_t k = 0; k < size; ++k)
      if (point[k] > threshold) sum += point[k], ++above;
    if (above == left || above == 0) break;
    left = above;
    threshold = (sum - 1.0) / static_cast<double>(above);
  }
  for (std::size_t k = 0; k < size; ++k) point[k] = point[k] > threshold ? point[k] - threshold : 0.0;
}

// One row. The projection is computed relative to the largest coordinate, so that large scores lose no digits.
double smoothed_row(const std::size_t own, const double weight, const double* scores, const double* centre,
                    const double sharpness, const std::size_t planes, double* pull, double* share) {
  const double top = *std::max_element(scores, scores + planes);
  for (std::size_t k = 0; k < planes; ++k)
    share[k] = centre[k] + sharpness * (scores[k] - top + (k == own ? 0.0 : 1.0));
  project_on_simplex(share, planes);
  double loss = 0.0, square = 0.0;
  for (std::size_t k = 0; k < planes; ++k) {
    const double move = share[k] - centre[k];
    loss += share[k] * (scores[k] - scores[own] + (k == own ? 0.0 : 1.0));
    square += move * move;
    pull[k] = weight * ((k == own ? 1.0 : 0.0) - share[k]);
  }
  return weight * (loss - 0.5 * square / sharpness);
}

struct Shared {
  double top, lowest, mean;  // the best score, the lowest of a class with a share, and the mean by shares
};

Shared summarize_shared(const double* scores, const double* share, const std::size_t planes) {
  Shared found{*std::max_element(scores, scores + planes), 1e308, 0.0};
  for (std::size_t k = 0; k < planes; ++k) {
    if (share[k] > 0.0) found.lowest = std::min(found.lowest, scores[k]);
    found.mean += share[k] * scores[k];
  }
  return found;
}

double second_best(const double* scores, const std::size_t planes, const std::size_t own) {
  double best = -1e308;
  for (std::size_t k = 0; k < planes; ++k)
    if (k != own) best = std::max(best, scores[k]);
  return best;
}

// The rows in whose support two classes are (or one, twice), each with its weight in the Hessian. Weights of two
// different classes are to be subtracted.
struct ClassPair {
  std::vector<std::uint32_t> rows;
  std::vector<double> weights;
};

std::size_t pair_index(const std::size_t k, const std::size_t l) { return k * (k + 1) / 2 + l; }

std::vector<ClassPair> class_pairs(const LabelsView& labels, const double* shares, const std::size_t rows,
                                   const std::size_t planes) {
  std::vector<ClassPair> pairs(pair_index(planes, 0));
  std::vector<std::size_t> support;
  for (std::size_t i = 0; i < rows; ++i) {
    support.clear();
    for (std::size_t k = 0; k < planes; ++k)
      if (shares[i * planes + k] > 0.0) support.push_back(k);
    const double weight = labels.weight(i), part = weight / static_cast<double>(support.size());
    if (support.size() < 2 || weight == 0.0) continue;
    for (std::size_t a = 0; a < support.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        ClassPair& pair = pairs[pair_index(support[a], support[b])];
        pair.rows.push_back(static_cast<std::uint32_t>(i));
        pair.weights.push_back(a == b ? weight - part : part);
      }
  }
  return pairs;
}

// Copies the block of classes k >= l, the lower triangle of a square of size columns + 1, to its places.
void place_block(const double* block, const std::size_t columns, const std::size_t planes, const std::size_t k,
                 const std::size_t l, double* out) {
  const std::size_t size = columns + 1, width = planes * size;
  const double sign = k == l ? 1.0 : -1.0;
  double *const offset_k = out + (planes * columns + k) * width, *const offset_l = out + (planes * columns + l) * width;
  for (std::size_t a = 0; a < columns; ++a) {
    double* row = out + (k * columns + a) * width + l * columns;
    for (std::size_t b = 0; b < (k == l ? a + 1 : columns); ++b)
      row[b] = sign * block[a >= b ? a * size + b : b * size + a];
  }
  for (std::size_t b = 0; b < columns; ++b) {
    offset_k[l * columns + b] = sign * block[columns * size + b];
    offset_l[k * columns + b] = sign * block[columns * size + b];
  }
  offset_k[planes * columns + l] = sign * block[columns * size + columns];
}

}  // namespace

double smoothed_joint_hinge(const LabelsView& labels, const double* scores, const double* centres,
                            const double sharpness, const std::size_t rows, const std::size_t planes,
                            const std::size_t threads, double* pull, double* shares) {
  const std::size_t parts = std::min(max_parts, rows);
  std::vector<double> sums(parts, 0.0);
  parallel(rows * planes < 16384 ? 1 : threads, parts, [&](const std::size_t part) {
    for (std::size_t i = rows * part / parts; i < rows * (part + 1) / parts; ++i)
      sums[part] += smoothed_row(static_cast<std::size_t>(labels.codes[i]), labels.weight(i), scores + i * planes,
                                 centres + i * planes, sharpness, planes, pull + i * planes, shares + i * planes);
  });
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

void apply_joint_hinge_curvature(const double weight, const double* share, const double* along,
                                 const std::size_t planes, double* change) {
  double sum = 0.0;
  std::size_t support = 0;
  for (std::size_t k = 0; k < planes; ++k)
    if (share[k] > 0.0) sum += along[k], ++support;
  const double mean = support ? sum / static_cast<double>(support) : 0.0;
  for (std::size_t k = 0; k < planes; ++k) change[k] = share[k] > 0.0 ? weight * (along[k] - mean) : 0.0;
}

void joint_hinge_hessian(const FunctionTable& functions, const RowsView& rows, const LabelsView& labels,
                         const double* shares, const std::size_t planes, const double offset_value,
                         const std::size_t threads, double* out) {
  const std::size_t size = rows.columns + 1;
  const std::vector<ClassPair> pairs = class_pairs(labels, shares, rows.count, planes);
  const auto add_outer_products = functions.add_outer_products[index_of(rows.kind)];
  std::fill(out, out + planes * size * planes * size, 0.0);
  parallel(threads, planes, [&](const std::size_t k) {
    std::vector<double> scratch(rows.scratch_size());
    for (std::size_t l = 0; l <= k; ++l) {
      const ClassPair& pair = pairs[pair_index(k, l)];
      if (pair.rows.empty()) continue;
      std::vector<double> panel(panel_height * panel_width(size)), block(size * size, 0.0);
      add_outer_products(rows, {0, pair.rows.size(), pair.rows.data()}, pair.weights.data(), offset_value,
                         scratch.data(), panel.data(), block.data());
      place_block(block.data(), rows.columns, planes, k, l, out);
    }
  });
}

double descend_joint_hinge(const FunctionTable& functions, const RowsView& rows, const LabelsView& labels,
                           const double C, const std::uint32_t* list, const std::size_t count, const std::size_t planes,
                           const double offset_value, double* z, double* shares, double* violation) {
  const auto compute_scores = functions.scores[index_of(rows.kind)];
  const auto accumulate = functions.accumulate[index_of(rows.kind)];
  const auto squared_norms = functions.squared_norms[index_of(rows.kind)];
  double* const offsets = z + planes * rows.columns;
  std::vector<double> scratch(rows.scratch_size()), scores(planes), point(planes), change(planes);
  double gap = 0.0, norm = 0.0;
  for (std::size_t v = 0; v < count; ++v) {
    const std::size_t row = list[v], own = static_cast<std::size_t>(labels.codes[row]);
    const double cost = C * labels.weight(row);
    double* share = shares + row * planes;
    compute_scores(rows, {row, row + 1}, z, planes, 1.0, offsets, offset_value, scratch.data(), scores.data());
    for (std::size_t k = 0; k < planes; ++k) scores[k] += k == own ? 0.0 : 1.0;
    const auto [top, lowest, mean] = summarize_shared(scores.data(), share, planes);
    gap += cost * (top - mean);
    violation[v] = top > lowest        ? top - lowest
                   : share[own] == 1.0 ? second_best(scores.data(), planes, own) - top
                                       : 0.0;
    if (top == lowest) continue;
    squared_norms(rows, {row, row + 1}, scratch.data(), &norm);
    const double step = std::min(1.0 / (cost * (norm + offset_value * offset_value)), 1e300);  // a row may be 0
    for (std::size_t k = 0; k < planes; ++k) point[k] = share[k] + step * (scores[k] - top);
    project_on_simplex(point.data(), planes);
    for (std::size_t k = 0; k < planes; ++k) {
      change[k] = cost * (share[k] - point[k]);
      offsets[k] += change[k] * offset_value;
      share[k] = point[k];
    }
    accumulate(rows, {row, row + 1}, change.data(), planes, scratch.data(), z);
  }
  return gap;
}

}  // namespace rosenblatt
