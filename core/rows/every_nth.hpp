// Rows 0, step, 2 step, ... of other rows.
#pragma once

#include <cstddef>

#include "rows/rows_copy.hpp"

namespace rosenblatt {

// Sparse rows and narrow dense rows are copied; wide dense rows are not. Throws std::invalid_argument if step is 0.
RowsCopy every_nth(const RowsView& rows, std::size_t step, std::size_t threads);

}  // namespace rosenblatt
