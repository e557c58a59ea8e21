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

constexpr std::chrono::microseconds look_out{100};

// Waits until the state is another: awake for a moment, then asleep.
int changed(const std::atomic<int>& state, const int from) {
  const auto end = std::chrono::steady_clock::now() + look_out;
  do {
    for (int k = 0; k < 16; ++k, breathe())
      if (const int now = state.load(std::memory_order_acquire); now != from) return now;
  } while (std::chrono::steady_clock::now() < end);
  state.wait(from, std::memory_order_acquire);
  return state.load(std::memory_order_acquire);
}

// Signals are for the threads that were there before.
class Undisturbed {
#if __has_include(<pthread.h>)
 public:
  Undisturbed() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~Undisturbed() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
#else
 public:
  Undisturbed() {}
#endif
};

Crew* crew = nullptr;

}  // namespace

// Crews are never deleted: their threads end with the process.
Crew& Crew::here() {
  static std::once_flag first;
  std::call_once(first, [] {
    crew = new Crew;
#if __has_include(<pthread.h>)
    pthread_atfork([] { crew->dismiss(); }, nullptr, [] { crew = new Crew; });
#endif
  });
  return *crew;
}

void Crew::Helper::set(const State to) {
  state.store(to, std::memory_order_release);
  state.notify_all();
}

void Crew::Helper::work() {
  while (changed(state, idle) != dismissed) {
    int now = asked;
    if (!state.compare_exchange_strong(now, working, std::memory_order_acquire)) continue;
    task.run(task.about);
    set(idle);
  }
}

void Crew::Helper::ask(const Task& of) {
  task = of;
  set(asked);
}

void Crew::Helper::release() {
  int now = asked;
  if (state.compare_exchange_strong(now, idle, std::memory_order_acquire)) return;
  while (now == working) now = changed(state, working);
}

std::size_t Crew::enlist(const std::size_t helpers) {
  const Undisturbed thread;
  while (helpers_.size() < helpers) {
    Helper& next = helpers_.emplace_back();
    try {
      next.thread = std::thread([&next] { next.work(); });
    } catch (const std::system_error&) {
      helpers_.pop_back();  // no more threads to be had: those there are do the work
      break;
    }
  }
  return std::min(helpers, helpers_.size());
}

// Unless another thread has the crew, whose work a fork does not wait for.
void Crew::dismiss() {
  const std::unique_lock lock(taken_, std::try_to_lock);
  if (!lock) return;
  for (Helper& helper : helpers_) helper.set(Helper::dismissed);
  for (Helper& helper : helpers_) helper.thread.join();
  helpers_.clear();
}

bool Crew::run(const Task task, const std::size_t helpers) {
  const std::unique_lock lock(taken_, std::try_to_lock);
  if (!lock) return false;
  const std::size_t there = helpers_.size() < helpers ? enlist(helpers) : helpers;
  const struct Shift {  // which ends for all, also where the task throws
    std::deque<Helper>& helpers;
    std::size_t there;
    ~Shift() {
      for (std::size_t h = 0; h < there; ++h) helpers[h].release();
    }
  } shift{helpers_, there};
  for (std::size_t h = 0; h < there; ++h) helpers_[h].ask(task);
  task.run(task.about);
  return true;
}

}  // namespace rosenblatt
