// Threads that help whoever calls them and live on. Starting a thread takes as long as a short pass over rows, and a
// solver makes hundreds of those with little between them: a helper that has just worked looks out for more for a
// moment before it sleeps.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

namespace rosenblatt {

// Something to run: a function and what it is about.
struct Task {
  void (*run)(const void*);
  const void* about;
};

class Crew {
 public:
  // The threads of this process. A fork finds them gone, and both processes make new ones when they need some.
  static Crew& here();

  // Runs the task here and, at the same time, on up to `helpers` other threads. Returns when nobody runs it any more;
  // a helper that wakes up too late to be of use is not waited for. One caller at a time: false, and nothing done,
  // while another has the crew.
  bool run(Task task, std::size_t helpers);

 private:
  struct Helper {
    enum State : int { idle, asked, working, dismissed };
    std::atomic<int> state{idle};
    Task task{};
    std::thread thread;

    void work();
    void set(State to);
    void ask(const Task& of);
    void release();
  };

  std::size_t enlist(std::size_t helpers);
  void dismiss();

  std::mutex taken_;
  std::deque<Helper> helpers_;  // which never move
};

}  // namespace rosenblatt
