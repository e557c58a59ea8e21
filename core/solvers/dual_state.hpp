// The state of the dual solver: what must be saved to continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace rosenblatt {

// The dual variable of one row.
struct Multiplier {
  double value = 0.0;
  double bound = 0.0;    // C times the weight of the row; infinity for the squared hinge
  double inverse = 0.0;  // 1 / (squared norm of the row, constant coordinate included, + diagonal)
  double sign = 0.0;     // y
  double diagonal = 0.0;  // squared hinge: the quadratic term of the dual, 1 / (2 C s_i)
};

// The range of the projected gradient in the present pass. At an optimum both ends are 0.
struct Violation {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double least = infinity, most = -infinity;
  double drop_below = -infinity, drop_above = infinity;  // shrinking thresholds, from the last pass

  double gap = 0.0;  // the share of the visited rows in the duality gap, each at its visit

  double width() const noexcept { return most - least; }
};

// Newton's method on the augmented Lagrangian, first on a sample of the rows, then on all of them. Arrays are indexed
// by row. Rows that are not active keep their values between evaluations of all rows.
struct DualNewton {
  double sharpness = 0.0;                    // 0: not started
  double weight = 1.0;                       // how many rows one row of the sample represents
  std::size_t sample = 0;                    // rows in the sample: the front of the list
  std::uint64_t inner_steps = 0;             // steps since the multipliers were updated
  std::uint64_t steps_since_evaluation = 0;  // steps since all rows were evaluated
  bool all_rows_evaluated = false;           // and theta has not moved since
  double score_move = 0.0;                   // how far scores moved since the multipliers were updated
  double previous_score_move = 0.0;          // the same between the two updates before
  double move_allowance = 1.0;               // scores may move this many times previous_score_move
  double checkpoint_value = 0.0;             // the augmented Lagrangian at the checkpoint
  double inactive_distance = 0.0;            // distance of values from multipliers over the inactive rows
  double primal = 0.0, dual = 0.0;           // of theta and values, at the last evaluation of all rows
  std::vector<double> checkpoint;            // theta when all rows were last evaluated
  std::vector<double> scores;                // of theta
  std::vector<double> values;                // the multipliers that the scores suggest
  std::vector<double> pull;                  // sum of values[i] y_i (x_i, v)
  std::vector<double> hessian;               // sum of bound (x, v) (x, v)^T over the rows near their corner
  std::vector<std::uint8_t> near;            // whether a row is near its corner: 0 < value < bound
  std::vector<std::uint32_t> rows;           // the rows of the sample, sorted
  std::vector<std::uint32_t> active;         // the rows among them that may change before the next evaluation
};

struct DualState {
  std::vector<Multiplier> multipliers;
  std::vector<double> theta;  // w, and the weight of the constant coordinate
  double centre = 0.0;  // descent: the multiplier of the constraint on the offset; 0 if the offset is penalised
  std::uint64_t seed = 0;
  std::uint64_t pass = 0, position = 0, kept_active = 0, active = 0, visits = 0, steps = 0;
  Violation violation;
  double seen_gap = Violation::infinity;  // the gap that the last pass saw
  double reactivation_width = 1.0;  // dropped rows return after a pass with no wider violation
  std::vector<std::uint32_t> list;  // rows with a positive bound; the first `active` in the order of this pass
  bool norms_known = false;  // Multiplier::inverse is set
  bool theta_is_sum = true;  // theta is the sum of the multipliers' rows
  DualNewton newton;

  double primal = Violation::infinity, dual = -Violation::infinity;  // the best proved values
  std::vector<double> best;  // the weights of that primal value
};

}  // namespace rosenblatt
