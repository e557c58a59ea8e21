#include "passes/passes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <vector>

#include "passes/blocks.hpp"

namespace rosenblatt {
namespace {

bool are_finite(const double* x, const std::size_t size) noexcept {
  double zeros = 0.0;                 // as long as every number is finite
  for (std::size_t k = 0; k < size; ++k) zeros += x[k] - x[k];
  return zeros == 0.0;
}

struct Judged {
  double margin;
  std::size_t own, rival;     // planes; equal when there is one
  double sign;
};

Judged judge(const LabelsView& labels, const double* score, const std::size_t planes, const std::size_t row) {
  if (labels.signs) return {labels.signs[row] * score[0], 0, 0, static_cast<double>(labels.signs[row])};
  const auto own = static_cast<std::size_t>(labels.codes[row]);
  std::size_t rival = own == 0 ? 1 : 0;
  for (std::size_t k = rival + 1; k < planes; ++k)
    if (k != own && score[k] > score[rival]) rival = k;
  return {score[own] - score[rival], own, rival, 1.0};
}

// How a row changes the planes: its own towards it, its rival away.
void push_apart(const Judged& judged, const double amount, double* change) {
  change[judged.own] = judged.sign * amount;
  if (judged.rival != judged.own) change[judged.rival] = -amount;
}

}  // namespace

bool compute_scores(const Kernels& kernels, const RowsView& rows, const Weights& weights, const Selection& selection,
                    const std::size_t threads, double* out) {
  const auto scores = kernels.scores[static_cast<std::size_t>(rows.kind)];
  std::atomic<bool> finite{true};
  each_block(rows, selection.size(), std::min(most_parts, selection.size()), threads,
             [&](std::size_t, const std::size_t begin, const std::size_t end, double* scratch) {
               double* mine = out + begin * weights.planes;
               scores(rows, selection.part(begin, end), weights.w, weights.planes, weights.scale, weights.offset,
                      weights.offset_value, scratch, mine);
               if (!are_finite(mine, (end - begin) * weights.planes)) finite = false;
             });
  return finite;
}

bool choose(const Kernels& kernels, const RowsView& rows, const Weights& weights, const std::uint64_t label[2],
            const std::size_t threads, std::uint64_t* out) {
  const auto scores = kernels.scores[static_cast<std::size_t>(rows.kind)];
  std::atomic<bool> finite{true};
  each_block(rows, rows.count, std::min(most_parts, rows.count), threads,
             [&](std::size_t, const std::size_t begin, const std::size_t end, double* scratch) {
               double score[most_block_rows];
               scores(rows, {begin, end}, weights.w, 1, weights.scale, weights.offset, weights.offset_value, scratch,
                      score);
               for (std::size_t k = 0; k < end - begin; ++k) out[begin + k] = label[score[k] >= 0.0];
               if (!are_finite(score, end - begin)) finite = false;
             });
  return finite;
}

Totals inspect(const Kernels& kernels, const RowsView& rows, const LabelsView& labels, const Weights& weights,
               const Loss loss, const Selection& selection, const std::size_t threads, double* margins,
               double* gradient) {
  const auto scores = kernels.scores[static_cast<std::size_t>(rows.kind)];
  const auto accumulate = kernels.accumulate[static_cast<std::size_t>(rows.kind)];
  const auto values = kernels.loss_values[static_cast<std::size_t>(loss)];
  const auto pushes = kernels.loss_pushes[static_cast<std::size_t>(loss)];
  const std::size_t planes = weights.planes, size = planes * rows.columns + planes;
  const std::size_t parts = std::min(gradient ? gradient_parts(rows, size) : most_parts, selection.size());
  std::vector<Totals> totals(parts);
  std::vector<double> sums(gradient ? parts * size : 0, 0.0);

  each_block(rows, selection.size(), parts, threads,
             [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
               const Selection block = selection.part(begin, end);
               std::vector<double> score(block.size() * planes);
               scores(rows, block, weights.w, planes, weights.scale, weights.offset, weights.offset_value, scratch,
                      score.data());
               std::vector<Judged> judged(block.size());
               std::vector<double> margin(block.size()), felt(block.size());
               Totals total;
               for (std::size_t k = 0; k < block.size(); ++k) {
                 judged[k] = judge(labels, score.data() + k * planes, planes, block.row(k));
                 margin[k] = judged[k].margin;
                 if (!(margin[k] <= 0.0)) continue;
                 total.mistakes += labels.weight(block.row(k));
                 ++total.wrong_rows;
               }
               if (margins) std::copy(margin.begin(), margin.end(), margins + begin);
               values(margin.data(), block.size(), felt.data());
               for (std::size_t k = 0; k < block.size(); ++k) total.loss += labels.weight(block.row(k)) * felt[k];
               totals[part] += total;
               if (!gradient) return;
               double* sum = sums.data() + part * size;
               pushes(margin.data(), block.size(), felt.data());
               std::fill(score.begin(), score.end(), 0.0);  // the scores have served; changes take their place
               for (std::size_t k = 0; k < block.size(); ++k)
                 push_apart(judged[k], labels.weight(block.row(k)) * felt[k], score.data() + k * planes);
               add_offsets(score.data(), block.size(), planes, weights.offset_value, sum + size - planes);
               accumulate(rows, block, score.data(), planes, scratch, sum);
             });

  Totals all;
  for (const Totals& t : totals) all += t;
  if (gradient) {
    std::fill(gradient, gradient + size, 0.0);
    for (std::size_t part = 0; part < parts; ++part)
      for (std::size_t i = 0; i < size; ++i) gradient[i] += sums[part * size + i];
  }
  return all;
}

std::size_t first_bad_row(const Kernels& kernels, const RowsView& rows, const std::size_t threads) {
  const auto first_bad = kernels.first_bad[static_cast<std::size_t>(rows.kind)];
  const std::size_t parts = std::min(most_parts, rows.count);
  std::vector<std::size_t> bad(parts, rows.count);
  each_block(rows, rows.count, parts, threads,
             [&](const std::size_t part, const std::size_t begin, const std::size_t end, double*) {
               if (bad[part] != rows.count) return;
               const std::size_t row = first_bad(rows, begin, end);
               if (row != end) bad[part] = row;
             });
  return parts ? *std::min_element(bad.begin(), bad.end()) : rows.count;
}

void largest_sizes(const Kernels& kernels, const RowsView& rows, const std::size_t threads, double* out) {
  const auto raise = kernels.raise[static_cast<std::size_t>(rows.kind)];
  const std::size_t size = rows.columns, parts = std::min(gradient_parts(rows, size), rows.count);
  std::vector<std::int64_t> most(parts * size, 0);
  each_block(rows, rows.count, parts, threads,
             [&](const std::size_t part, const std::size_t begin, const std::size_t end, double* scratch) {
               raise(rows, begin, end, scratch, most.data() + part * size);
             });
  for (std::size_t column = 0; column < size; ++column) {
    std::int64_t all = 0;
    for (std::size_t part = 0; part < parts; ++part) all = std::max(all, most[part * size + column]);
    out[column] = std::bit_cast<double>(all);
  }
}

}  // namespace rosenblatt
