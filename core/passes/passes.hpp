// Streamed passes over rows with fixed weights, on several threads: scores, margins, loss, gradient. The rows are cut
// into parts that depend on the data alone and are added up in order, so the bits do not depend on the threads.
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
  std::uint64_t wrong_rows = 0;       // how many they are

  Totals& operator+=(const Totals& other) noexcept {
    mistakes += other.mistakes;
    loss += other.loss;
    wrong_rows += other.wrong_rows;
    return *this;
  }
};

// Both say whether all scores were finite numbers, as they are for finite rows and weights that are not too large.
bool compute_scores(const Kernels&, const RowsView&, const Weights&, const Selection&, std::size_t threads,
                    double* out);

// out[row] = label[1] where the score of the one plane is at least 0, else label[0]: a prediction without the scores in
// between. Labels are any 8 bytes.
bool choose(const Kernels&, const RowsView&, const Weights&, const std::uint64_t label[2], std::size_t threads,
            std::uint64_t* out);

// `margins` (one for each selected row) and `gradient` (planes x columns, and planes more for the offsets; the sum of
// weight * push * y * x, so downhill) are filled where they are not null.
Totals inspect(const Kernels&, const RowsView&, const LabelsView&, const Weights&, Loss, const Selection&,
               std::size_t threads, double* margins, double* gradient);

// The first row with NaN or infinity, or rows.count.
std::size_t first_bad_row(const Kernels&, const RowsView&, std::size_t threads);

// The largest size in each column; NaN or infinity where there is one.
void largest_sizes(const Kernels&, const RowsView&, std::size_t threads, double* out);

}  // namespace rosenblatt
