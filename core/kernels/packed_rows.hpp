// A kernel function, rows packed for products of all pairs, and a kernel matrix, as plain values.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rows/views.hpp"

namespace rosenblatt {

enum class SimilarityKind : std::uint8_t { linear, polynomial, gaussian };
inline constexpr std::size_t similarity_kind_count = static_cast<std::size_t>(SimilarityKind::gaussian) + 1;

struct Similarity {
  SimilarityKind kind = SimilarityKind::linear;
  double gamma = 1.0;
  double constant = 0.0;              // of the polynomial: (gamma a.b + constant)^degree
  std::uint32_t degree = 1;
};

inline constexpr std::size_t panel_rows = 16;

// Dense rows in panels of 16, stored coordinate by coordinate and padded with zeros; sparse rows stored by row and by
// column.
struct PackedView {
  PackedKind kind = PackedKind::dense_f64;
  std::size_t count = 0, columns = 0;
  const void* panels = nullptr;
  const double* squared_norms = nullptr;
  const std::size_t *starts = nullptr, *column_starts = nullptr;
  const std::uint32_t *at = nullptr, *column_rows = nullptr;
  const double *values = nullptr, *column_values = nullptr;
};

struct KernelMatrixView {
  Similarity similarity;
  PackedView left, basis;
  const double* diagonal = nullptr;   // K(x, x) of the basis
  std::size_t cached = 0;             // rows in memory; the others are generated at each visit
  std::size_t first = 0;              // the weight that row 0 moves
  std::size_t budget = 0;             // how many weights may be nonzero; 0 means all
};

}  // namespace rosenblatt
