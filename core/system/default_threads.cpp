#include "system/default_threads.hpp"

#include <algorithm>
#include <cstdlib>

#if defined(__linux__)
#include <sched.h>
#endif

namespace rosenblatt {
namespace {

// A whole number without a sign, the largest one at most; `otherwise` for anything else.
std::size_t parsed(const char* digits, const std::size_t largest, const std::size_t otherwise) noexcept {
  if (!digits || !*digits) return otherwise;
  std::size_t number = 0;
  for (; *digits; ++digits) {
    if (*digits < '0' || *digits > '9') return otherwise;
    number = std::min(10 * number + static_cast<std::size_t>(*digits - '0'), largest);
  }
  return number;
}

std::size_t allowed_cores() noexcept {
#if defined(__linux__)
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return static_cast<std::size_t>(CPU_COUNT(&allowed));
#endif
  return 0;
}

}  // namespace

std::size_t default_threads() noexcept {
  const std::size_t cores = allowed_cores();
  return cores == 0 ? 0 : std::max<std::size_t>(1, parsed(std::getenv("OMP_NUM_THREADS"), cores, cores));
}

}  // namespace rosenblatt
