#include "rows/check_csr.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "system/mapped_file.hpp"
#include "system/parallel.hpp"

namespace rosenblatt {
namespace {

template <class Index>
[[noreturn]] void throw_bad_index(const Index* starts, const std::size_t rows, const Index* indices,
                                  const std::size_t columns) {
  std::size_t bad = 0;
  while (static_cast<std::make_unsigned_t<Index>>(indices[bad]) < columns) ++bad;
  const auto row =
      static_cast<std::size_t>(std::upper_bound(starts, starts + rows + 1, static_cast<Index>(bad)) - starts) - 1;
  throw std::invalid_argument("row " + std::to_string(row) + " has column index " + std::to_string(indices[bad]) +
                              " outside 0.." + std::to_string(static_cast<std::int64_t>(columns) - 1));
}

}  // namespace

template <class Index>
bool check_csr(const Index* starts, const std::size_t rows, const Index* indices, const std::size_t stored,
               const std::size_t columns, const std::size_t threads) {
  using Unsigned = std::make_unsigned_t<Index>;  // a negative index becomes a very large one
  if (starts[0] != 0) throw std::invalid_argument("indptr must begin with 0");
  for (std::size_t i = 0; i < rows; ++i)
    if (starts[i + 1] < starts[i]) throw std::invalid_argument("indptr falls after row " + std::to_string(i));
  if (static_cast<std::size_t>(starts[rows]) > stored)
    throw std::invalid_argument("indptr ends beyond the stored values");
  const std::size_t parts = std::min<std::size_t>(threads, rows);
  std::atomic<bool> bad{false}, repeats{false};
  parallel(threads, parts, [&](const std::size_t part) {
    std::vector<std::uint16_t> left;  // 16 bits, to stay in the first-level cache
    std::uint16_t mark = 0;
    for (std::size_t i = rows * part / parts; i < rows * (part + 1) / parts && !bad; ++i) {
      if (i % 1024 == 0)
        reserve_pages(static_cast<std::size_t>(starts[std::min(i + 1024, rows)] - starts[i]) * sizeof(Index));
      const Index *begin = indices + starts[i], *end = indices + starts[i + 1];
      if (begin == end) continue;
      Index falls = 0;  // as wide as an index, so the loop vectorizes
      for (const Index* at = begin; at + 1 < end; ++at) falls |= at[0] >= at[1];
      const bool rising = falls == 0;
      if (rising ? begin[0] < 0 || static_cast<Unsigned>(end[-1]) >= columns
                 : std::any_of(begin, end, [&](const Index at) { return static_cast<Unsigned>(at) >= columns; })) {
        bad = true;
        return;
      }
      if (rising || repeats) continue;
      if (++mark == 0 || left.empty()) left.assign(columns, 0), mark = 1;
      bool again = false;
      for (const Index* at = begin; at < end; ++at) {
        std::uint16_t& here = left[static_cast<std::size_t>(*at)];
        again |= here == mark;
        here = mark;
      }
      if (again) repeats = true;
    }
  });
  if (bad) throw_bad_index(starts, rows, indices, columns);
  return repeats;
}

template bool check_csr(const std::int32_t*, std::size_t, const std::int32_t*, std::size_t, std::size_t, std::size_t);
template bool check_csr(const std::int64_t*, std::size_t, const std::int64_t*, std::size_t, std::size_t, std::size_t);

}  // namespace rosenblatt
