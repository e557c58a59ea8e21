// Everything that a run needs to continue. Conventions:
//   w = scale * v, so the L2 penalty costs one product per visit.
//   The sum of w over all averaged visits is scale_sum * v + average_correction, so a visit without a move costs one
//   addition. A move of v by d subtracts scale_sum * d from `average_correction`. `fold` rewrites both with scale 1.
//   Offsets are stored without a scale, one per plane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace rosenblatt {

enum class Phase : std::uint8_t { learn, check };

struct Progress {
  std::uint64_t visits = 0;   // every dot product of a row with w, checks included
  std::uint64_t steps = 0;    // t: visits that may move w; passes for the batch order
  std::uint64_t updates = 0;  // moves of w
  std::uint64_t mistakes = 0;
  std::uint64_t pass = 0;      // completed passes over the order
  std::uint64_t position = 0;  // within the pass; the number of draws for the random order
  std::uint64_t pass_mistakes = 0;
  std::uint64_t pass_updates = 0;
  std::uint64_t run = 0;             // correct visits since the last mistake
  std::uint64_t bar = 0;  // a longer run starts a check; in a stream, the run of the weights in the pocket
  std::uint64_t check_position = 0;  // rows checked so far
  std::uint64_t level = 0;  // of the working sets; level 0 is all rows
  std::uint64_t seed = 0;
  double check_mistakes = 0.0;  // total weight of the mistakes in this check
  double best_mistakes = std::numeric_limits<double>::infinity();
  double mistake_weight = 0.0;  // total weight of the mistakes
  double loss_sum = 0.0;  // the weighted loss of visits with a push, before the move, is
  double loss_product = 1.0;  // loss_sum + log(loss_product)
  double averaged = 0.0;  // visits in the average
  double scale = 1.0;
  double scale_sum = 0.0;
  double squared_norm = 0.0;  // of w with its offsets, where w stays in the unit ball; below 0: not known
  double l1_sum = 0.0;  // what an l1 penalty has asked of every weight, in units of v
  Phase phase = Phase::learn;
  bool clean = false;  // the present w makes no mistake on any row
  bool overflow = false;  // a margin was not finite: the run is void

  // Checked weights stay until better ones are found. In a stream nothing is checked, and the longest run decides.
  [[gnu::always_inline]] bool pocket_is_best() const noexcept {
    return best_mistakes < std::numeric_limits<double>::infinity() || (bar > 0 && bar >= run);
  }
};

struct State : Progress {
  std::size_t planes = 1;
  std::size_t columns = 0;
  double* v = nullptr;  // planes x columns, like average_correction and best
  double* average_correction = nullptr;  // only for Keep::average
  double* best = nullptr;  // only for Keep::best
  double* unclipped = nullptr;  // only with an l1 penalty: v without it
  double* offset = nullptr;  // one per plane: the weight of the constant coordinate
  double* offset_sum = nullptr;
  double* best_offset = nullptr;
  double* activation = nullptr;  // planes x rows: v.x of every row of a kernel matrix, updated by every move
  double* covariance =
      nullptr;  // of the weights of each plane: columns + 1 variances, or the square of so many numbers
  double* direction = nullptr;  // columns + 1 numbers of scratch space for a full covariance
  std::uint32_t* working_sets = nullptr;  // levels 1, 2, .. one after the other

  std::size_t size() const noexcept { return planes * columns; }
};

}  // namespace rosenblatt
