// The fields of a dual state by name: what is saved and restored. Saved states keep these names.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "solvers/dual_state.hpp"

namespace rosenblatt {

template <class S, class Each>
  requires std::same_as<std::remove_const_t<S>, DualState>
void for_each_number(S& s, const Each& each) {
  each("centre", s.centre);
  each("seed", s.seed);
  each("pass", s.pass);
  each("position", s.position);
  each("stayed", s.kept_active);
  each("active", s.active);
  each("visits", s.visits);
  each("steps", s.steps);
  each("least", s.violation.least);
  each("most", s.violation.most);
  each("drop_below", s.violation.drop_below);
  each("drop_above", s.violation.drop_above);
  each("gap", s.violation.gap);
  each("seen_gap", s.seen_gap);
  each("settled", s.reactivation_width);
  each("whole", s.theta_is_sum);
  each("primal", s.primal);
  each("dual", s.dual);
  each("sharpness", s.newton.sharpness);
  each("weight", s.newton.weight);
  each("sample", s.newton.sample);
  each("inner", s.newton.inner_steps);
  each("unseen", s.newton.steps_since_evaluation);
  each("looked", s.newton.all_rows_evaluated);
  each("moved", s.newton.score_move);
  each("usual_move", s.newton.previous_score_move);
  each("caution", s.newton.move_allowance);
  each("marked_value", s.newton.checkpoint_value);
  each("far", s.newton.inactive_distance);
  each("polish_primal", s.newton.primal);
  each("polish_dual", s.newton.dual);
}

// Calls each(name, numbers, length) for every array. `length` is the length it has once Newton's method has started:
// the number of rows, of columns or its square. 0 means any length.
template <class S, class Each>
  requires std::same_as<std::remove_const_t<S>, DualState>
void for_each_array(S& s, const Each& each) {
  const std::size_t rows = s.multipliers.size(), columns = s.theta.size(), any = 0;
  each("theta", s.theta, columns);
  each("best", s.best, columns);
  each("list", s.list, any);
  each("marked", s.newton.checkpoint, columns);
  each("scores", s.newton.scores, rows);
  each("values", s.newton.values, rows);
  each("pull", s.newton.pull, columns);
  each("gram", s.newton.hessian, columns * columns);
  each("near", s.newton.near, rows);
  each("rows", s.newton.rows, any);
  each("play", s.newton.active, any);
}

// Throws std::invalid_argument where a restored state is not of its rows and this many columns, the constant coordinate
// included. The solvers trust it afterwards.
void check_restored(const DualState& s, std::size_t columns);

}  // namespace rosenblatt
