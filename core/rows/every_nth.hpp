// Rows 0, step, 2 step, ... of other rows.
#pragma once

#include <cstddef>
#include <memory>

#include "rows/views.hpp"

namespace rosenblatt {

struct EveryNth {
  RowsView view;
  std::shared_ptr<const void> copies;  // the memory of copied rows; null if the view points into the original rows
};

// Sparse rows and narrow dense rows are copied; wide dense rows are not. Throws std::invalid_argument if step is 0.
EveryNth every_nth(const RowsView& rows, std::size_t step, std::size_t threads);

}  // namespace rosenblatt
