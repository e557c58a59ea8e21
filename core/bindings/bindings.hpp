// What the files that speak Python share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "loop/advance.hpp"

namespace rosenblatt {

template <class T>
using Vector = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

template <class T, class Memory>
nanobind::ndarray<nanobind::numpy, T> to_numpy(std::vector<T, Memory>&& values,
                                               std::initializer_list<std::size_t> shape) {
  using Owned = std::vector<T, Memory>;
  auto* owned = new Owned(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
  return nanobind::ndarray<nanobind::numpy, T>(owned->data(), shape, owner);
}

struct Rows {
  RowsView view;
  nanobind::object keep_alive;
  bool repeats_columns = false;  // some CSR row names a column twice: to be summed before the loops see it
};

struct BoundProblem : Problem {
  nanobind::object rows_owner, labels_owner, weights_owner;
};

void bind_branches(nanobind::module_&);
void bind_circles(nanobind::module_&);
void bind_delimited(nanobind::module_&);
void bind_dual(nanobind::module_&);
void bind_lift(nanobind::module_&, nanobind::class_<Rows>&);
void bind_mapped(nanobind::module_&);
void bind_newton(nanobind::module_&);
void bind_scaled(nanobind::module_&);
void bind_similarity(nanobind::module_&);
void bind_text(nanobind::module_&);

const Kernels& kernels();             // the functions of the instruction set in use

}  // namespace rosenblatt
