// Copies a matrix that lies in memory column by column to one that lies row by row.
#pragma once

#include <algorithm>
#include <cstddef>

#include "system/parallel.hpp"

namespace rosenblatt {

template <class T>
struct ColumnsView {
  const T* values = nullptr;
  std::size_t rows = 0, columns = 0;
  std::size_t stride = 0;  // elements from one column to the next
};

// Few columns at a time, so that the processor sees that each is read in order; eight doubles fill a line of the cache.
inline constexpr std::size_t tile_rows = 512, tile_columns = 8;

// Rows begin .. end-1.
template <class T>
void copy_some_rows(const ColumnsView<T>& from, const std::size_t begin, const std::size_t end, T* out) noexcept {
  for (std::size_t left = 0; left < from.columns; left += tile_columns) {
    const std::size_t right = std::min(left + tile_columns, from.columns);
    for (std::size_t row = begin; row < end; ++row)
      for (std::size_t column = left; column < right; ++column)
        out[row * from.columns + column] = from.values[column * from.stride + row];
  }
}

// `out` has room for rows * columns numbers.
template <class T>
void copy_columns(const ColumnsView<T>& from, const std::size_t threads, T* out) {
  parallel(threads, (from.rows + tile_rows - 1) / tile_rows, [&](const std::size_t job) {
    copy_some_rows(from, job * tile_rows, std::min((job + 1) * tile_rows, from.rows), out);
  });
}

}  // namespace rosenblatt
