// What Newton's method asks of the data: slopes and curvatures of the loss at given scores, pulls (X^T r), curvature
// products (H p), the Hessian of one plane, and its Cholesky factor. Two classes have one plane; joint classes have one
// each, and their loss is that of softmax. A vector of weights is planes x columns numbers, and then the weights of the
// constant coordinate, one a plane. Bits do not depend on threads or instruction sets.
#pragma once

#include <cstddef>

#include "parts/recipe.hpp"
#include "rows/views.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

// scores, pull and curvature have `planes` numbers a row. pull is minus the weighted slope of the loss by each score.
// curvature is weight * loss'' for one plane; for more, the chances that softmax gives each class. Returns the weighted
// sum of the losses.
double slopes(const Kernels&, const LabelsView&, Loss, const double* scores, std::size_t rows, std::size_t planes,
              std::size_t threads, double* pull, double* curvature);

// out = sum of change[i] (x_i, offset_value)^T.
void pull_together(const Kernels&, const RowsView&, const double* change, std::size_t planes, double offset_value,
                   std::size_t threads, double* out);

// along[i] = the scores that p gives row i, and out = H p, where H is the Hessian of the weighted sum of the losses.
void curve(const Kernels&, const RowsView&, const LabelsView&, const double* curvature, const double* p,
           std::size_t planes, double offset_value, std::size_t threads, double* along, double* out);

// The lower triangle of the sum of curvature[k] * x x^T over the selected rows; (columns + 1)^2 numbers.
void hessian(const Kernels&, const RowsView&, const Selection&, const double* curvature, double offset_value,
             std::size_t threads, double* out);

// The diagonal of the same sum over all rows; columns + 1 numbers.
void hessian_diagonal(const RowsView&, const double* curvature, double offset_value, double* out);

// In place: b becomes the solution of L L^T x = b, where L is what Kernels::factor made; 0 for coordinates left out.
void solve(const double* l, std::size_t size, double* b);

// out = scores + step * along.
void move_along(const double* scores, double step, const double* along, std::size_t size, std::size_t threads,
                double* out);

// The least now[i] / before[i] where before[i] is above 0, and 1 at most.
double least_ratio(const double* now, const double* before, std::size_t size, std::size_t threads);

double dot(const double* a, const double* b, std::size_t size);

}  // namespace rosenblatt
