// Jobs on some threads, as `parallel` runs them, where a job may throw: the first job to have thrown, in the order of
// the jobs, is heard. Later jobs may have been left out.
#pragma once

#include <exception>
#include <mutex>

#include "system/parallel.hpp"

namespace rosenblatt {

template <class Work>
void attempt(const std::size_t threads, const std::size_t jobs, const Work& work) {
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
