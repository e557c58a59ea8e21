// Worker threads that outlive the calls they serve. Starting a thread takes as long as a short pass over rows, and a
// solver makes hundreds of such passes in quick succession. So a worker spins for 100 microseconds after a task before
// it sleeps.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

namespace rosenblatt {

// A function and its argument.
struct Task {
  void (*run)(const void*);
  const void* context;
};

class ThreadPool {
 public:
  // The pool of this process. A fork stops its workers; parent and child start new ones when they need them.
  static ThreadPool& instance();

  // Runs the task in this thread and on up to `workers` others at the same time. Returns when no thread runs it any
  // more; workers that have not started by then skip it. Serves one caller at a time: returns false, without running
  // the task, while another caller uses the pool.
  bool run(Task task, std::size_t workers);

 private:
  struct Worker {
    enum State : int { idle, requested, working, stopping };
    std::atomic<int> state{idle};
    Task task{};
    std::thread thread;

    void work();
    void set(State to);
    void request(const Task& of);
    void release();
  };

  std::size_t start_workers(std::size_t workers);
  void stop_workers();

  std::mutex mutex_;
  std::deque<Worker> workers_;  // a deque never moves its elements
};

}  // namespace rosenblatt
