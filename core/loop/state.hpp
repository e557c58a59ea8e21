// Everything a run remembers. Conventions:
//   w = scale * v, so that the L2 penalty is one product a visit;
//   the sum of w over all averaged visits is scale_sum * v + banked, so that a visit that moves nothing costs one
//   addition; a move of v by d takes scale_sum * d off `banked`; `fold` rewrites v and banked with scale 1;
//   offsets are kept plainly, one a plane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace rosenblatt {

enum class Phase : std::uint8_t { learn, check };

struct Progress {
  std::uint64_t visits = 0;           // every dot product of a row with w, checks included
  std::uint64_t steps = 0;            // t: visits that could move w; passes for the batch
  std::uint64_t updates = 0;
  std::uint64_t mistakes = 0;
  std::uint64_t pass = 0;             // how often the order has been gone through
  std::uint64_t position = 0;         // within it; draws so far for the random order
  std::uint64_t pass_mistakes = 0;
  std::uint64_t pass_updates = 0;
  std::uint64_t run = 0;              // right visits since the last mistake
  std::uint64_t bar = 0;  // a longer run calls for a check; in a stream, the run of the weights kept as best
  std::uint64_t check_position = 0;  // rows already checked
  std::uint64_t level = 0;  // of the working sets; 0 is all rows
  std::uint64_t seed = 0;
  double check_mistakes = 0.0;  // their weight
  double best_mistakes = std::numeric_limits<double>::infinity();
  double mistake_weight = 0.0;  // of the mistakes, as the rows weigh
  double loss_sum = 0.0;  // weighted, of the visits that pushed, each before its move: this and log(loss_product)
  double loss_product = 1.0;
  double averaged = 0.0;  // visits in the average
  double scale = 1.0;
  double scale_sum = 0.0;
  Phase phase = Phase::learn;
  bool clean = false;  // the present w is known to make no mistake on any row
  bool overflow = false;  // a margin was not a finite number: the run is void
};

struct State : Progress {
  std::size_t planes = 1;
  std::size_t columns = 0;
  double* v = nullptr;  // planes x columns, as are banked and best
  double* banked = nullptr;  // average only
  double* best = nullptr;  // best only
  double* offset = nullptr;  // planes: the weight of the constant coordinate
  double* offset_sum = nullptr;
  double* best_offset = nullptr;
  double* activation = nullptr;  // planes x rows: v.x of every row of a kernel matrix, where every move keeps it
  std::uint32_t* working_sets = nullptr;  // levels 1, 2, .. one after the other

  std::size_t size() const noexcept { return planes * columns; }
};

}  // namespace rosenblatt
