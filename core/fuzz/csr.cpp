// CSR rows: the check accepts what a slow loop accepts, and then no pass over the rows leaves their memory.
#include <set>
#include <stdexcept>
#include <vector>

#include "fuzz/input.hpp"
#include "passes/passes.hpp"
#include "rows/check_csr.hpp"

using namespace rosenblatt;

enum class Verdict { refused, plain, repeats };

template <class Index>
static Verdict slow_check(const std::vector<Index>& starts, const std::vector<Index>& indices,
                          const std::size_t columns) {
  bool repeats = false;
  if (starts[0] != 0) return Verdict::refused;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    if (starts[i + 1] < starts[i] || starts[i + 1] > static_cast<Index>(indices.size())) return Verdict::refused;
    std::set<Index> row;
    for (Index k = starts[i]; k < starts[i + 1]; ++k) {
      const Index column = indices[static_cast<std::size_t>(k)];
      if (column < 0 || column >= static_cast<Index>(columns)) return Verdict::refused;
      repeats |= !row.insert(column).second;
    }
  }
  return repeats ? Verdict::repeats : Verdict::plain;
}

template <class Index>
static Verdict fast_check(const std::vector<Index>& starts, const std::vector<Index>& indices,
                          const std::size_t columns, const std::size_t threads) {
  try {
    return check_csr(starts.data(), starts.size() - 1, indices.data(), indices.size(), columns, threads)
               ? Verdict::repeats
               : Verdict::plain;
  } catch (const std::invalid_argument&) {
    return Verdict::refused;
  }
}

// Small numbers mostly, so that many inputs are accepted.
template <class Index>
static Index take_index(Input& input) {
  const auto small = input.take<std::int8_t>();
  return small == INT8_MIN ? input.take<Index>() : static_cast<Index>(small);
}

template <class Index>
static void run(Input& input, const RowKind kind) {
  const std::size_t columns = input.below(20), threads = input.below(64) == 1 ? 3 : 1;
  std::vector<Index> starts(1 + input.below(12)), indices;
  const bool steps = input.flag();  // starts as steps from the row before
  for (std::size_t i = 0; i < starts.size(); ++i)
    starts[i] = steps ? (i ? starts[i - 1] + static_cast<Index>(input.below(6)) : 0) : take_index<Index>(input);
  while (!input.empty()) indices.push_back(take_index<Index>(input));
  const Verdict verdict = fast_check(starts, indices, columns, threads);
  REQUIRE(verdict == slow_check(starts, indices, columns));
  if (verdict == Verdict::refused || indices.empty()) return;

  const std::vector<double> values(indices.size(), 0.5), w(columns, 2.0), offset{1.0};
  RowsView rows;
  rows.kind = kind;
  rows.count = starts.size() - 1;
  rows.columns = rows.stored_columns = columns;
  rows.values = values.data();
  rows.indices = indices.data();
  rows.starts = starts.data();
  rows.stored_values = 2 * static_cast<std::size_t>(starts.back());
  std::vector<double> scores(rows.count);
  REQUIRE(compute_scores(*find_functions(nullptr), rows, {w.data(), offset.data()}, {0, rows.count}, 1, scores.data()));
  for (std::size_t i = 0; i < rows.count; ++i)
    REQUIRE(scores[i] == 1.0 + static_cast<double>(starts[i + 1] - starts[i]));
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, const std::size_t size) {
  Input input(data, size);
  if (input.flag()) run<std::int32_t>(input, RowKind::csr_f64_i32);
  else run<std::int64_t>(input, RowKind::csr_f64_i64);
  return 0;
}
