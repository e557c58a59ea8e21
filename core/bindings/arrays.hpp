// NumPy arrays as arguments and results.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace rosenblatt {

// Arguments: contiguous, in memory; the first two are read only.
template <class T>
using Vector = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Matrix = nanobind::ndarray<const T, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using MutableVector = nanobind::ndarray<double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using MutableMatrix = nanobind::ndarray<double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using Matrices = nanobind::ndarray<double, nanobind::ndim<3>, nanobind::c_contig, nanobind::device::cpu>;

// A result that owns its memory.
template <class T, class Allocator>
nanobind::ndarray<nanobind::numpy, T> to_numpy(std::vector<T, Allocator>&& values,
                                               std::initializer_list<std::size_t> shape) {
  using Owned = std::vector<T, Allocator>;
  auto* owned = new Owned(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
  return nanobind::ndarray<nanobind::numpy, T>(owned->data(), shape, owner);
}

template <class T, class Allocator>
nanobind::ndarray<nanobind::numpy, T> to_numpy(std::vector<T, Allocator>&& values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

}  // namespace rosenblatt
