// Runs jobs 0 .. jobs-1 on several threads, the calling thread included.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

#include "system/thread_pool.hpp"

namespace rosenblatt {

// While another caller uses the pool, the calling thread runs all jobs alone: the machine is busy anyway. Jobs must not
// throw, except in the calling thread.
template <class Work>
void parallel(const std::size_t threads, const std::size_t jobs, const Work& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t job; (job = next.fetch_add(1)) < jobs;) work(job);
  };
  using Take = decltype(take);
  const Task all{[](const void* context) { (*static_cast<const Take*>(context))(); }, &take};
  if (std::min(threads, jobs) < 2 || !ThreadPool::instance().run(all, std::min(threads, jobs) - 1)) take();
}

// The same for jobs that may throw. Rethrows the exception of the first job that threw, by job number; jobs after it
// may be skipped.
template <class Work>
void parallel_rethrow(const std::size_t threads, const std::size_t jobs, const Work& work) {
  std::mutex mutex;
  std::exception_ptr error;
  std::atomic<std::size_t> failed{jobs};
  parallel(threads, jobs, [&](const std::size_t job) {
    if (job > failed) return;
    try {
      work(job);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (job < failed) {
        failed = job;
        error = std::current_exception();
      }
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace rosenblatt
