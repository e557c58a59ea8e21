// Vectors whose numbers are not set to 0 before they are written: each thread then meets its own part of the memory
// first, and none of it twice.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace rosenblatt {

template <class T>
struct Unset : std::allocator<T> {
  template <class Other>
  struct rebind {
    using other = Unset<Other>;
  };
  template <class... Given>
  void construct(T* const where, Given&&... given) {
    if constexpr (sizeof...(given) == 0) ::new (static_cast<void*>(where)) T;
    else ::new (static_cast<void*>(where)) T(std::forward<Given>(given)...);
  }
};

template <class T>
using UnsetVector = std::vector<T, Unset<T>>;

}  // namespace rosenblatt
