// Columns of numbers to scaled rows: (x - centre) / scale, each at its place in the row. Processes 128 rows at a time,
// so the rows stay in the cache while all columns are written.
#pragma once

#include <cstddef>
#include <span>

namespace rosenblatt {

// A number goes to column `place`. A missing number (NaN) becomes 0; with `tells_gaps`, the next column is then 1.
struct ScaledColumn {
  const double* numbers;
  std::size_t place;
  double centre, scale;
  bool tells_gaps;
};

void fill_scaled(std::span<const ScaledColumn> columns, std::size_t rows, std::size_t width, double* out) noexcept;

}  // namespace rosenblatt
