// The buffer of a trace: lines that State.advance writes and Trace.drain returns.
#pragma once

#include <cstddef>
#include <vector>

#include "rows/views.hpp"

namespace rosenblatt {

struct PyTrace {
  std::vector<Trace::Line> lines;
  std::size_t size = 0;
};

}  // namespace rosenblatt
