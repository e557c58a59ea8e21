// Rows made from other rows.
#pragma once

#include <memory>

#include "rows/views.hpp"

namespace rosenblatt {

struct RowsCopy {
  RowsView view;
  std::shared_ptr<const void> copies;  // the memory of copied rows; null if the view points into the original rows
};

}  // namespace rosenblatt
