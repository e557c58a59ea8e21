#include "text/fill_scaled.hpp"

#include <algorithm>

namespace rosenblatt {
namespace {

constexpr std::size_t rows_in_block = 128;

void fill(const ScaledColumn& column, const std::size_t first, const std::size_t last, const std::size_t width,
          double* const out) noexcept {
  double* at = out + first * width + column.place;
  for (std::size_t row = first; row < last; ++row, at += width) {
    const double x = column.numbers[row];
    *at = x == x ? (x - column.centre) / column.scale : 0.0;
    if (column.tells_gaps) at[1] = x == x ? 0.0 : 1.0;
  }
}

}  // namespace

void fill_scaled(const std::span<const ScaledColumn> columns, const std::size_t rows, const std::size_t width,
                 double* const out) noexcept {
  for (std::size_t first = 0; first < rows; first += rows_in_block)
    for (const ScaledColumn& column : columns) fill(column, first, std::min(first + rows_in_block, rows), width, out);
}

}  // namespace rosenblatt
