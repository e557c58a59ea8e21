// The resumable training call: it advances a state by a bounded amount of work. fit, partial_fit, checkpoints, progress
// bars and Ctrl-C are loops around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loop/score_windows.hpp"
#include "loop/state.hpp"
#include "parts/orders.hpp"
#include "parts/recipe.hpp"
#include "rows/views.hpp"
#include "system/uninitialized_vector.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

struct Problem {
  RowsView rows;
  LabelsView labels;
  Recipe recipe;
  const FunctionTable* functions = nullptr;
  std::size_t threads = 1;
};

// Buffers that can be rebuilt at any time, so they are not part of the state.
struct Workspace {
  OrderList order;
  ScoreWindows windows;
  std::vector<double> scratch, margins, gradient;
  std::vector<double> predicted_scratch;  // for a row that is scored before it is learned
  UninitializedVector<double> row_weights;  // that it reads
  std::vector<std::uint32_t> picks;
  std::uint64_t margins_of_visit = 0;  // s.visits when `margins` was written
};

// Rows in one slice of a check. The data alone fix it, because a check may end after any slice.
std::size_t rows_per_check(const RowsView& rows) noexcept;

// Returns after `budget` visits (slightly more during a check or a batch), at `last_visit`, when the trace is full, or
// when s.clean or s.overflow is set.
void advance(State& s, const Problem&, Workspace&, Trace&, std::uint64_t budget, std::uint64_t last_visit);

}  // namespace rosenblatt
