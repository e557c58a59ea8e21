// Streamed passes over rows with fixed weights, on several threads: scores, margins, loss, gradient. The data alone
// decide how rows are split into parts, and parts are added in order, so the bits do not depend on the threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "parts/recipe.hpp"
#include "rows/views.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

struct Weights {
  const double* w = nullptr;          // planes x columns
  const double* offset = nullptr;     // planes
  std::size_t planes = 1;
  double scale = 1.0;
  double offset_value = 1.0;
};

struct Totals {
  double mistakes = 0.0;              // weight of the rows with margin <= 0
  double loss = 0.0;                  // weighted sum
  std::uint64_t wrong_rows = 0;       // their number

  Totals& operator+=(const Totals& other) noexcept {
    mistakes += other.mistakes;
    loss += other.loss;
    wrong_rows += other.wrong_rows;
    return *this;
  }
};

// The next two functions return whether all scores are finite.
bool compute_scores(const FunctionTable&, const RowsView&, const Weights&, const Selection&, std::size_t threads,
                    double* out);

// out[row] = label[1] if the score of the one plane is at least 0, otherwise label[0]. Labels are any 8 bytes. Scores
// are not stored.
bool predict_labels(const FunctionTable&, const RowsView&, const Weights&, const std::uint64_t label[2],
                    std::size_t threads, std::uint64_t* out);

// The rows that are not on the side of their class, or where another plane scores at least as high as their own. One
// plane is that of class 1 against class 0.
std::uint64_t count_mistakes(const FunctionTable&, const RowsView&, const std::int32_t* codes, const Weights&,
                             std::size_t threads);

// Mistakes and loss of the selected rows. Fills `margins` (one per selected row) and `gradient` (planes x columns, then
// one offset per plane: the sum of weight * push * y * x, a descent direction) where they are not null.
Totals evaluate(const FunctionTable&, const RowsView&, const LabelsView&, const Weights&, Loss, const Selection&,
                std::size_t threads, double* margins, double* gradient);

// The first row with NaN or infinity; rows.count if there is none.
std::size_t first_nonfinite_row(const FunctionTable&, const RowsView&, std::size_t threads);

// The largest magnitude in each column; NaN or infinity where there is one.
void largest_magnitudes(const FunctionTable&, const RowsView&, std::size_t threads, double* out);

// The mean of the squared row norms, constant coordinate included, and the largest squared norm times the row's weight.
struct SquaredNormSummary {
  double mean = 0.0, largest = 0.0;
};
SquaredNormSummary summarize_squared_norms(const FunctionTable&, const RowsView&, double constant,
                                           const double* weights, std::size_t threads);

}  // namespace rosenblatt
