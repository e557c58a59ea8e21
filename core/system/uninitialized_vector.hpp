// Vectors whose numbers are not set to 0 before they are written. Each thread then touches its own pages first, and
// memory is written only once.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace rosenblatt {

template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class Other>
  struct rebind {
    using other = UninitializedAllocator<Other>;
  };
  template <class... Given>
  void construct(T* const where, Given&&... given) {
    if constexpr (sizeof...(given) == 0) ::new (static_cast<void*>(where)) T;
    else ::new (static_cast<void*>(where)) T(std::forward<Given>(given)...);
  }
};

template <class T>
using UninitializedVector = std::vector<T, UninitializedAllocator<T>>;

}  // namespace rosenblatt
