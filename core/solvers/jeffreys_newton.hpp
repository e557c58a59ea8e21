// Newton's method for a logistic loss with Jeffreys' penalty, for two classes and rows in memory: whole steps and line
// searches in one call. Steps use the inverse of the Fisher information. The caller bounds the number of steps, and
// decides what to do where no plain step is possible.
#pragma once

#include <cstddef>
#include <vector>

#include "rows/views.hpp"
#include "solvers/jeffreys.hpp"
#include "system/uninitialized_vector.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

struct JeffreysObjective {
  const FunctionTable& functions;
  const RowsView& rows;
  const LabelsView& labels;
  double offset_value;
  double largest_log_determinant;  // that of the information at weights 0
  double least_pivot;
  std::size_t threads;

  std::size_t size() const { return rows.columns + 1; }
};

// Weights z, and what is known there. `scores`, `pull`, `curvature` and `share` have one number a row, as in
// jeffreys.hpp; `inverse` is L^-1.
struct JeffreysPoint {
  double* z;
  double* gradient;
  double* scores;
  double* pull;
  double* curvature;
  double* share;
  double* inverse;
  double value;
};

// A point with its memory.
struct OwnPoint {
  UninitializedVector<double> numbers;
  JeffreysPoint point;

  OwnPoint(std::size_t rows, std::size_t size);
};

// out = A^-1 b, where A^-1 = L^-T L^-1.
void multiply_by_inverse(const double* inverse, const double* b, std::size_t size, double* out);

// Fills everything but z, from z. The value is infinite where the information is singular, NaN on overflow.
JeffreysTerms evaluate(const JeffreysObjective&, JeffreysPoint&);

struct NewtonLimits {
  const std::size_t* held;  // coordinates that do not move
  std::size_t held_count;
  double gradient_norm;  // to reach
  double relative_fall;  // of the objective: what the Hessian may still predict in the end
  std::size_t steps;     // to take at most
  std::size_t look_after;  // so many steps the run ends if the gradient's norm is above `look_above`
  double look_above;
};

// What each step left: the objective, the norm of its gradient, and how often the objective was evaluated. `to_fall` is
// what it can still fall after the last step, by the Hessian of that step.
struct NewtonTrace {
  double* values;
  double* norms;
  double* evaluations;
  double to_fall;
};

// Takes plain steps from `point`, which it moves, and uses `spare` as memory. Returns their number. It ends within the
// limits, and before a step that rounding hides or that a line search does not find.
std::size_t take_newton_steps(const JeffreysObjective&, const NewtonLimits&, JeffreysPoint& point, JeffreysPoint& spare,
                              NewtonTrace&);

}  // namespace rosenblatt
