// Borrowed views of what the caller holds: rows, labels, and where a trace is written. Checked at the boundary.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/packed_rows.hpp"

namespace rosenblatt {

struct Lift;

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
inline constexpr std::size_t row_kinds = 10;

struct RowsView {
  RowKind kind = RowKind::dense_f64;
  std::size_t count = 0;              // rows
  std::size_t columns = 0;            // coordinates the learner sees
  std::size_t stored_columns = 0;     // coordinates in memory (fewer when rows are generated)
  std::size_t stride = 0;             // elements from one dense row to the next
  const void* values = nullptr;
  const void* indices = nullptr;      // CSR only
  const void* starts = nullptr;       // CSR only, count + 1 of them
  std::size_t stored_values = 0;      // numbers a pass over all rows reads, or makes
  const Lift* lift = nullptr;         // what makes the rows, where they are not in memory
  RowKind base = RowKind::dense_f64;  // lifted only: the kind of the rows in memory
  std::size_t most_made = 0;          // lifted only: numbers of the longest row

  const GramView* gram = nullptr;     // rows of a kernel matrix only

  RowKind stored() const noexcept { return lift ? base : kind; }

  std::size_t value_bytes() const noexcept {
    const RowKind in_memory = stored();
    const bool narrow = in_memory == RowKind::dense_f32 || in_memory == RowKind::csr_f32_i32 ||
                        in_memory == RowKind::csr_f32_i64 || in_memory == RowKind::kernel_f32;
    return narrow ? 4 : 8;
  }
  // Room for the longest row, and behind it for what whole registers write beyond its end.
  std::size_t room() const noexcept { return lift ? most_made + 8 : 0; }
  std::size_t scratch_size() const noexcept {
    return gram ? 2 * most_made : (kind == RowKind::lifted_sparse ? 3 : 1) * room();
  }
};

// Some rows: `begin` to `end` of a list, or of all rows where there is no list.
struct Selection {
  std::size_t begin = 0, end = 0;
  const std::uint32_t* list = nullptr;

  std::size_t size() const noexcept { return end - begin; }
  std::size_t row(const std::size_t k) const noexcept { return list ? list[begin + k] : begin + k; }
  Selection part(const std::size_t from, const std::size_t to) const noexcept {
    return {begin + from, begin + to, list};
  }
};

// Exactly one of `signs` (two classes: -1 or +1) and `codes` (a class number for each row) is set.
struct LabelsView {
  const std::int8_t* signs = nullptr;
  const std::int32_t* codes = nullptr;
  const double* weights = nullptr;    // null: every row weighs 1

  double weight(std::size_t row) const noexcept { return weights ? weights[row] : 1.0; }
};

// One line for each move of w. A full trace pauses the run, so nothing is lost.
struct Trace {
  struct Line {
    std::uint64_t visit;
    std::int64_t row;                 // -1: the whole batch
    std::int32_t rival;               // joint classes: the class that scored best among the others; else -1
    double margin;
    double change;                    // how much of y x was added to w
    double norm;                      // of w after the move
  };
  Line* lines = nullptr;
  std::size_t capacity = 0;
  std::size_t size = 0;

  bool full() const noexcept { return lines != nullptr && size == capacity; }
};

}  // namespace rosenblatt
