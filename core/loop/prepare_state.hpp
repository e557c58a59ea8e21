// Checks that a state and a problem fit, before the loop trusts them.
#pragma once

#include "loop/advance.hpp"
#include "loop/state_memory.hpp"

namespace rosenblatt {

// Throws std::invalid_argument where they differ in columns, classes, what they keep, or rows. Allocates working sets
// and activations where the problem uses them. `keep` is what the state was made for.
void prepare_state(StateMemory& s, Keep keep, const Problem& p);

}  // namespace rosenblatt
