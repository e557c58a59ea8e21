#include "rows/every_nth.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "system/parallel.hpp"
#include "system/uninitialized_vector.hpp"

namespace rosenblatt {
namespace {

template <class T, class Index>
struct CsrCopy {
  std::vector<T> values;
  std::vector<Index> indices, starts{0};
};

template <class T, class Index>
RowsCopy copy_csr(const RowsView& v, const std::size_t step) {
  const auto* values = static_cast<const T*>(v.values);
  const auto *indices = static_cast<const Index*>(v.indices), *starts = static_cast<const Index*>(v.starts);
  auto copy = std::make_shared<CsrCopy<T, Index>>();
  for (std::size_t i = 0; i < v.count; i += step) {
    copy->values.insert(copy->values.end(), values + starts[i], values + starts[i + 1]);
    copy->indices.insert(copy->indices.end(), indices + starts[i], indices + starts[i + 1]);
    copy->starts.push_back(static_cast<Index>(copy->values.size()));
  }
  RowsView out = v;
  out.count = copy->starts.size() - 1;
  out.stored_values = v.lift ? v.stored_values / step : 2 * copy->values.size();
  out.values = copy->values.data();
  out.indices = copy->indices.data();
  out.starts = copy->starts.data();
  return {out, std::move(copy)};
}

// Scattered narrow rows would load whole cache lines of other rows with them.
bool is_worth_a_copy(const RowsView& v) {
  const std::size_t bytes = v.stored_columns * v.value_bytes();
  return bytes <= 512 && bytes * v.count <= std::size_t{1} << 26;
}

template <class T>
RowsCopy copy_dense(const RowsView& v, const std::size_t threads) {
  const auto* values = static_cast<const T*>(v.values);
  auto copy = std::make_shared<UninitializedVector<T>>(v.count * v.stored_columns);
  const std::size_t parts = std::min<std::size_t>(32, v.count);
  parallel(copy->size() < 1 << 16 ? 1 : threads, parts, [&](const std::size_t part) {
    const std::size_t end = v.count * (part + 1) / parts;
    for (std::size_t i = v.count * part / parts; i < end; ++i)
      std::copy_n(values + i * v.stride, v.stored_columns, copy->data() + i * v.stored_columns);
  });
  RowsView out = v;
  out.values = copy->data();
  out.stride = v.stored_columns;
  return {out, std::move(copy)};
}

}  // namespace

RowsCopy every_nth(const RowsView& rows, const std::size_t step, const std::size_t threads) {
  if (step == 0) throw std::invalid_argument("a step must not be 0");
  switch (rows.stored()) {
#define ROSENBLATT_CASE(kind, T, Index) \
  case RowKind::kind: return copy_csr<T, Index>(rows, step);
    ROSENBLATT_CSR_KINDS(ROSENBLATT_CASE)
#undef ROSENBLATT_CASE
    default: break;
  }
  RowsView out = rows;
  out.count = (rows.count + step - 1) / step;
  out.stride = rows.stride * step;
  out.stored_values = rows.stored_values / std::max<std::size_t>(rows.count, 1) * out.count;
  if (!is_worth_a_copy(out)) return {out, nullptr};
  return out.value_bytes() == 4 ? copy_dense<float>(out, threads) : copy_dense<double>(out, threads);
}

}  // namespace rosenblatt
