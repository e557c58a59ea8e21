// Test, then train: each row of a stream is scored before it is learned.
#pragma once

#include <cstdint>

#include "loop/advance.hpp"

namespace rosenblatt {

// Row i is scored by the weights that the learner would return just before it learns row i of the problem.
struct Predictions {
  RowsView rows;             // as a model sees them; the rows to learn may have outliers clipped
  double* scores = nullptr;  // rows x planes
};

// As `advance` for a stream in cyclic order. The rows of a batch are all scored before it.
void predict_and_advance(State& s, const Problem&, Workspace&, const Predictions&, std::uint64_t budget,
                         std::uint64_t last_visit);

}  // namespace rosenblatt
