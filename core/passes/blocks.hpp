// A pass over rows, cut for threads and caches. Parts depend on the data alone and are added up in order, so that bits
// do not depend on the threads; a part is taken in blocks that fit in a cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rows/views.hpp"
#include "system/mapped_file.hpp"
#include "system/parallel.hpp"

namespace rosenblatt {

inline constexpr std::size_t most_parts = 32;
inline constexpr std::size_t most_block_rows = 256;

// Rows that fit in the second-level cache, so that a gradient reads them from memory once.
inline std::size_t block_rows(const RowsView& rows) {
  const std::size_t bytes = std::max<std::size_t>(rows.stored_values * 8 / std::max<std::size_t>(rows.count, 1), 8);
  return std::clamp<std::size_t>((std::size_t{1} << 18) / bytes, 8, most_block_rows);
}

// Below half a megabyte, some thirty microseconds, threads gain little.
inline std::size_t useful_threads(const RowsView& rows, const std::size_t selected, const std::size_t threads) {
  const double share = static_cast<double>(selected) / static_cast<double>(std::max<std::size_t>(rows.count, 1));
  const double work = share * static_cast<double>(rows.stored_values);
  return work < 65536.0 ? 1 : threads;
}

// Calls work(part, block, scratch) for every block of selected rows of every part; blocks of a part in order.
template <class Work>
void each_block(const RowsView& rows, const std::size_t selected, const std::size_t parts, const std::size_t threads,
                const Work& work) {
  parallel(useful_threads(rows, selected, threads), parts, [&](const std::size_t part) {
    const std::size_t end = selected * (part + 1) / parts, step = block_rows(rows);
    std::vector<double> scratch(rows.scratch_size());
    for (std::size_t begin = selected * part / parts; begin < end; begin += step) {
      make_room_for(rows, std::min(step, end - begin), selected == rows.count);
      work(part, begin, std::min(begin + step, end), scratch.data());
    }
  });
}

// As many partial gradients as the data can pay for: adding them up must stay cheap beside the pass.
inline std::size_t gradient_parts(const RowsView& rows, const std::size_t size) {
  return std::clamp<std::size_t>(rows.stored_values / (8 * std::max<std::size_t>(size, 1)), 1, most_parts);
}

// What the changes of some rows add to the weights of the constant coordinate.
inline void add_offsets(const double* change, const std::size_t rows, const std::size_t planes,
                        const double offset_value, double* out) {
  for (std::size_t p = 0; p < planes; ++p) {
    double sum = out[p];
    for (std::size_t i = 0; i < rows; ++i) sum += change[i * planes + p] * offset_value;
    out[p] = sum;
  }
}

}  // namespace rosenblatt
