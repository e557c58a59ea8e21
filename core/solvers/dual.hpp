// The hinge classifier at its optimum, with the duality gap as proof.
//
//   primal:  P(w, b) = sum_i c_i max(0, 1 - y_i (w.x_i + b v)) + |w|^2 / 2  (+ b^2 / 2 if the offset is penalised)
//   dual:    D(a) = sum_i a_i - |sum_i a_i y_i x_i|^2 / 2  (- (v sum_i a_i y_i)^2 / 2), 0 <= a_i <= c_i = C s_i;
//            an offset without penalty requires sum_i a_i y_i = 0.
//
// Two solvers, each in bounded steps. `descend_coordinates` visits one multiplier at a time: fast at first, slow near
// the optimum. `step_newton` takes a Newton step on the augmented Lagrangian of the dual. That is P with each corner of
// the loss smoothed within 1 / sharpness and centred by the multiplier. Its linear system involves only the rows near
// their corner, which are few once the multipliers are nearly right. The constraint of a free offset has a multiplier
// as well: the offset. `prove_gap` recomputes both values from the data.
#pragma once

#include <cstdint>

#include "loop/advance.hpp"
#include "solvers/dual_state.hpp"

namespace rosenblatt {

// Puts every row with a positive bound on the list; shuffles the active ones.
void activate_all(DualState&);
void shuffle_active(DualState&);

DualState begin_dual(const Problem&, double C, std::uint64_t seed);

// Continues from the given multipliers and the offset that belongs to them.
void restart_dual(DualState&, const double* values, double offset);

// Makes up to `budget` visits, and stops at the end of the pass.
void descend_coordinates(DualState&, const Problem&, std::uint64_t budget);

// Takes one Newton step or evaluates all rows. Returns true after an evaluation of the full data: time for a proof.
bool step_newton(DualState&, const Problem&);

// Whether the last pass or evaluation saw a gap of at most about `tol` times the objective.
bool expects_gap_within(const DualState&, double tol);

// The dual objective at the multipliers. Requires theta_is_sum.
double dual_objective(const DualState&);

// Recomputes the primal value of theta and the dual value of the multipliers, and keeps the better of each.
void prove_gap(DualState&, const Problem&);

}  // namespace rosenblatt
