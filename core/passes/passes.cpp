#include "passes/passes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <vector>

#define ROSENBLATT_TARGET common
#include "numerics/fixed_sums.hpp"
#include "passes/blocks.hpp"
#include "passes/side_by_side.hpp"

namespace rosenblatt {
namespace {

struct RowMargin {
  double margin;
  std::size_t own, rival;     // planes; equal where there is only one
  double sign;
};

RowMargin row_margin(const LabelsView& labels, const double* score, const std::size_t planes, const std::size_t row) {
  if (labels.signs) return {labels.signs[row] * score[0], 0, 0, static_cast<double>(labels.signs[row])};
  const auto own = static_cast<std::size_t>(labels.codes[row]);
  std::size_t rival = own == 0 ? 1 : 0;
  for (std::size_t k = rival + 1; k < planes; ++k)
    if (k != own && score[k] > score[rival]) rival = k;
  return {score[own] - score[rival], own, rival, 1.0};
}

// A row moves its own plane towards itself and the rival plane away.
void write_changes(const RowMargin& found, const double amount, double* change) {
  change[found.own] = found.sign * amount;
  if (found.rival != found.own) change[found.rival] = -amount;
}

}  // namespace

bool compute_scores(const FunctionTable& functions, const RowsView& rows, const Weights& weights,
                    const Selection& selection, const std::size_t threads, double* out) {
  const auto scores = functions.scores[index_of(rows.kind)];
  if (go_side_by_side(functions, rows, weights.planes, selection.size())) {
    scores_side_by_side(functions, rows, weights, selection, threads, out);
    return common::all_finite(out, selection.size() * weights.planes);
  }
  std::atomic<bool> finite{true};
  for_each_block(rows, selection.size(), std::min(max_parts, selection.size()), threads,
                 [&](std::size_t, const std::size_t begin, const std::size_t end, double* scratch) {
                   double* mine = out + begin * weights.planes;
                   scores(rows, selection.part(begin, end), weights.w, weights.planes, weights.scale, weights.offset,
                          weights.offset_value, scratch, mine);
                   if (!common::all_finite(mine, (end - begin) * weights.planes)) finite = false;
                 });
  return finite;
}

bool predict_labels(const FunctionTable& functions, const RowsView& rows, const Weights& weights,
                    const std::uint64_t label[2], const std::size_t threads, std::uint64_t* out) {
  const auto scores = functions.scores[index_of(rows.kind)];
  std::atomic<bool> finite{true};
  for_each_block(rows, rows.count, std::min(max_parts, rows.count), threads,
                 [&](std::size_t, const std::size_t begin, const std::size_t end, double* scratch) {
                   double score[max_block_rows];
                   scores(rows, {begin, end}, weights.w, 1, weights.scale, weights.offset, weights.offset_value,
                          scratch, score);
                   for (std::size_t k = 0; k < end - begin; ++k) out[begin + k] = label[score[k] >= 0.0];
                   if (!common::all_finite(score, end - begin)) finite = false;
                 });
  return finite;
}

std::uint64_t count_mistakes(const FunctionTable& functions, const RowsView& rows, const std::int32_t* codes,
                             const Weights& weights, const std::size_t threads) {
  const auto scores = functions.scores[index_of(rows.kind)];
  const std::size_t planes = weights.planes;
  std::atomic<std::uint64_t> mistakes{0};
  for_each_block(rows, rows.count, std::min(max_parts, rows.count), threads,
                 [&](std::size_t, const std::size_t begin, const std::size_t end, double* scratch) {
                   std::vector<double> score((end - begin) * planes);
                   scores(rows, {begin, end}, weights.w, planes, weights.scale, weights.offset, weights.offset_value,
                          scratch, score.data());
                   std::uint64_t wrong = 0;
                   for (std::size_t i = begin; i < end; ++i) {
                     const double* const own = score.data() + (i - begin) * planes;
                     const std::int8_t sign = codes[i] == 1 ? 1 : -1;
                     const LabelsView labels{planes == 1 ? &sign : nullptr, codes + i};
                     wrong += row_margin(labels, own, planes, 0).margin <= 0.0;
                   }
                   mistakes += wrong;
                 });
  return mistakes;
}

namespace {

// The margins of some rows, with what the gradient needs of them.
struct BlockMargins {
  std::vector<RowMargin> rows;
  std::vector<double> margins;
  Totals totals;

  BlockMargins(const LabelsView& labels, const double* scores, const std::size_t planes, const Selection& block)
      : rows(block.size()), margins(block.size()) {
    for (std::size_t k = 0; k < block.size(); ++k) {
      rows[k] = row_margin(labels, scores + k * planes, planes, block.row(k));
      margins[k] = rows[k].margin;
      if (!(margins[k] <= 0.0)) continue;
      totals.mistakes += labels.weight(block.row(k));
      ++totals.wrong_rows;
    }
  }
};

}  // namespace

Totals evaluate(const FunctionTable& functions, const RowsView& rows, const LabelsView& labels, const Weights& weights,
                const Loss loss, const Selection& selection, const std::size_t threads, double* margins,
                double* gradient) {
  const auto scores = functions.scores[index_of(rows.kind)];
  const auto accumulate = functions.accumulate[index_of(rows.kind)];
  const auto values = functions.loss_values[index_of(loss)], pushes = functions.loss_pushes[index_of(loss)];
  const std::size_t planes = weights.planes, size = planes * rows.columns + planes;
  const std::size_t parts = std::min(gradient ? gradient_parts(rows, size) : max_parts, selection.size());
  std::vector<Totals> totals(parts);
  std::vector<double> sums(gradient ? parts * size : 0, 0.0);

  const auto evaluate_block = [&](const std::size_t part, const std::size_t begin, const std::size_t end,
                                  double* scratch) {
    const Selection block = selection.part(begin, end);
    std::vector<double> score(block.size() * planes), per_row(block.size());
    scores(rows, block, weights.w, planes, weights.scale, weights.offset, weights.offset_value, scratch, score.data());
    BlockMargins found(labels, score.data(), planes, block);
    if (margins) std::copy(found.margins.begin(), found.margins.end(), margins + begin);
    values(found.margins.data(), block.size(), per_row.data());
    for (std::size_t k = 0; k < block.size(); ++k) found.totals.loss += labels.weight(block.row(k)) * per_row[k];
    totals[part] += found.totals;
    if (!gradient) return;
    double* sum = sums.data() + part * size;
    pushes(found.margins.data(), block.size(), per_row.data());
    std::vector<double>& change = score;  // the scores are no longer needed
    std::fill(change.begin(), change.end(), 0.0);
    for (std::size_t k = 0; k < block.size(); ++k)
      write_changes(found.rows[k], labels.weight(block.row(k)) * per_row[k], change.data() + k * planes);
    add_offsets(change.data(), block.size(), planes, weights.offset_value, sum + size - planes);
    accumulate(rows, block, change.data(), planes, scratch, sum);
  };
  for_each_block(rows, selection.size(), parts, threads, evaluate_block);

  Totals all;
  for (const Totals& t : totals) all += t;
  if (gradient) {
    std::fill(gradient, gradient + size, 0.0);
    for (std::size_t part = 0; part < parts; ++part)
      for (std::size_t i = 0; i < size; ++i) gradient[i] += sums[part * size + i];
  }
  return all;
}

std::size_t first_nonfinite_row(const FunctionTable& functions, const RowsView& rows, const std::size_t threads) {
  const auto first_nonfinite = functions.first_nonfinite[index_of(rows.kind)];
  const std::size_t parts = std::min(max_parts, rows.count);
  std::vector<std::size_t> bad(parts, rows.count);
  for_each_block(rows, rows.count, parts, threads,
                 [&](const std::size_t part, const std::size_t begin, const std::size_t end, double*) {
                   if (bad[part] != rows.count) return;
                   const std::size_t row = first_nonfinite(rows, begin, end);
                   if (row != end) bad[part] = row;
                 });
  return parts ? *std::min_element(bad.begin(), bad.end()) : rows.count;
}

void largest_magnitudes(const FunctionTable& functions, const RowsView& rows, const std::size_t threads, double* out) {
  const auto column_maxima = functions.column_maxima[index_of(rows.kind)];
  const std::size_t size = rows.columns, parts = std::min(gradient_parts(rows, size), rows.count);
  std::vector<std::int64_t> most(parts * size, 0);
  for_each_block(rows, rows.count, parts, threads,
                 [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
                   column_maxima(rows, begin, end, scratch, most.data() + part * size);
                 });
  for (std::size_t column = 0; column < size; ++column) {
    std::int64_t all = 0;
    for (std::size_t part = 0; part < parts; ++part) all = std::max(all, most[part * size + column]);
    out[column] = std::bit_cast<double>(all);
  }
}

SquaredNormSummary summarize_squared_norms(const FunctionTable& functions, const RowsView& rows, const double constant,
                                           const double* weights, const std::size_t threads) {
  const std::size_t parts = std::clamp<std::size_t>(rows.count, 1, max_parts);
  std::vector<double> sums(parts, 0.0), largest(parts, 0.0);
  const auto squared_norms = functions.squared_norms[index_of(rows.kind)];
  for_each_block(rows, rows.count, parts, threads,
                 [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
                   double norms[max_block_rows];
                   squared_norms(rows, {begin, end}, scratch, norms);
                   for (std::size_t k = 0; k < end - begin; ++k) {
                     const double norm = norms[k] + constant * constant;
                     sums[part] += norm;
                     largest[part] = std::max(largest[part], weights ? norm * weights[begin + k] : norm);
                   }
                 });
  const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  return {rows.count ? sum / static_cast<double>(rows.count) : 0.0, *std::max_element(largest.begin(), largest.end())};
}

}  // namespace rosenblatt
