// Some columns of other rows, in memory of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rows/rows_copy.hpp"

namespace rosenblatt {

// Column k of the copy is column chosen[k]. Throws std::invalid_argument if the chosen columns do not rise, if there is
// no such column, or if the rows are generated and not stored.
RowsCopy choose_columns(const RowsView& rows, const std::uint32_t* chosen, std::size_t count, std::size_t threads);

}  // namespace rosenblatt
