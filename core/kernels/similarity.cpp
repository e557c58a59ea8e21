#include "kernels/similarity.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define ROSENBLATT_TARGET common
#include "kernels/kernel_products.hpp"
#include "numerics/fixed_sums.hpp"
#include "system/parallel.hpp"

namespace rosenblatt {
namespace {

constexpr std::size_t block = 64;     // rows and columns that are computed and mirrored together
static_assert(block % panel_rows == 0);

std::size_t round_up(const std::size_t count, const std::size_t to) { return (count + to - 1) / to * to; }

// One panel of 16 rows, and their squared norms, summed in the order of products.
template <class T>
void pack_panel(const RowsView& rows, const std::size_t first, T* out, double* norms) {
  const auto* from = static_cast<const T*>(rows.values) + first * rows.stride;
  const std::size_t count = std::min(panel_rows, rows.count - first);
  for (std::size_t k = 0; k < rows.columns; ++k)
    for (std::size_t r = 0; r < panel_rows; ++r) out[k * panel_rows + r] = r < count ? from[r * rows.stride + k] : T{0};
  T sums[panel_rows] = {};
  for (std::size_t k = 0; k < rows.columns; ++k)
    for (std::size_t r = 0; r < panel_rows; ++r) sums[r] += out[k * panel_rows + r] * out[k * panel_rows + r];
  for (std::size_t r = 0; r < count; ++r) norms[r] = static_cast<double>(sums[r]);
}

template <class T>
void pack_dense(const RowsView& rows, const std::size_t threads, T* out, double* norms) {
  parallel(rows.stored_values < 262144 ? 1 : threads, (rows.count + panel_rows - 1) / panel_rows,
           [&](const std::size_t p) {
             pack_panel(rows, p * panel_rows, out + p * panel_rows * rows.columns, norms + p * panel_rows);
           });
}

struct SparseLists {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> at;
  std::vector<double> values;
};

// Groups entries (major, minor, value) by minor and keeps their order within a group.
template <class Each>
SparseLists group_by_minor(const std::size_t minors, const Each& each) {
  SparseLists out;
  out.starts.assign(minors + 1, 0);
  each([&](std::size_t, const std::size_t minor, double) { ++out.starts[minor + 1]; });
  for (std::size_t k = 0; k < minors; ++k) out.starts[k + 1] += out.starts[k];
  std::vector<std::size_t> next(out.starts.begin(), out.starts.end() - 1);
  out.at.resize(out.starts[minors]);
  out.values.resize(out.starts[minors]);
  each([&](const std::size_t major, const std::size_t minor, const double value) {
    out.at[next[minor]] = static_cast<std::uint32_t>(major);
    out.values[next[minor]++] = value;
  });
  return out;
}

template <class T, class Index>
SparseLists csr_columns(const RowsView& rows) {
  const auto *at = static_cast<const Index*>(rows.indices), *starts = static_cast<const Index*>(rows.starts);
  const auto* values = static_cast<const T*>(rows.values);
  return group_by_minor(rows.columns, [&](const auto& put) {
    for (std::size_t i = 0; i < rows.count; ++i)
      for (Index e = starts[i]; e < starts[i + 1]; ++e)
        put(i, static_cast<std::size_t>(at[e]), static_cast<double>(values[e]));
  });
}

SparseLists sparse_columns(const RowsView& rows) {
  switch (rows.kind) {
#define ROSENBLATT_CASE(kind, T, Index) \
  case RowKind::kind: return csr_columns<T, Index>(rows);
    ROSENBLATT_CSR_KINDS(ROSENBLATT_CASE)
#undef ROSENBLATT_CASE
    default: throw std::invalid_argument("a kernel takes plain rows");
  }
}

// Lists by column become lists by row, with ascending columns.
SparseLists transposed(const SparseLists& columns, const std::size_t rows) {
  return group_by_minor(rows, [&](const auto& put) {
    for (std::size_t k = 0; k + 1 < columns.starts.size(); ++k)
      for (std::size_t e = columns.starts[k]; e < columns.starts[k + 1]; ++e) put(k, columns.at[e], columns.values[e]);
  });
}

PackedKind packed_kind(const RowsView& rows) {
  if (rows.kind == RowKind::dense_f64) return PackedKind::dense_f64;
  return rows.kind == RowKind::dense_f32 ? PackedKind::dense_f32 : PackedKind::sparse;
}

// The size of the workspace for products with these rows, in doubles.
std::size_t workspace_size(const PackedView& basis) {
  return basis.kind == PackedKind::sparse ? basis.count : basis.columns / 2 + 1;
}

// Memory aligned to a cache line, in large pages where possible: mirroring a block touches 64 distant rows. It is not
// cleared, so the threads that fill it touch it first.
float* allocate_pages(const std::size_t count) {
  constexpr std::size_t page = std::size_t{1} << 21;
  if (count > (~std::size_t{0} - page) / sizeof(float)) throw std::bad_alloc();
  const std::size_t bytes = count * sizeof(float), line = bytes < page ? 64 : page;
  void* room = std::aligned_alloc(line, round_up(std::max<std::size_t>(bytes, 1), line));
  if (!room) throw std::bad_alloc();
#if defined(__linux__)
  if (bytes >= page) madvise(room, round_up(bytes, page), MADV_HUGEPAGE);
#endif
  return static_cast<float*>(room);
}

}  // namespace

PackedRows::PackedRows(const FunctionTable&, const RowsView& rows, const std::size_t threads) : norms_(rows.count) {
  view_.kind = packed_kind(rows);
  view_.count = rows.count;
  view_.columns = rows.columns;
  const std::size_t size = round_up(rows.count, panel_rows) * rows.columns;
  if (view_.kind == PackedKind::dense_f32) {
    narrow_.reset(new float[size]);
    pack_dense<float>(rows, threads, narrow_.get(), norms_.data());
    view_.panels = narrow_.get();
  } else if (view_.kind == PackedKind::dense_f64) {
    wide_.reset(new double[size]);
    pack_dense<double>(rows, threads, wide_.get(), norms_.data());
    view_.panels = wide_.get();
  } else {
    SparseLists columns = sparse_columns(rows), lists = transposed(columns, rows.count);
    for (std::size_t i = 0; i < rows.count; ++i)
      for (std::size_t e = lists.starts[i]; e < lists.starts[i + 1]; ++e)
        norms_[i] += lists.values[e] * lists.values[e];
    starts_ = std::move(lists.starts), at_ = std::move(lists.at), values_ = std::move(lists.values);
    column_starts_ = std::move(columns.starts), column_rows_ = std::move(columns.at);
    column_values_ = std::move(columns.values);
    view_.starts = starts_.data(), view_.at = at_.data(), view_.values = values_.data();
    view_.column_starts = column_starts_.data(), view_.column_rows = column_rows_.data();
    view_.column_values = column_values_.data();
  }
  view_.squared_norms = norms_.data();
}

KernelMatrix::KernelMatrix(const Similarity& similarity, const PackedRows& left, const PackedRows& basis,
                           const std::size_t cached, const std::size_t first, const std::size_t budget)
    : symmetric_(&left == &basis), diagonal_(basis.view().count) {
  if (left.view().kind != basis.view().kind || left.view().columns != basis.view().columns)
    throw std::invalid_argument("rows of a kernel differ in kind or columns");
  if (first + left.view().count > basis.view().count) throw std::invalid_argument("rows of a kernel without a weight");
  view_ = {similarity, left.view(), basis.view(), diagonal_.data(), std::min(cached, left.view().count), first, budget};
  for (std::size_t j = 0; j < diagonal_.size(); ++j) {
    float own = 0.0f;
    const double norm = basis.view().squared_norms[j];
    common::apply_kernel(similarity, &norm, norm, &norm, 1, &own);
    diagonal_[j] = static_cast<double>(own);
  }
  const std::size_t columns = basis.view().count, count = left.view().count;
  matrix_.kind = RowKind::kernel_f32;
  matrix_.count = count;
  matrix_.columns = columns;
  matrix_.stored_columns = view_.cached == count ? columns : 0;   // generated rows need no read-ahead
  matrix_.stride = round_up(columns, panel_rows);
  matrix_.longest_generated = view_.cached == count ? 0 : columns;
  const std::size_t each = std::max<std::size_t>(basis.view().columns, 1);
  matrix_.stored_values = view_.cached * columns + (count - view_.cached) * columns * each;
  cache_.reset(allocate_pages(view_.cached * matrix_.stride));
  matrix_.values = cache_.get();
}

KernelMatrix::KernelMatrix(const RowsView& matrix, std::vector<double> diagonal, const std::size_t first,
                           const std::size_t budget)
    : matrix_(matrix), diagonal_(std::move(diagonal)) {
  const bool narrow = matrix.kind == RowKind::dense_f32;
  if (!narrow && matrix.kind != RowKind::dense_f64) throw std::invalid_argument("a kernel matrix is dense");
  if (diagonal_.size() != matrix.columns || first + matrix.count > matrix.columns)
    throw std::invalid_argument("rows of a kernel without a weight");
  matrix_.kind = narrow ? RowKind::kernel_f32 : RowKind::kernel_f64;
  view_.diagonal = diagonal_.data();
  view_.cached = made_ = matrix.count;
  view_.first = first;
  view_.budget = budget;
}

RowsView KernelMatrix::rows() const noexcept {
  RowsView rows = matrix_;
  rows.kernel_matrix = &view_;
  rows.kernel_in_memory = view_.first == 0 && view_.cached == matrix_.columns;
  return rows;
}

// Computes rows begin .. end-1, at most one block. For a symmetric matrix, computes the blocks right of the diagonal
// and mirrors them.
void KernelMatrix::fill_block(const FunctionTable& functions, const std::size_t begin, const std::size_t end) {
  const auto kernel_block = functions.kernel_block[index_of(view_.left.kind)];
  const std::size_t columns = matrix_.columns, stride = matrix_.stride;
  float* const out = cache_.get();
  std::vector<double> room(workspace_size(view_.basis));
  if (view_.left.kind == PackedKind::sparse) {
    kernel_block(view_.similarity, view_.left, begin, end - begin, view_.basis, 0, columns, nullptr, room.data(),
                 out + begin * stride, stride);
    return;
  }
  for (std::size_t from = symmetric_ ? begin : 0; from < columns; from += block) {
    const std::size_t to = std::min(from + block, columns);
    kernel_block(view_.similarity, view_.left, begin, end - begin, view_.basis, from, to, nullptr, room.data(),
                 out + begin * stride + from, stride);
    if (!symmetric_ || from == begin) continue;
    for (std::size_t j = from; j < std::min(to, view_.cached); ++j)
      for (std::size_t i = begin; i < end; ++i) out[j * stride + i] = out[i * stride + j];
  }
}

bool KernelMatrix::fill(const FunctionTable& functions, const std::size_t rows, const std::size_t threads) {
  const std::size_t end = std::min(round_up(made_ + std::max<std::size_t>(rows, 1), block), view_.cached);
  parallel(threads, (end - std::min(made_, end) + block - 1) / block, [&](const std::size_t k) {
    fill_block(functions, made_ + k * block, std::min(made_ + (k + 1) * block, end));
  });
  made_ = std::max(made_, end);
  return made_ < view_.cached;
}

bool kernel_scores(const FunctionTable& functions, const Similarity& similarity, const RowsView& rows,
                   const PackedView& basis, const Weights& weights, const std::size_t threads, double* out) {
  if (packed_kind(rows) != basis.kind || rows.columns != basis.columns)
    throw std::invalid_argument("rows of a kernel differ in kind or columns");
  const auto kernel_block = functions.kernel_block[index_of(basis.kind)];
  const auto scores = functions.scores[index_of(RowKind::dense_f32)];
  const std::size_t stride = round_up(std::max<std::size_t>(basis.count, 1), panel_rows), planes = weights.planes;
  const PackedRows sparse(functions, basis.kind == PackedKind::sparse ? rows : RowsView{}, 1);
  std::atomic<bool> finite{true};
  std::atomic<bool> enough{true};
  const bool small = static_cast<double>(rows.count) * static_cast<double>(stride) < 262144.0;
  parallel(small ? 1 : threads, (rows.count + block - 1) / block, [&](const std::size_t k) {
    try {
      const std::size_t begin = k * block, count = std::min(block, rows.count - begin);
      RowsView part = rows;
      part.count = count;
      part.stored_values = count * rows.columns;
      part.values = static_cast<const char*>(rows.values) + begin * rows.stride * rows.value_bytes();
      std::vector<double> room(workspace_size(basis));
      std::vector<float> strip(count * stride);
      const PackedRows packed(functions, basis.kind == PackedKind::sparse ? RowsView{} : part, 1);
      const bool dense = basis.kind != PackedKind::sparse;
      kernel_block(similarity, dense ? packed.view() : sparse.view(), dense ? 0 : begin, count, basis, 0, basis.count,
                   nullptr, room.data(), strip.data(), stride);
      RowsView values;
      values.kind = RowKind::dense_f32;
      values.count = count;
      values.columns = values.stored_columns = basis.count;
      values.stride = stride;
      values.values = strip.data();
      double* mine = out + begin * planes;
      scores(values, {0, count}, weights.w, planes, weights.scale, weights.offset, weights.offset_value, nullptr, mine);
      for (std::size_t e = 0; e < count * planes; ++e)
        if (!(mine[e] - mine[e] == 0.0)) finite = false;
    } catch (const std::bad_alloc&) {
      enough = false;
    }
  });
  if (!enough) throw std::bad_alloc();
  return finite;
}

}  // namespace rosenblatt
