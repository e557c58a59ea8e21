#include "passes/side_by_side.hpp"

#include <algorithm>
#include <vector>

#include "passes/blocks.hpp"
#include "system/uninitialized_vector.hpp"

namespace rosenblatt {
namespace {

constexpr std::size_t max_moved = std::size_t{1} << 23;  // numbers side by side at a time: 64 MB
constexpr std::size_t tile = 64;                         // columns that are moved at a time

// Planes first .. first+width-1.
struct Group {
  std::size_t first, width;
};

// The planes in `count` groups.
Group group_of(const std::size_t planes, const std::size_t count, const std::size_t number) {
  const std::size_t first = planes * number / count;
  return {first, planes * (number + 1) / count - first};
}

// The least number of groups whose planes fit into the memory for moved weights.
std::size_t groups_needed(const std::size_t columns, const std::size_t planes) {
  return std::clamp<std::size_t>((columns * planes + max_moved - 1) / max_moved, 1, planes);
}

// `group.width` numbers per column.
UninitializedVector<double> move_side_by_side(const double* w, const std::size_t columns, const Group& group,
                                              const std::size_t threads) {
  UninitializedVector<double> out(columns * group.width);
  parallel(threads, (columns + tile - 1) / tile, [&](const std::size_t job) {
    const std::size_t end = std::min(columns, (job + 1) * tile);
    for (std::size_t k = 0; k < group.width; ++k)
      for (std::size_t j = job * tile; j < end; ++j) out[j * group.width + k] = w[(group.first + k) * columns + j];
  });
  return out;
}

void move_back(const double* sums, const std::size_t columns, const Group& group, double* out) {
  for (std::size_t begin = 0; begin < columns; begin += tile)
    for (std::size_t k = 0; k < group.width; ++k)
      for (std::size_t j = begin; j < std::min(columns, begin + tile); ++j)
        out[(group.first + k) * columns + j] = sums[j * group.width + k];
}

// Adds the changes of rows begin .. end-1 to the sums of a group, block by block.
void add_rows(const FunctionTable& functions, const RowsView& rows, const std::size_t begin, const std::size_t end,
              const double* change, const std::size_t planes, const Group& group, double* sums) {
  const auto accumulate = functions.accumulate_side_by_side[index_of(rows.kind)];
  const std::size_t step = block_rows(rows);
  for (std::size_t from = begin; from < end; from += step) {
    const std::size_t to = std::min(from + step, end);
    reserve_pages_for(rows, to - from, true);
    accumulate(rows, {from, to}, change + from * planes + group.first, planes, group.width, sums);
  }
}

}  // namespace

bool go_side_by_side(const FunctionTable& functions, const RowsView& rows, const std::size_t planes,
                     const std::size_t selected) {
  if (planes == 1 || !functions.scores_side_by_side[index_of(rows.kind)]) return false;
  const double share = static_cast<double>(selected) / static_cast<double>(std::max<std::size_t>(rows.count, 1));
  return share * static_cast<double>(rows.stored_values) >= 2.0 * static_cast<double>(rows.columns);
}

void scores_side_by_side(const FunctionTable& functions, const RowsView& rows, const Weights& weights,
                         const Selection& selection, const std::size_t threads, double* out) {
  const auto scores = functions.scores_side_by_side[index_of(rows.kind)];
  const std::size_t planes = weights.planes, groups = groups_needed(rows.columns, planes);
  for (std::size_t g = 0; g < groups; ++g) {
    const Group group = group_of(planes, groups, g);
    const auto moved =
        move_side_by_side(weights.w, rows.columns, group, useful_threads(rows, selection.size(), threads));
    for_each_block(rows, selection.size(), std::min(max_parts, selection.size()), threads,
                   [&](std::size_t, const std::size_t begin, const std::size_t end, double*) {
                     scores(rows, selection.part(begin, end), moved.data(), group.width, weights.scale,
                            weights.offset + group.first, weights.offset_value, planes,
                            out + begin * planes + group.first);
                   });
  }
}

void transpose_product_side_by_side(const FunctionTable& functions, const RowsView& rows, const double* change,
                                    const std::size_t planes, const double offset_value, const std::size_t threads,
                                    double* out) {
  const std::size_t columns = rows.columns, workers = useful_threads(rows, rows.count, threads);
  const std::size_t parts = std::min(gradient_parts(rows, planes * (columns + 1)), rows.count);
  const std::size_t groups = std::min(planes, std::max<std::size_t>(workers, 1) * groups_needed(columns, planes));
  parallel(workers, groups, [&](const std::size_t g) {
    const Group group = group_of(planes, groups, g);
    std::vector<double> sums(columns * group.width, 0.0), total;
    for (std::size_t part = 0; part < parts; ++part) {
      add_rows(functions, rows, rows.count * part / parts, rows.count * (part + 1) / parts, change, planes, group,
               sums.data());
      if (parts == 1) break;
      total.resize(sums.size(), 0.0);
      for (std::size_t k = 0; k < sums.size(); ++k) total[k] += sums[k];
      std::fill(sums.begin(), sums.end(), 0.0);
    }
    move_back(parts == 1 ? sums.data() : total.data(), columns, group, out);
  });
  double* const offsets = out + planes * columns;
  std::fill(offsets, offsets + planes, 0.0);
  std::vector<double> sums(planes);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = rows.count * part / parts, end = rows.count * (part + 1) / parts;
    std::fill(sums.begin(), sums.end(), 0.0);
    add_offsets(change + begin * planes, end - begin, planes, offset_value, sums.data());
    for (std::size_t k = 0; k < planes; ++k) offsets[k] += sums[k];
  }
}

}  // namespace rosenblatt
