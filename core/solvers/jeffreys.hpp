// What Newton's method asks about a logistic loss with Jeffreys' penalty at given scores: Firth's modified score, the
// Fisher information and its determinant, and the leverage of every row.
#pragma once

#include <cstddef>

#include "rows/views.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

struct JeffreysTerms {
  double loss;             // the weighted sum of the losses
  double log_determinant;  // of the information A; minus infinity if a coordinate depends on others, NaN on overflow
};

// Two classes. Fills curvature[i] = s p (1 - p), share[i] = p (1 - p) |L^-1 x|^2 with A = L L^T, which is the leverage
// without the row's weight, pull[i] = s (y - p) + s share (1/2 - p) with y = 0 or 1, and inverse = L^-1. Coordinates
// that are 0 in every row are left out of A.
JeffreysTerms jeffreys_terms(const FunctionTable&, const RowsView&, const LabelsView&, const double* scores,
                             double offset_value, double least_pivot, std::size_t threads, double* pull,
                             double* curvature, double* share, double* inverse);

// The lower triangle of A is destroyed. Returns log det A, and inverse = L^-1 with A = L L^T.
double invert_information(const FunctionTable&, double* a, std::size_t size, double least_pivot, double* inverse);

}  // namespace rosenblatt
