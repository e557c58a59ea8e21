// The one resumable call: move a state by a bounded amount of work. fit, partial_fit, checkpoints, progress and Ctrl-C
// are loops around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loop/state.hpp"
#include "parts/orders.hpp"
#include "parts/recipe.hpp"
#include "rows/views.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

struct Problem {
  RowsView rows;
  LabelsView labels;
  Recipe recipe;
  const Kernels* kernels = nullptr;
  std::size_t threads = 1;
};

// What can be rebuilt at any time: not part of the state.
struct Workspace {
  OrderList order;
  std::vector<double> scratch, margins, gradient;
  std::vector<std::uint32_t> picks;
  std::uint64_t margins_of_visit = 0;     // when `margins` was last written
};

// Rows in a slice of a check: fixed by the data, for a check may end after a slice.
std::size_t check_rows(const RowsView& rows) noexcept;

// Returns once `budget` visits are made (a little more where a check or a batch was under way), `last_visit` is
// reached, the trace is full, s.clean or s.overflow.
void advance(State& s, const Problem&, Workspace&, Trace&, std::uint64_t budget, std::uint64_t last_visit);

}  // namespace rosenblatt
