#include "rows/chosen_columns.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "system/parallel.hpp"
#include "system/uninitialized_vector.hpp"

namespace rosenblatt {
namespace {

constexpr std::size_t max_parts = 32;
constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();

struct Columns {
  const std::uint32_t* chosen;
  std::size_t count;
};

template <class T>
RowsCopy copy_dense(const RowsView& v, const Columns& columns, const std::size_t threads) {
  const auto* values = static_cast<const T*>(v.values);
  auto copy = std::make_shared<UninitializedVector<T>>(v.count * columns.count);
  const std::size_t parts = std::min(max_parts, v.count);
  parallel(threads, parts, [&](const std::size_t part) {
    const std::size_t end = v.count * (part + 1) / parts;
    for (std::size_t i = v.count * part / parts; i < end; ++i) {
      const T* row = values + i * v.stride;
      T* out = copy->data() + i * columns.count;
      for (std::size_t k = 0; k < columns.count; ++k) out[k] = row[columns.chosen[k]];
    }
  });
  RowsView out = v;
  out.columns = out.stored_columns = out.stride = columns.count;
  out.stored_values = v.count * columns.count;
  out.values = copy->data();
  return {out, std::move(copy)};
}

template <class T, class Index>
struct CsrCopy {
  std::vector<T> values;
  std::vector<Index> indices, starts;
};

// Calls use(place in the copy, place in the row) for every stored number of row i in a chosen column.
template <class Index, class Use>
void for_each_chosen(const RowsView& v, const std::vector<std::uint32_t>& place, const std::size_t i, const Use& use) {
  const auto *indices = static_cast<const Index*>(v.indices), *starts = static_cast<const Index*>(v.starts);
  for (Index at = starts[i]; at < starts[i + 1]; ++at)
    if (const std::uint32_t to = place[static_cast<std::size_t>(indices[at])]; to != absent) use(to, at);
}

// Counts the numbers of every row first, so that threads know where to write theirs.
template <class T, class Index>
RowsCopy copy_csr(const RowsView& v, const Columns& columns, const std::size_t threads) {
  std::vector<std::uint32_t> place(v.columns, absent);
  for (std::size_t k = 0; k < columns.count; ++k) place[columns.chosen[k]] = static_cast<std::uint32_t>(k);
  auto copy = std::make_shared<CsrCopy<T, Index>>();
  copy->starts.assign(v.count + 1, 0);
  const std::size_t parts = std::min(max_parts, v.count);
  const auto each_row = [&](const auto& use) {
    parallel(threads, parts, [&](const std::size_t part) {
      const std::size_t end = v.count * (part + 1) / parts;
      for (std::size_t i = v.count * part / parts; i < end; ++i) use(i);
    });
  };
  each_row([&](const std::size_t i) {
    Index kept = 0;
    for_each_chosen<Index>(v, place, i, [&](std::uint32_t, Index) { ++kept; });
    copy->starts[i + 1] = kept;
  });
  for (std::size_t i = 0; i < v.count; ++i) copy->starts[i + 1] += copy->starts[i];
  copy->values.resize(static_cast<std::size_t>(copy->starts[v.count]));
  copy->indices.resize(copy->values.size());
  each_row([&](const std::size_t i) {
    auto out = static_cast<std::size_t>(copy->starts[i]);
    for_each_chosen<Index>(v, place, i, [&](const std::uint32_t to, const Index at) {
      copy->values[out] = static_cast<const T*>(v.values)[at];
      copy->indices[out++] = static_cast<Index>(to);
    });
  });
  RowsView out = v;
  out.columns = out.stored_columns = columns.count;
  out.stored_values = 2 * copy->values.size();
  out.values = copy->values.data();
  out.indices = copy->indices.data();
  out.starts = copy->starts.data();
  return {out, std::move(copy)};
}

void check(const RowsView& rows, const Columns& columns) {
  if (rows.lift || rows.kernel_matrix) throw std::invalid_argument("columns can be chosen from stored rows only");
  for (std::size_t k = 0; k < columns.count; ++k)
    if (columns.chosen[k] >= rows.columns || (k > 0 && columns.chosen[k] <= columns.chosen[k - 1]))
      throw std::invalid_argument("chosen columns must rise and be columns of the rows");
}

}  // namespace

RowsCopy choose_columns(const RowsView& rows, const std::uint32_t* chosen, const std::size_t count,
                        const std::size_t threads) {
  const Columns columns{chosen, count};
  check(rows, columns);
  const std::size_t useful = rows.stored_values < std::size_t{1} << 16 ? 1 : threads;
  switch (rows.kind) {
#define ROSENBLATT_CASE(kind, T, Index) \
  case RowKind::kind: return copy_csr<T, Index>(rows, columns, useful);
    ROSENBLATT_CSR_KINDS(ROSENBLATT_CASE)
#undef ROSENBLATT_CASE
    default: break;
  }
  return rows.value_bytes() == 4 ? copy_dense<float>(rows, columns, useful) : copy_dense<double>(rows, columns, useful);
}

}  // namespace rosenblatt
