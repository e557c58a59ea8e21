// The buffer of a trace: lines that State.advance writes and Trace.drain returns.
#pragma once

#include <cstddef>
#include <vector>

#include "bindings/guard.hpp"
#include "rows/views.hpp"

namespace rosenblatt {

struct TraceBuffer {
  std::vector<Trace::Line> lines;
  std::size_t size = 0;

  explicit TraceBuffer(const std::size_t capacity) : lines(capacity) {}
};
using PyTrace = Guarded<TraceBuffer>;
constexpr const char* trace_busy = "this trace is being used in another thread";

}  // namespace rosenblatt
