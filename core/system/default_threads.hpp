// How many threads this process should use.
#pragma once

#include <cstddef>

namespace rosenblatt {

// The cores that the calling thread may run on, within OMP_NUM_THREADS; 0 where the system does not tell.
std::size_t default_threads() noexcept;

}  // namespace rosenblatt
