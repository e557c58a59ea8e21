// Columns of numbers to rows of them: (x - centre) / scale, each at its place in the row. Some rows at a time, so that
// what is written stays near while all columns are put in.
#pragma once

#include <cstddef>
#include <span>

namespace rosenblatt {

// A number goes to column `place`; where it is missing (NaN) a 0 does, and a 1 to the next column if that says so.
struct ScaledColumn {
  const double* numbers;
  std::size_t place;
  double centre, scale;
  bool tells_gaps;
};

void fill_scaled(std::span<const ScaledColumn> columns, std::size_t rows, std::size_t width, double* out) noexcept;

}  // namespace rosenblatt
