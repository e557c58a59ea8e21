// A pass over rows, split for threads and caches. The data alone decide the parts, and parts are added in order, so the
// bits do not depend on the threads. Each part is processed in blocks that fit into a cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rows/views.hpp"
#include "system/mapped_file.hpp"
#include "system/parallel.hpp"

namespace rosenblatt {

inline constexpr std::size_t max_parts = 32;
inline constexpr std::size_t max_block_rows = 256;

// Rows that fit into the second-level cache, so a gradient reads them from memory only once.
inline std::size_t block_rows(const RowsView& rows) {
  const std::size_t bytes = std::max<std::size_t>(rows.stored_values * 8 / std::max<std::size_t>(rows.count, 1), 8);
  return std::clamp<std::size_t>((std::size_t{1} << 18) / bytes, 8, max_block_rows);
}

// Below half a megabyte, about thirty microseconds of work, threads gain little.
inline std::size_t useful_threads(const RowsView& rows, const std::size_t selected, const std::size_t threads) {
  const double share = static_cast<double>(selected) / static_cast<double>(std::max<std::size_t>(rows.count, 1));
  const double work = share * static_cast<double>(rows.stored_values);
  return work < 65536.0 ? 1 : threads;
}

// The same for a pass that multiplies the numbers of each row with one another, `times` over: a sum of outer products.
inline std::size_t useful_threads_for_products(const RowsView& rows, const std::size_t selected,
                                               const std::size_t times, const std::size_t threads) {
  const double each =
      static_cast<double>(rows.stored_values) / static_cast<double>(std::max<std::size_t>(rows.count, 1));
  const double work = static_cast<double>(selected) * static_cast<double>(times) * (each + 1.0) * (each / 32.0 + 1.0);
  return work < 65536.0 ? 1 : threads;
}

// Call before reading `count` rows of files, neighbours or scattered ones.
inline void reserve_pages_for(const RowsView& rows, const std::size_t count, const bool neighbours) noexcept {
  const std::size_t number = rows.value_bytes() + (rows.indices ? 8 : 0);
  const std::size_t each = rows.stored_columns && !rows.indices
                               ? rows.stored_columns * number
                               : rows.stored_values / (rows.count ? rows.count : 1) * number;
  reserve_pages(count * (neighbours || each > page_bytes ? each : page_bytes));
}

// Calls work(part, begin, end, scratch) for every block of selected rows of every part. Blocks of one part run in
// order.
template <class Work>
void for_each_block(const RowsView& rows, const std::size_t selected, const std::size_t parts,
                    const std::size_t threads, const Work& work) {
  parallel(useful_threads(rows, selected, threads), parts, [&](const std::size_t part) {
    const std::size_t end = selected * (part + 1) / parts, step = block_rows(rows);
    std::vector<double> scratch(rows.scratch_size());
    for (std::size_t begin = selected * part / parts; begin < end; begin += step) {
      reserve_pages_for(rows, std::min(step, end - begin), selected == rows.count);
      work(part, begin, std::min(begin + step, end), scratch.data());
    }
  });
}

// The number of partial gradients: adding them must stay cheap beside the pass.
inline std::size_t gradient_parts(const RowsView& rows, const std::size_t size) {
  return std::clamp<std::size_t>(rows.stored_values / (8 * std::max<std::size_t>(size, 1)), 1, max_parts);
}

// Adds the changes of some rows to the weights of the constant coordinate.
inline void add_offsets(const double* change, const std::size_t rows, const std::size_t planes,
                        const double offset_value, double* out) {
  for (std::size_t p = 0; p < planes; ++p) {
    double sum = out[p];
    for (std::size_t i = 0; i < rows; ++i) sum += change[i * planes + p] * offset_value;
    out[p] = sum;
  }
}

}  // namespace rosenblatt
