// One pause in a loop that waits for another thread.
#pragma once

#include <thread>

namespace rosenblatt {

inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#else
  std::this_thread::yield();
#endif
}

}  // namespace rosenblatt
