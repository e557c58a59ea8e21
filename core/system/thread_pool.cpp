#include "system/thread_pool.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "system/spin_wait.hpp"

#if __has_include(<pthread.h>)
#include <pthread.h>
#include <signal.h>
#endif

namespace rosenblatt {
namespace {

constexpr std::chrono::microseconds spin_time{100};

// Waits until the state changes: first spinning, then asleep.
int wait_for_change(const std::atomic<int>& state, const int from) {
  const auto end = std::chrono::steady_clock::now() + spin_time;
  do {
    for (int k = 0; k < 16; ++k, spin_pause())
      if (const int now = state.load(std::memory_order_acquire); now != from) return now;
  } while (std::chrono::steady_clock::now() < end);
  state.wait(from, std::memory_order_acquire);
  return state.load(std::memory_order_acquire);
}

// Blocks all signals while workers are started: they inherit the mask, so signals reach the application's threads.
class SignalBlocker {
#if __has_include(<pthread.h>)
 public:
  SignalBlocker() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous_mask_);
  }
  ~SignalBlocker() { pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr); }

 private:
  sigset_t previous_mask_;
#else
 public:
  SignalBlocker() {}
#endif
};

ThreadPool* pool = nullptr;

}  // namespace

// Pools are never deleted: their threads end with the process.
ThreadPool& ThreadPool::instance() {
  static std::once_flag first;
  std::call_once(first, [] {
    pool = new ThreadPool;
#if __has_include(<pthread.h>)
    pthread_atfork([] { pool->stop_workers(); }, nullptr, [] { pool = new ThreadPool; });
#endif
  });
  return *pool;
}

void ThreadPool::Worker::set(const State to) {
  state.store(to, std::memory_order_release);
  state.notify_all();
}

void ThreadPool::Worker::work() {
  while (wait_for_change(state, idle) != stopping) {
    int now = requested;
    if (!state.compare_exchange_strong(now, working, std::memory_order_acquire)) continue;
    task.run(task.context);
    set(idle);
  }
}

void ThreadPool::Worker::request(const Task& of) {
  task = of;
  set(requested);
}

void ThreadPool::Worker::release() {
  int now = requested;
  if (state.compare_exchange_strong(now, idle, std::memory_order_acquire)) return;
  while (now == working) now = wait_for_change(state, working);
}

std::size_t ThreadPool::start_workers(const std::size_t workers) {
  const SignalBlocker thread;
  while (workers_.size() < workers) {
    Worker& next = workers_.emplace_back();
    try {
      next.thread = std::thread([&next] { next.work(); });
    } catch (const std::system_error&) {
      workers_.pop_back();  // the system has no more threads: the existing ones do the work
      break;
    }
  }
  return std::min(workers, workers_.size());
}

// Does nothing while another thread uses the pool: a fork does not wait for its work.
void ThreadPool::stop_workers() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  for (Worker& worker : workers_) worker.set(Worker::stopping);
  for (Worker& worker : workers_) worker.thread.join();
  workers_.clear();
}

bool ThreadPool::run(const Task task, const std::size_t workers) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  const std::size_t running = workers_.size() < workers ? start_workers(workers) : workers;
  const struct ReleaseWorkers {  // also if the task throws
    std::deque<Worker>& workers;
    std::size_t running;
    ~ReleaseWorkers() {
      for (std::size_t h = 0; h < running; ++h) workers[h].release();
    }
  } release_workers{workers_, running};
  for (std::size_t h = 0; h < running; ++h) workers_[h].request(task);
  task.run(task.context);
  return true;
}

}  // namespace rosenblatt
