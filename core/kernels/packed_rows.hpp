// What products of rows with rows read, as plain values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rosenblatt {

enum class SimilarityKind : std::uint8_t { linear, polynomial, gaussian };

struct Similarity {
  SimilarityKind kind = SimilarityKind::linear;
  double gamma = 1.0;
  double constant = 0.0;              // of the polynomial: (gamma a.b + constant)^degree
  std::uint32_t degree = 1;
};

enum class PackedKind : std::uint8_t { dense_f64, dense_f32, sparse };
inline constexpr std::size_t packed_kinds = 3;
inline constexpr std::size_t panel_rows = 16;

// Dense rows in panels of 16, coordinate by coordinate, zeros behind the last row; sparse rows by row and by column.
struct PackedView {
  PackedKind kind = PackedKind::dense_f64;
  std::size_t count = 0, columns = 0;
  const void* panels = nullptr;
  const double* squared_norms = nullptr;
  const std::size_t *starts = nullptr, *column_starts = nullptr;
  const std::uint32_t *at = nullptr, *column_rows = nullptr;
  const double *values = nullptr, *column_values = nullptr;
};

struct GramView {
  Similarity similarity;
  PackedView left, basis;
  const double* diagonal = nullptr;   // K(x, x) of the basis
  std::size_t cached = 0;             // rows in memory; the others are made when they are visited
  std::size_t first = 0;              // the weight that row 0 moves
  std::size_t budget = 0;             // weights that may be other than 0 at a time; 0: all
};

}  // namespace rosenblatt
