// The functions that exist once for each instruction set, and the choice among them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loop/state.hpp"
#include "parts/recipe.hpp"
#include "rows/views.hpp"
#include "solvers/dual_state.hpp"

namespace rosenblatt {

inline constexpr std::size_t losses = 4;
inline constexpr std::size_t heads = 2;      // 0: two classes, 1: joint
inline constexpr std::size_t gram_rows = 64;
constexpr std::size_t panel_width(const std::size_t size) { return (size + 15) / 16 * 16; }

struct Kernels {
  using Visit = std::size_t (*)(const RowsView&, const LabelsView&, const Recipe&, const std::uint32_t* order,
                                std::size_t count, std::size_t listed, double* scratch, Trace&, State&) noexcept;
  // out[k][plane] = scale * w[plane].x + offset[plane] * offset_value, for the selected rows
  using Scores = void (*)(const RowsView&, const Selection&, const double* w, std::size_t planes, double scale,
                          const double* offset, double offset_value, double* scratch, double* out) noexcept;
  // out[plane] += change[k][plane] * x, for the selected rows where some change is not 0
  using Accumulate = void (*)(const RowsView&, const Selection&, const double* change, std::size_t planes,
                              double* scratch, double* out) noexcept;
  // gram += sum of weight[k] * (x, offset_value) (x, offset_value)^T over the selected rows, the lower triangle of a
  // square of `columns + 1`; `panel` has room for gram_rows rows of panel_width of so many numbers, zeros at first.
  using Gram = void (*)(const RowsView&, const Selection&, const double* weight, double offset_value, double* scratch,
                        double* panel, double* gram) noexcept;
  // The first row from `begin` on that holds NaN or infinity; `end` if none does.
  using FirstBad = std::size_t (*)(const RowsView&, std::size_t begin, std::size_t end) noexcept;
  // most[column] rises to the bits of the largest size among the rows begin .. end-1
  using Raise = void (*)(const RowsView&, std::size_t begin, std::size_t end, double* scratch,
                         std::int64_t* most) noexcept;
  using Descend = std::size_t (*)(const RowsView&, const std::uint32_t* list, std::size_t count, std::size_t listed,
                                  double offset_value, double* scratch, Multiplier*, double* w, double& offset,
                                  Violation&, std::uint32_t* stay) noexcept;
  using SquaredNorms = void (*)(const RowsView&, const Selection&, double* scratch, double* out) noexcept;
  // In place: the lower triangle becomes L with L L^T = A. A coordinate whose pivot is not above `least` is left out:
  // its diagonal entry is 0. Returns how many were.
  using Factor = std::size_t (*)(double* a, std::size_t size, double least) noexcept;
  // out[i] = the loss, or its push, at each margin
  using OfMargins = void (*)(const double* margins, std::size_t count, double* out) noexcept;
  // Of two classes: pull[i] = weight * push * y and curvature[i] = weight * loss'' for rows begin .. end-1; returns the
  // weighted sum of their losses.
  using Slopes = double (*)(const LabelsView&, const double* scores, std::size_t begin, std::size_t end, double* pull,
                            double* curvature) noexcept;

  // out[i][j] = K of row `row` + i of `left` and row `from` + j of `basis`, i < count and j < to - from (products.hpp)
  using Similar = void (*)(const Similarity&, const PackedView& left, std::size_t row, std::size_t count,
                           const PackedView& basis, std::size_t from, std::size_t to, const double* needed, void* room,
                           float* out, std::size_t stride) noexcept;

  const char* name;
  Visit visit[row_kinds][losses][heads];
  Scores scores[row_kinds];
  Accumulate accumulate[row_kinds];
  Gram gram[row_kinds];
  FirstBad first_bad[row_kinds];
  Raise raise[row_kinds];
  Descend descend[row_kinds];
  SquaredNorms squared_norms[row_kinds];
  Factor factor;
  OfMargins loss_values[losses];
  OfMargins loss_pushes[losses];
  Slopes slopes[losses];
  Similar similar[packed_kinds];
};

extern const Kernels baseline_kernels;
#if defined(__x86_64__)
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
#endif

// The widest set this CPU has, unless the environment variable ROSENBLATT_TARGET names one; null if it names none
// that this CPU can run.
const Kernels* choose_kernels() noexcept;
const Kernels* find_kernels(const char* name) noexcept;

}  // namespace rosenblatt
