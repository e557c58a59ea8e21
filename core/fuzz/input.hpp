// What fuzz targets share: an input read as numbers and text, and REQUIRE, which ends the program where a property
// fails. Each target defines LLVMFuzzerTestOneInput for libFuzzer; replay.cpp calls the same function for stored
// inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#define REQUIRE(condition)                                                         \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                \
    }                                                                              \
  } while (false)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace rosenblatt {

// Takes values from the front of the input; after its end, zeros.
class Input {
 public:
  Input(const std::uint8_t* data, const std::size_t size) noexcept : at_(data), end_(data + size) {}

  template <class T>
  T take() noexcept {
    T value{};
    const auto have = static_cast<std::size_t>(end_ - at_);
    const std::size_t bytes = sizeof value < have ? sizeof value : have;
    if (bytes != 0) std::memcpy(&value, at_, bytes);
    at_ += bytes;
    return value;
  }
  std::size_t below(const std::size_t limit) noexcept { return take<std::uint8_t>() % limit; }
  bool flag() noexcept { return take<std::uint8_t>() % 2 != 0; }
  bool empty() const noexcept { return at_ == end_; }

  // All that is left. It ends where the memory of the input ends, so the address sanitizer sees every read beyond it.
  std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(end_ - at_)};
  }

 private:
  const std::uint8_t *at_, *end_;
};

}  // namespace rosenblatt
