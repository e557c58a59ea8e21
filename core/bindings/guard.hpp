// Refuses a second thread while one uses an object. Releasing the GIL, and free-threaded Python, let two threads call
// methods of one object at the same time; native objects allow one.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <concepts>
#include <stdexcept>
#include <utility>

namespace rosenblatt {

// A native object with the flag that guards it.
template <class T>
class Guarded {
 public:
  template <class... Args>
    requires std::constructible_from<T, Args...>
  explicit Guarded(Args&&... args) : object_(std::forward<Args>(args)...) {}
  Guarded(const Guarded&) = delete;

  // Without the guard: for values that are read in one step.
  const T& peek() const noexcept { return object_; }

  // Calls work(object). Throws std::runtime_error(message) while another thread is in such a call.
  template <class Work>
  auto use(const char* message, const Work& work) {
    const Lock lock(busy_, message);
    return work(object_);
  }
  // The same without the GIL.
  template <class Work>
  auto use_without_gil(const char* message, const Work& work) {
    const Lock lock(busy_, message);
    nanobind::gil_scoped_release release;
    return work(object_);
  }

 private:
  class Lock {
   public:
    Lock(std::atomic_flag& busy, const char* message) : busy_(busy) {
      if (busy.test_and_set()) throw std::runtime_error(message);
    }
    ~Lock() { busy_.clear(); }
    Lock(const Lock&) = delete;

   private:
    std::atomic_flag& busy_;
  };

  T object_;
  std::atomic_flag busy_;
};

}  // namespace rosenblatt
