// Building blocks of Newton's method: derivatives of the loss at given scores, products X^T r and H p, the Hessian of
// one plane and its Cholesky solve. Two classes have one plane; joint classes have one each and the softmax loss. A
// vector of weights has planes x columns numbers, followed by one weight of the constant coordinate per plane. Bits do
// not depend on threads or instruction sets.
#pragma once

#include <cstddef>

#include "parts/recipe.hpp"
#include "rows/views.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

// scores, pull and curvature have `planes` numbers per row. pull = -weight * d loss / d score. curvature is
// weight * loss'' for one plane; for more planes, the softmax probabilities. Returns the weighted sum of the losses.
double loss_derivatives(const FunctionTable&, const LabelsView&, Loss, const double* scores, std::size_t rows,
                        std::size_t planes, std::size_t threads, double* pull, double* curvature);

// out = sum of change[i] (x_i, offset_value)^T.
void transpose_product(const FunctionTable&, const RowsView&, const double* change, std::size_t planes,
                       double offset_value, std::size_t threads, double* out);

// along[i] = scores of row i under p, and out = H p for the Hessian H of the weighted sum of the losses. The curvature
// of joint classes is that of softmax, or for the hinge the shares of joint_hinge.hpp.
void hessian_product(const FunctionTable&, const RowsView&, const LabelsView&, Loss, const double* curvature,
                     const double* p, std::size_t planes, double offset_value, std::size_t threads, double* along,
                     double* out);

// The lower triangle of the sum of curvature[k] * x x^T over the selected rows: (columns + 1)^2 numbers.
void compute_hessian(const FunctionTable&, const RowsView&, const Selection&, const double* curvature,
                     double offset_value, std::size_t threads, double* out);

// The same for each plane, where curvature has `planes` numbers per selected row: planes x (columns + 1)^2 numbers.
void compute_plane_hessians(const FunctionTable&, const RowsView&, const Selection&, const double* curvature,
                            std::size_t planes, double offset_value, std::size_t threads, double* out);

// The diagonals of these sums over all rows, as weights are stored.
void compute_hessian_diagonal(const RowsView&, const double* curvature, std::size_t planes, double offset_value,
                              std::size_t threads, double* out);

// For each row, the sum of scale * x^2 over its coordinates, the offset's last.
void compute_scaled_squares(const RowsView&, const double* scale, double offset_value, std::size_t threads,
                            double* out);

// In place: b becomes the solution of L L^T x = b, with L from FunctionTable::cholesky_factor. Dropped coordinates are
// 0.
void cholesky_solve(const double* l, std::size_t size, double* b);

// out = scores + step * along.
void add_scaled(const double* scores, double step, const double* along, std::size_t size, std::size_t threads,
                double* out);

// The smallest now[i] / before[i] over before[i] > 0, and at most 1.
double least_ratio(const double* now, const double* before, std::size_t size, std::size_t threads);

double dot(const double* a, const double* b, std::size_t size);

// In units of the largest entry, so that squares neither overflow nor vanish; NaN if an entry is not finite.
double euclidean_norm(const double* x, std::size_t size);

}  // namespace rosenblatt
