// The hinge of joint classes (Crammer and Singer 2001), smoothed around given shares.
//
// A row of class y with scores s costs max_k (s_k + [k != y]) - s_y. That is the largest b.(s + [k != y]) - s_y over
// shares b >= 0 that add up to 1. The smoothed loss subtracts |b - centre|^2 / (2 sharpness): the augmented Lagrangian
// of the dual, whose multipliers are the shares. Its b is the point of the simplex nearest to
// centre + sharpness (s + [k != y]). Bits do not depend on threads or instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rows/views.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

// Fills shares with b and pull with -weight * d loss / d score, `planes` numbers per row. Returns the weighted sum of
// the smoothed losses.
double smoothed_joint_hinge(const LabelsView&, const double* scores, const double* centres, double sharpness,
                            std::size_t rows, std::size_t planes, std::size_t threads, double* pull, double* shares);

// The Hessian H of the smoothed losses, divided by the sharpness. A row bends only between the classes that have a
// share of it. For one row: change = H along.
void apply_joint_hinge_curvature(double weight, const double* share, const double* along, std::size_t planes,
                                 double* change);

// The lower triangle of H: a square of size planes x (columns + 1), the offsets of all planes last.
void joint_hinge_hessian(const FunctionTable&, const RowsView&, const LabelsView&, const double* shares,
                         std::size_t planes, double offset_value, std::size_t threads, double* out);

// Coordinate descent on the dual, a block of shares at a time: visits the listed rows in their order. Each visit moves
// the shares of its row to their optimum, with all others fixed, and z (weights, then offsets) with them. Fills
// violation[k]: how far the scores of the classes that shared the k-th row were below the best; for a row that only its
// own class shared and won, minus the distance to its best rival. Returns the share of the visited rows in the gap.
double descend_joint_hinge(const FunctionTable&, const RowsView&, const LabelsView&, double C,
                           const std::uint32_t* list, std::size_t count, std::size_t planes, double offset_value,
                           double* z, double* shares, double* violation);

}  // namespace rosenblatt
