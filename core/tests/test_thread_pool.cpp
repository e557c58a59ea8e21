// Parallel jobs: each runs exactly once, with one caller or several, after an exception and after a fork.
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "system/parallel.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

static bool each_once(const std::size_t threads, const std::size_t jobs) {
  std::vector<std::atomic<int>> done(jobs);
  parallel(threads, jobs, [&](const std::size_t job) { ++done[job]; });
  bool all = true;
  for (const auto& times : done) all = all && times == 1;
  return all;
}

static void many_short_calls() {
  for (std::size_t k = 0; k < 20000; ++k) CHECK(each_once(1 + k % 5, k % 9));
}

static void calls_after_sleep() {
  for (int k = 0; k < 20; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(each_once(4, 64));
  }
}

static void calls_from_several_threads() {
  std::atomic<bool> all{true};
  {
    std::vector<std::jthread> callers;
    for (int c = 0; c < 4; ++c)
      callers.emplace_back([&] {
        for (int k = 0; k < 2000; ++k)
          if (!each_once(3, 7)) all = false;
      });
  }
  CHECK(all);
}

static void calls_within_calls() {
  std::atomic<int> done{0};
  parallel(4, 8, [&](std::size_t) { parallel(4, 8, [&](std::size_t) { ++done; }); });
  CHECK(done == 64);
}

// A job may throw in the calling thread. The workers must have stopped before the exception leaves `parallel`.
static void a_throw_leaves_the_pool_usable() {
  const auto caller = std::this_thread::get_id();
  for (int k = 0; k < 200; ++k) {
    try {
      parallel(3, 1000, [&](std::size_t) {
        if (std::this_thread::get_id() == caller) throw std::runtime_error("no");
      });
    } catch (const std::runtime_error&) {
      // thrown only if the workers left a job to the calling thread
    }
    CHECK(each_once(3, 50));
  }
}

static void both_sides_of_a_fork_work() {
  for (int k = 0; k < 20; ++k) {
    CHECK(each_once(3, 50));
    const pid_t child = fork();
    if (child == 0) {
      const bool all = each_once(3, 50) && each_once(2, 9);
      _exit(all ? 0 : 1);
    }
    CHECK(each_once(3, 50));
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

int main() {
  many_short_calls();
  calls_after_sleep();
  calls_from_several_threads();
  calls_within_calls();
  a_throw_leaves_the_pool_usable();
  both_sides_of_a_fork_work();
  return report();
}
