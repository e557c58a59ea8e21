// Included first by mutated sources: all mutants of the core are compiled at once, and the environment variable
// ROSENBLATT_MUTANT says which one acts. Mutants that are reached are marked; a program writes the marks into the file
// that ROSENBLATT_REACHED names.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace rosenblatt::mutant {

inline unsigned char reached[1 << 13] = {};

inline void write_reached() {
  if (std::FILE* const file = std::fopen(std::getenv("ROSENBLATT_REACHED"), "wb")) {
    std::fwrite(reached, 1, sizeof reached, file);
    std::fclose(file);
  }
}

inline int active = [] {
  if (std::getenv("ROSENBLATT_REACHED")) std::atexit(write_reached);
  const char* const number = std::getenv("ROSENBLATT_MUTANT");
  return number ? std::atoi(number) : -1;
}();

[[gnu::always_inline]] inline bool on(const int number) noexcept {
  reached[number] = 1;
  return number == active;
}

// A constant that is computed when it is read, because mutants come and go.
template <class T>
struct Constant {
  T (*compute)();
  operator T() const noexcept { return compute(); }
};

template <class T>
std::decay_t<T> zero() noexcept {
  if constexpr (!std::is_void_v<T>) return std::decay_t<T>{};
}

}  // namespace rosenblatt::mutant

// As if the constant were a number: templates do not convert it.
namespace std {
template <class T>
T min(const T a, const rosenblatt::mutant::Constant<T>& b) {
  return min(a, b.compute());
}
template <class T>
T max(const T a, const rosenblatt::mutant::Constant<T>& b) {
  return max(a, b.compute());
}
}  // namespace std

// For Python, which chooses a mutant after the core was loaded, and asks after each test what was reached.
extern "C" [[gnu::weak, gnu::visibility("default")]] void rosenblatt_activate_mutant(const int number) {
  rosenblatt::mutant::active = number;
}
extern "C" [[gnu::weak, gnu::visibility("default")]] unsigned char* rosenblatt_reached_mutants() {
  return rosenblatt::mutant::reached;
}
