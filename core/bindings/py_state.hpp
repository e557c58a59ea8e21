// The state of a run as Python holds it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/guard.hpp"
#include "loop/advance.hpp"
#include "loop/state_memory.hpp"

namespace rosenblatt {

constexpr const char* state_busy = "this state is being trained in another thread";

struct Run {
  StateMemory state;
  Workspace work = {};
  Keep keep;

  Run(const std::size_t planes, const std::size_t columns, const Keep k, const std::uint64_t seed)
      : state(planes, columns, k), keep(k) {
    state.seed = seed;
  }
  Run(const Run& other) : state(other.state), keep(other.keep) {}  // the workspace is rebuilt
};
using PyState = Guarded<Run>;

}  // namespace rosenblatt
