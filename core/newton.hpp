// What Newton's method asks of the data: slopes and curvatures of the loss at given scores, pulls (X^T r), curvature
// products (X^T D X p), the Hessian itself, and its Cholesky factor. Two classes, one plane; the constant coordinate is
// the last. Bits do not depend on threads or instruction sets.
#pragma once

#include <cstddef>

#include "data.hpp"
#include "kernels.hpp"
#include "recipe.hpp"

namespace rosenblatt {

// For each row: pull[i] = weight * push * y, curvature[i] = weight * loss''. Returns the weighted sum of the losses.
double slopes(const Kernels&, const LabelsView&, Loss, const double* scores, std::size_t rows, std::size_t threads,
              double* pull, double* curvature);

// out = sum of change[i] * (x_i, offset_value): columns + 1 numbers.
void pull_together(const Kernels&, const RowsView&, const double* change, double offset_value, std::size_t threads,
                   double* out);

// along[i] = (x_i, offset_value) . p, and out = sum of curvature[i] * along[i] * (x_i, offset_value).
void curve(const Kernels&, const RowsView&, const double* curvature, const double* p, double offset_value,
           std::size_t threads, double* along, double* out);

// The lower triangle of the sum of curvature[k] * x x^T over the selected rows; (columns + 1)^2 numbers.
void hessian(const Kernels&, const RowsView&, const Selection&, const double* curvature, double offset_value,
             std::size_t threads, double* out);

// In place: the lower triangle becomes L with L L^T = A. A coordinate whose pivot is not above `least` is left out: its
// diagonal entry is 0, and `solve` gives it 0. Returns how many were.
std::size_t factor(double* a, std::size_t size, double least);
// In place: b becomes the solution of L L^T x = b.
void solve(const double* l, std::size_t size, double* b);

double dot(const double* a, const double* b, std::size_t size);

}  // namespace rosenblatt
