#include "newton.hpp"

#define ROSENBLATT_TARGET common
#include "blocks.hpp"
#include "lanes.hpp"
#include "losses.hpp"

namespace rosenblatt {
namespace {

using common::HingeLoss, common::LogisticLoss, common::PerceptronLoss, common::SquaredHingeLoss;

double curvature_of(const Loss loss, const double margin) {
  if (loss == Loss::squared_hinge) return margin < 1.0 ? 2.0 : 0.0;
  if (loss != Loss::logistic) return 0.0;
  const double p = LogisticLoss{}.push(margin);
  return p * (1.0 - p);
}

// Partial sums of the parts, added up in their order.
void add_up(const std::vector<double>& sums, const std::size_t size, double* out) {
  std::fill(out, out + size, 0.0);
  for (std::size_t k = 0; k < sums.size(); ++k) out[k % size] += sums[k];
}

}  // namespace

double slopes(const Kernels& kernels, const LabelsView& labels, const Loss loss, const double* scores,
              const std::size_t rows, const std::size_t threads, double* pull, double* curvature) {
  const auto value = kernels.loss_value[static_cast<std::size_t>(loss)];
  const auto push = kernels.loss_push[static_cast<std::size_t>(loss)];
  const std::size_t parts = std::min(most_parts, rows);
  std::vector<double> sums(parts, 0.0);
  parallel(rows < 8192 ? 1 : threads, parts, [&](const std::size_t part) {
    for (std::size_t i = rows * part / parts; i < rows * (part + 1) / parts; ++i) {
      const double sign = labels.signs[i], margin = sign * scores[i], weight = labels.weight(i);
      sums[part] += weight * value(margin);
      if (pull) pull[i] = weight * push(margin) * sign;
      if (curvature) curvature[i] = weight * curvature_of(loss, margin);
    }
  });
  double total = 0.0;
  add_up(sums, 1, &total);
  return total;
}

void pull_together(const Kernels& kernels, const RowsView& rows, const double* change, const double offset_value,
                   const std::size_t threads, double* out) {
  const std::size_t size = rows.columns + 1, parts = std::min(gradient_parts(rows, size), rows.count);
  std::vector<double> sums(parts * size, 0.0);
  const auto accumulate = kernels.accumulate[static_cast<std::size_t>(rows.kind)];
  each_block(rows, rows.count, parts, threads,
             [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
               double* sum = sums.data() + part * size;
               accumulate(rows, {begin, end}, change + begin, 1, scratch, sum);
               for (std::size_t i = begin; i < end; ++i) sum[size - 1] += change[i] * offset_value;
             });
  add_up(sums, size, out);
}

void curve(const Kernels& kernels, const RowsView& rows, const double* curvature, const double* p,
           const double offset_value, const std::size_t threads, double* along, double* out) {
  const std::size_t size = rows.columns + 1, parts = std::min(gradient_parts(rows, size), rows.count);
  std::vector<double> sums(parts * size, 0.0);
  const auto scores = kernels.scores[static_cast<std::size_t>(rows.kind)];
  const auto accumulate = kernels.accumulate[static_cast<std::size_t>(rows.kind)];
  each_block(rows, rows.count, parts, threads,
             [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
               double* sum = sums.data() + part * size;
               scores(rows, {begin, end}, p, 1, 1.0, p + size - 1, offset_value, scratch, along + begin);
               std::vector<double> change(end - begin);
               for (std::size_t i = begin; i < end; ++i) {
                 change[i - begin] = curvature[i] * along[i];
                 sum[size - 1] += change[i - begin] * offset_value;
               }
               accumulate(rows, {begin, end}, change.data(), 1, scratch, sum);
             });
  add_up(sums, size, out);
}

void hessian(const Kernels& kernels, const RowsView& rows, const Selection& selection, const double* curvature,
             const double offset_value, const std::size_t threads, double* out) {
  const std::size_t size = rows.columns + 1, square = size * size;
  const std::size_t parts = std::clamp<std::size_t>(selection.size() / (2 * size + 64), 1, 8);
  std::vector<double> sums(parts * square, 0.0);
  const auto gram = kernels.gram[static_cast<std::size_t>(rows.kind)];
  parallel(threads, parts, [&](const std::size_t part) {
    std::vector<double> scratch(rows.scratch_size()), panel(gram_rows * size);
    const std::size_t begin = selection.size() * part / parts, end = selection.size() * (part + 1) / parts;
    gram(rows, selection.part(begin, end), curvature + begin, offset_value, scratch.data(), panel.data(),
         sums.data() + part * square);
  });
  add_up(sums, square, out);
}

double dot(const double* a, const double* b, const std::size_t size) { return common::dot(a, b, size); }

std::size_t factor(double* a, const std::size_t size, const double least) {
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < size; ++i) {
    double* row = a + i * size;
    for (std::size_t j = 0; j < i; ++j) {
      const double* other = a + j * size;
      row[j] = other[j] == 0.0 ? 0.0 : (row[j] - common::dot(row, other, j)) / other[j];
    }
    const double pivot = row[i] - common::dot(row, row, i);
    if (pivot > least) {
      row[i] = __builtin_sqrt(pivot);
    } else {                              // 0 on the diagonal marks a coordinate that is left out
      row[i] = 0.0;
      ++left_out;
    }
  }
  return left_out;
}

void solve(const double* l, const std::size_t size, double* b) {
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
