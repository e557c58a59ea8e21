// The step of a proximal Newton method where its Hessian would be too large: coordinate descent over the columns.
#pragma once

#include <cstddef>

#include "rows/views.hpp"

namespace rosenblatt {

// gradient.(u - z) + 1/2 sum_i bend_i (x_i.(u - z))^2 + 1/2 ridge |u - z|^2 + sum_j penalty_j |u_j|. The last
// coordinate of u is that of the offset, whose column is constant, and `ridge` and `penalty` have one number for each.
struct L1Model {
  RowsView rows;  // sparse
  const double* bend = nullptr;
  const double* gradient = nullptr;
  const double* ridge = nullptr;
  const double* penalty = nullptr;
  double offset_value = 1.0;
};

// Moves u from z towards the minimum, until a sweep over all coordinates lowers the function by at most `share` of what
// all sweeps did, or `sweeps` are over. Coordinates without curvature stay. Returns whether it came so far. Throws
// std::invalid_argument where the rows are not sparse and stored.
bool minimise_l1_by_columns(const L1Model&, double share, std::size_t sweeps, double* u);

}  // namespace rosenblatt
