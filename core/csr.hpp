// What the loops trust of CSR rows: starts rise from 0 to at most the number of values, and indices lie within the
// columns, each at most once a row. Checked once, at the boundary.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "parallel.hpp"

namespace rosenblatt {

template <class Index>
void check_csr(const Index* starts, const std::size_t rows, const Index* indices, const std::size_t stored,
               const std::size_t columns) {
  using Unsigned = std::make_unsigned_t<Index>;
  if (starts[0] != 0) throw std::invalid_argument("indptr must begin with 0");
  for (std::size_t i = 0; i < rows; ++i)
    if (starts[i + 1] < starts[i]) throw std::invalid_argument("indptr falls after row " + std::to_string(i));
  const auto used = static_cast<std::size_t>(starts[rows]);
  if (used > stored) throw std::invalid_argument("indptr ends beyond the stored values");
  Unsigned largest = 0;                       // a negative index is a very large one
  for (std::size_t k = 0; k < used; ++k) largest = std::max(largest, static_cast<Unsigned>(indices[k]));
  if (used == 0 || largest < columns) return;
  const auto bad = static_cast<std::size_t>(
      std::find_if(indices, indices + used, [&](Index at) { return static_cast<Unsigned>(at) >= columns; }) - indices);
  const auto row =
      static_cast<std::size_t>(std::upper_bound(starts, starts + rows + 1, static_cast<Index>(bad)) - starts) - 1;
  throw std::invalid_argument("row " + std::to_string(row) + " has column index " + std::to_string(indices[bad]) +
                              " outside 0.." + std::to_string(static_cast<std::int64_t>(columns) - 1));
}

// Whether some row names a column twice. Rising indices cannot; other rows leave their number at each column they name.
template <class Index>
bool repeats_columns(const Index* starts, const std::size_t rows, const Index* indices, const std::size_t columns,
                     const std::size_t threads) {
  const std::size_t parts = std::min<std::size_t>(threads, rows);
  std::atomic<bool> found{false};
  parallel(threads, parts, [&](const std::size_t part) {
    std::vector<std::uint32_t> last_row;
    for (std::size_t i = rows * part / parts; i < rows * (part + 1) / parts && !found; ++i) {
      const Index *begin = indices + starts[i], *end = indices + starts[i + 1];
      bool rising = true;
      for (const Index* at = begin; at + 1 < end; ++at) rising &= at[0] < at[1];
      if (rising) continue;
      if (last_row.empty()) last_row.assign(columns, 0);
      bool again = false;
      for (const Index* at = begin; at < end; ++at) {
        auto& last = last_row[static_cast<std::size_t>(*at)];
        again |= last == i + 1;
        last = static_cast<std::uint32_t>(i + 1);
      }
      if (again) found = true;
    }
  });
  return found;
}

}  // namespace rosenblatt
