// The functions that are compiled once per instruction set, and the choice of the set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parts/recipe.hpp"
#include "rows/views.hpp"

namespace rosenblatt {

struct Multiplier;
struct PackedView;
class ScoreWindow;
struct Similarity;
struct State;
struct Violation;

enum class ClassHead : std::uint8_t { binary, joint };
inline constexpr std::size_t class_head_count = 2;

// Outer products are added in panels of this many rows. A row of a panel is padded to whole registers.
inline constexpr std::size_t panel_height = 64;
constexpr std::size_t panel_width(const std::size_t size) { return (size + 15) / 16 * 16; }

// The lengths of so many dense rows are computed together.
inline constexpr std::size_t length_panel_rows = 16;

// The index of an enumerator in a table.
template <class Enum>
constexpr std::size_t index_of(const Enum value) noexcept {
  return static_cast<std::size_t>(value);
}

struct FunctionTable {
  // The training loop (loop/visit.hpp). Returns the number of visits made.
  using Visit = std::size_t (*)(const RowsView&, const LabelsView&, const Recipe&, const std::uint32_t* order,
                                std::size_t count, std::size_t listed, double* scratch, Trace&, State&,
                                ScoreWindow*) noexcept;
  // Two classes: the margins of the selected rows, and their norms with the constant coordinate.
  using MarginsAndNorms = void (*)(const RowsView&, const Selection&, const LabelsView&, const State&,
                                   double offset_value, double* margins, double* norms) noexcept;
  // out[k][plane] = scale * w[plane].x + offset[plane] * offset_value for the selected rows.
  using Scores = void (*)(const RowsView&, const Selection&, const double* w, std::size_t planes, double scale,
                          const double* offset, double offset_value, double* scratch, double* out) noexcept;
  // The scores of one row by the weights that a learner returns (loop/kept_scores.hpp).
  using KeptScores = void (*)(const RowsView&, std::size_t row, const State&, double offset_value, double* scratch,
                              double* weights, double* out) noexcept;
  // out[plane] += change[k][plane] * x for the selected rows.
  using Accumulate = void (*)(const RowsView&, const Selection&, const double* change, std::size_t planes,
                              double* scratch, double* out) noexcept;
  // The same two for some planes of sparse rows, whose weights lie side by side: `width` numbers per column
  // (rows/many_planes.hpp). `planes` is the distance from one row's scores or changes to the next row's.
  using ScoresSideBySide = void (*)(const RowsView&, const Selection&, const double* w, std::size_t width, double scale,
                                    const double* offset, double offset_value, std::size_t planes,
                                    double* out) noexcept;
  using AccumulateSideBySide = void (*)(const RowsView&, const Selection&, const double* change, std::size_t planes,
                                        std::size_t width, double* out) noexcept;
  // out += sum of weight[k] * (x, offset_value) (x, offset_value)^T over the selected rows: the lower triangle of a
  // square of size columns + 1. `panel` holds panel_height * panel_width(columns + 1) numbers, zeros at first.
  using AddOuterProducts = void (*)(const RowsView&, const Selection&, const double* weight, double offset_value,
                                    double* scratch, double* panel, double* out) noexcept;
  // The first row from `begin` on that holds NaN or infinity; `end` if none does.
  using FirstNonFinite = std::size_t (*)(const RowsView&, std::size_t begin, std::size_t end) noexcept;
  // most[column] = max(most[column], bits of the largest magnitude among rows begin .. end-1).
  using ColumnMaxima = void (*)(const RowsView&, std::size_t begin, std::size_t end, double* scratch,
                                std::int64_t* most) noexcept;
  // A pass of coordinate descent on the dual (solvers/dual_coordinate_descent.hpp). Returns how many rows stay active.
  using DescendDual = std::size_t (*)(const RowsView&, const std::uint32_t* list, std::size_t count, std::size_t listed,
                                      double offset_value, double* scratch, Multiplier*, double* w, double& offset,
                                      Violation&, std::uint32_t* keep) noexcept;
  using SquaredNorms = void (*)(const RowsView&, const Selection&, double* scratch, double* out) noexcept;
  // In place: the lower triangle of A becomes L with L L^T = A. A coordinate whose pivot is at most `least` is dropped:
  // its diagonal entry becomes 0. Returns how many were dropped.
  using CholeskyFactor = std::size_t (*)(double* a, std::size_t size, double least) noexcept;
  // out = L^-1 for the L of CholeskyFactor.
  using InvertTriangle = void (*)(const double* l, std::size_t size, double* out) noexcept;
  // out[k] = |L^-1 (x, offset_value)|^2 for the selected rows, with inverse = L^-1 (solvers/leverages.hpp). Sparse rows
  // also read `transposed` = L^-T. `panel` holds (length_panel_rows + 1) * (columns + 1) numbers.
  using SquaredLengths = void (*)(const RowsView&, const Selection&, const double* inverse, const double* transposed,
                                  double offset_value, double* scratch, double* panel, double* out) noexcept;
  // out[i] = the loss, or its push, at margins[i].
  using MapMargins = void (*)(const double* margins, std::size_t count, double* out) noexcept;
  // Two classes: pull[i] = weight * push * y and curvature[i] = weight * loss'' for rows begin .. end-1. Returns the
  // weighted sum of the losses.
  using LossDerivatives = double (*)(const LabelsView&, const double* scores, std::size_t begin, std::size_t end,
                                     double* pull, double* curvature) noexcept;
  // out[i][j] = K(row `row` + i of `left`, row `from` + j of `basis`) for i < count and j < to - from
  // (kernels/kernel_products.hpp).
  using KernelBlock = void (*)(const Similarity&, const PackedView& left, std::size_t row, std::size_t count,
                               const PackedView& basis, std::size_t from, std::size_t to, const double* weights,
                               void* workspace, float* out, std::size_t stride) noexcept;

  const char* name;
  Visit visit[row_kind_count][loss_count][class_head_count];
  MarginsAndNorms margins_and_norms[row_kind_count];  // null for rows that are not in memory
  Scores scores[row_kind_count];
  KeptScores kept_scores[row_kind_count];
  Accumulate accumulate[row_kind_count];
  ScoresSideBySide scores_side_by_side[row_kind_count];          // null for rows that are not sparse in memory
  AccumulateSideBySide accumulate_side_by_side[row_kind_count];  // null for the same
  AddOuterProducts add_outer_products[row_kind_count];
  FirstNonFinite first_nonfinite[row_kind_count];
  ColumnMaxima column_maxima[row_kind_count];
  DescendDual descend_dual[row_kind_count];
  SquaredNorms squared_norms[row_kind_count];
  SquaredLengths squared_lengths[row_kind_count];
  CholeskyFactor cholesky_factor;
  InvertTriangle invert_triangle;
  MapMargins loss_values[loss_count];
  MapMargins loss_pushes[loss_count];
  LossDerivatives loss_derivatives[loss_count];
  KernelBlock kernel_block[packed_kind_count];
};

extern const FunctionTable baseline_functions;
#if defined(__x86_64__)
extern const FunctionTable avx2_functions;
extern const FunctionTable avx512_functions;
#endif

// The widest instruction set of this CPU, or the one that the environment variable ROSENBLATT_TARGET names. Null if
// this CPU cannot run the named set.
const FunctionTable* choose_functions() noexcept;
// The set of this name, or the widest for a null name. Null if this CPU cannot run it.
const FunctionTable* find_functions(const char* name) noexcept;

}  // namespace rosenblatt
