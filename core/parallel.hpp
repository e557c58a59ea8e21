// Run jobs 0 .. jobs-1 on some threads, this one included. Threads live for one call: nothing to break in a fork.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace rosenblatt {

template <class Work>
void parallel(const std::size_t threads, const std::size_t jobs, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t job; (job = next.fetch_add(1)) < jobs;) work(job);
  };
  std::vector<std::jthread> others;
  try {
    for (std::size_t t = 1; t < std::min(threads, jobs); ++t) others.emplace_back(take);
  } catch (const std::system_error&) {
    // no more threads to be had: those there are do the work
  }
  take();
}

}  // namespace rosenblatt
