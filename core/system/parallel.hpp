// Run jobs 0 .. jobs-1 on some threads, this one included.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "system/thread_pool.hpp"

namespace rosenblatt {

// While another caller has the crew, this thread works alone: the machine has something to do.
template <class Work>
void parallel(const std::size_t threads, const std::size_t jobs, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t job; (job = next.fetch_add(1)) < jobs;) work(job);
  };
  using Take = decltype(take);
  const Task all{[](const void* about) { (*static_cast<const Take*>(about))(); }, &take};
  if (std::min(threads, jobs) < 2 || !Crew::here().run(all, std::min(threads, jobs) - 1)) take();
}

}  // namespace rosenblatt
