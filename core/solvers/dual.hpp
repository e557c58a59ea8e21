// The hinge classifier at its optimum, with the duality gap as proof.
//
//   primal:  P(w, b) = sum_i c_i max(0, 1 - y_i (w.x_i + b v)) + |w|^2 / 2  (+ b^2 / 2 if the offset is penalised)
//   dual:    D(a) = sum_i a_i - |sum_i a_i y_i x_i|^2 / 2  (- (v sum_i a_i y_i)^2 / 2), 0 <= a_i <= c_i = C s_i;
//            an offset without penalty asks for sum_i a_i y_i = 0.
//
// Two ways to move, each in bounded steps. `descend` visits one multiplier at a time: far in little time, then slowly.
// `polish` takes a Newton step on the augmented Lagrangian of the dual, that is on P with each corner of the loss
// rounded off within 1 / sharpness and centred where the multiplier says: a linear system of the rows near their
// corner, which are few once the multipliers are nearly right. An offset without penalty is a multiplier as well: that
// of the constraint. `prove` computes both values afresh.
#pragma once

#include <cstdint>
#include <vector>

#include "loop/advance.hpp"
#include "solvers/dual_state.hpp"

namespace rosenblatt {

// The augmented Lagrangian's minimum is looked for from theta on, first for a sample of the rows that stands for all,
// then for all of them. Arrays are by row; rows that are not in play keep their values.
struct Polish {
  double sharpness = 0.0;             // 0: not begun
  double weight = 1.0;                // what a row of the sample stands for
  std::size_t sample = 0;             // rows in it, the front of the list
  std::uint64_t inner = 0;            // steps since the multipliers were last taken over
  std::uint64_t unseen = 0;           // steps since the rows not in play were looked at
  bool looked = false;                // nothing has moved since
  double moved = 0.0;                 // how far scores moved since the multipliers were last taken over
  double usual_move = 0.0;            // and between the two times before
  double caution = 1.0;               // how many times that they may move now
  double marked_value = 0.0;          // of the augmented Lagrangian, where all rows were last known
  double far = 0.0;                   // distance of values and multipliers over the rows not in play
  double primal = 0.0, dual = 0.0;    // of theta and values, as far as known
  std::vector<double> marked;         // theta there
  std::vector<double> scores;         // of theta
  std::vector<double> values;         // multipliers that theta suggests
  std::vector<double> pull;           // sum of values[i] y_i (x_i, v)
  std::vector<double> gram;           // sum of bound (x, v) (x, v)^T over the rows near their corner
  std::vector<std::uint8_t> near;     // which rows those are
  std::vector<std::uint32_t> rows;    // of the sample, in order
  std::vector<std::uint32_t> play;    // those of them that may change before the next look
};

struct DualState {
  std::vector<Multiplier> multipliers;
  std::vector<double> theta;          // w, and the weight of the constant coordinate
  double centre = 0.0;                // descent: what the offset is drawn to; 0 if penalised
  std::uint64_t seed = 0;
  std::uint64_t pass = 0, position = 0, stayed = 0, active = 0, visits = 0, steps = 0;
  Violation violation;
  double seen_gap = Violation::infinity;  // in the last pass
  double settled = 1.0;               // rows dropped come back once a pass saw no violation wider than this
  std::vector<std::uint32_t> list;    // rows in play, in the order of this pass
  bool measured = false;              // the multipliers know the norms of their rows
  bool whole = true;                  // theta is the sum of the multipliers
  Polish polish;

  double primal = Violation::infinity, dual = -Violation::infinity;   // the best proved
  std::vector<double> best;           // weights of that primal value
};

// The list: every row that counts, and a new order of those in play.
void all_in_play(DualState&);
void shuffle(DualState&);

DualState begin_dual(const Problem&, double C, std::uint64_t seed);

// Goes on from other multipliers, and from the offset that goes with them.
void restart(DualState&, const double* values, double offset);

// About `budget` visits, or to the end of the pass.
void descend(DualState&, const Problem&, std::uint64_t budget);

// One Newton step, or a look at all rows. True when all rows have been looked at: a proof may be due.
bool polish(DualState&, const Problem&);

// Whether the last pass, or look at all rows, saw a gap of at most `tol` times the objective.
bool promises(const DualState&, double tol);

// The dual's value at the multipliers, while theta is their sum.
double worth(const DualState&);

// Primal value of theta and dual value of the multipliers, afresh; keeps the better of each.
void prove(DualState&, const Problem&);

}  // namespace rosenblatt
