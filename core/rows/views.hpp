// Views of memory that the caller owns: rows, labels, and the buffer of a trace. The bindings check them once; the
// loops trust them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rosenblatt {

struct Lift;
struct KernelMatrixView;

enum class RowKind : std::uint8_t {
  dense_f64,
  dense_f32,
  csr_f64_i32,
  csr_f64_i64,
  csr_f32_i32,
  csr_f32_i64,
  lifted_dense,
  lifted_sparse,
  kernel_f64,
  kernel_f32,
};
inline constexpr std::size_t row_kind_count = static_cast<std::size_t>(RowKind::kernel_f32) + 1;

// CSR(kind, type of the values, type of the indices)
#define ROSENBLATT_CSR_KINDS(CSR)        \
  CSR(csr_f64_i32, double, std::int32_t) \
  CSR(csr_f64_i64, double, std::int64_t) \
  CSR(csr_f32_i32, float, std::int32_t)  \
  CSR(csr_f32_i64, float, std::int64_t)

// Rows packed for products of all pairs (kernels/packed_rows.hpp).
enum class PackedKind : std::uint8_t { dense_f64, dense_f32, sparse };
inline constexpr std::size_t packed_kind_count = static_cast<std::size_t>(PackedKind::sparse) + 1;

struct RowsView {
  RowKind kind = RowKind::dense_f64;
  std::size_t count = 0;              // rows
  std::size_t columns = 0;            // coordinates that the learner sees
  std::size_t stored_columns = 0;     // coordinates in memory; fewer where rows are generated
  std::size_t stride = 0;             // elements from one dense row to the next
  const void* values = nullptr;
  const void* indices = nullptr;      // CSR only
  const void* starts = nullptr;       // CSR only, count + 1 of them
  std::size_t stored_values = 0;      // numbers that one pass over all rows reads or generates
  const Lift* lift = nullptr;         // how to generate the rows, where they are not in memory
  RowKind base = RowKind::dense_f64;  // lifted only: the kind of the rows in memory
  std::size_t longest_generated = 0;          // numbers in the longest generated row

  const KernelMatrixView* kernel_matrix = nullptr;     // only for rows of a kernel matrix
  bool kernel_in_memory = false;  // all rows of a square kernel matrix are in memory

  RowKind stored() const noexcept { return lift ? base : kind; }

  std::size_t value_bytes() const noexcept {
    const RowKind in_memory = stored();
    const bool narrow = in_memory == RowKind::dense_f32 || in_memory == RowKind::csr_f32_i32 ||
                        in_memory == RowKind::csr_f32_i64 || in_memory == RowKind::kernel_f32;
    return narrow ? 4 : 8;
  }
  // The longest row, plus one register: whole registers are written, beyond the end of the row too.
  std::size_t padded_length() const noexcept { return lift ? longest_generated + 8 : 0; }
  std::size_t scratch_size() const noexcept {
    return kernel_matrix ? 2 * longest_generated : (kind == RowKind::lifted_sparse ? 3 : 1) * padded_length();
  }
};

// Entries begin .. end-1 of a list of rows, or rows begin .. end-1 where there is no list.
struct Selection {
  std::size_t begin = 0, end = 0;
  const std::uint32_t* list = nullptr;

  std::size_t size() const noexcept { return end - begin; }
  std::size_t row(const std::size_t k) const noexcept { return list ? list[begin + k] : begin + k; }
  Selection part(const std::size_t from, const std::size_t to) const noexcept {
    return {begin + from, begin + to, list};
  }
};

// Exactly one is set: `signs` (two classes, -1 or +1) or `codes` (one class number per row).
struct LabelsView {
  const std::int8_t* signs = nullptr;
  const std::int32_t* codes = nullptr;
  const double* weights = nullptr;    // null: every row has weight 1

  double weight(std::size_t row) const noexcept { return weights ? weights[row] : 1.0; }
};

// One line per move of w. A full trace pauses the run, so no line is lost.
struct Trace {
  struct Line {
    std::uint64_t visit;
    std::int64_t row;                 // -1: the whole batch
    std::int32_t rival;               // joint classes: the best-scoring wrong class; otherwise -1
    double margin;
    double change;                    // the factor of y x that was added to w
    double norm;                      // of w after the move
  };
  Line* lines = nullptr;
  std::size_t capacity = 0;
  std::size_t size = 0;

  bool full() const noexcept { return lines != nullptr && size == capacity; }
};

}  // namespace rosenblatt
