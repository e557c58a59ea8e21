// The minimum of a quadratic function with an l1 penalty: what one step of a proximal Newton method asks for.
#pragma once

#include <cstddef>

#include "targets/function_table.hpp"

namespace rosenblatt {

// q(u) + sum_j penalty_j |u_j|, where q is quadratic.
struct L1Quadratic {
  const double* hessian = nullptr;  // of q: symmetric, size x size, row by row
  const double* penalty = nullptr;
  std::size_t size = 0;
};

// Moves u towards the minimum, and with it the gradient of q at u, until no move of a single coordinate lowers the
// function by more than `accuracy`, or `rounds` are over. A round is one sweep of coordinate descent over all
// coordinates, some over those that are not 0 or have no penalty, and then a step to the minimum over these, as far as
// their signs stay. Coordinates without curvature stay. Returns whether the accuracy was reached.
bool minimise_l1(const FunctionTable&, const L1Quadratic&, double accuracy, std::size_t rounds, double* u,
                 double* gradient);

// Completes a symmetric matrix whose lower triangle is given.
void fill_upper_triangle(double* matrix, std::size_t size);

}  // namespace rosenblatt
