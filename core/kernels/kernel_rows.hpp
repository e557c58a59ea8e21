// Rows of a kernel matrix. The weights are one alpha per row of the basis: `dot` sums alpha_j K(x_j, x), and `add_to`
// moves one alpha. A row that is not in memory is generated in scratch space, only where alpha is not 0.
#pragma once

#include "kernels/kernel_products.hpp"
#include "kernels/packed_rows.hpp"
#include "loop/state.hpp"
#include "numerics/random.hpp"
#include "rows/dense_csr.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

template <class T>
struct KernelRow : DenseRow<T> {
  std::size_t own_weight;                    // the weight that this row moves
  const KernelMatrixView* kernel_matrix;
  std::size_t number = 0, stride = 0;
  T* generated = nullptr;                  // where the row is generated; null if it is in memory
  double* workspace = nullptr;

  double dot(const double* w) const noexcept {
    generate(w);
    return DenseRow<T>::dot(w);
  }
  double dot_and_fetch(const double* w) const noexcept {
    generate(w);
    return DenseRow<T>::dot_and_fetch(w);
  }
  double squared_norm() const noexcept { return kernel_matrix->diagonal[own_weight]; }
  void add_to(double* __restrict w, const double change) const noexcept { w[own_weight] += change; }

  // Moves are rarer than visits. So each move adds its row to v.x of all rows, and a visit only reads its v.x.
  double activation(const State& s, const std::size_t plane) const noexcept {
    return s.activation[plane * this->size + number];
  }
  void update_activations(State& s, const std::size_t plane, const double change) const noexcept {
    add_to_activations(s, plane, own_weight, change);
  }

  // Over the budget, a random row leaves the support; the row just added stays.
  void enforce_budget(State& s) const noexcept {
    if (kernel_matrix->budget == 0) return;
    const auto is_support = [&](const std::size_t j) {
      bool any = false;
      for (std::size_t k = 0; k < s.planes; ++k) any |= s.v[k * s.columns + j] != 0.0;
      return any && j != own_weight;
    };
    std::size_t others = 0;
    for (std::size_t j = 0; j < s.columns; ++j) others += is_support(j);
    if (others < kernel_matrix->budget) return;
    std::size_t chosen = random_below(random_bits(~s.seed, s.updates), others), j = 0;
    while (!is_support(j) || chosen-- > 0) ++j;
    for (std::size_t k = 0; k < s.planes; ++k) {
      add_to_activations(s, k, j, -s.v[k * s.columns + j]);
      s.v[k * s.columns + j] = 0.0;
    }
  }

 private:
  void add_to_activations(State& s, const std::size_t plane, const std::size_t j, const double change) const noexcept {
    if (!s.activation || change == 0.0) return;
    const T* from = this->values - number * stride + j * stride;
    DenseRow<T>{from, this->size, from}.add_to(s.activation + plane * this->size, change);
  }
  void generate(const double* w) const noexcept {
    if constexpr (sizeof(T) == sizeof(float)) {
      if (!generated) return;
      const auto& g = *kernel_matrix;
      const auto fill = [&](const auto kernel_block) {
        kernel_block(g.similarity, g.left, number, 1, g.basis, 0, g.basis.count, w,
                     g.left.kind == PackedKind::sparse ? workspace : nullptr, generated, g.basis.count);
      };
      switch (g.left.kind) {
        case PackedKind::dense_f64: return fill(kernel_block_dense<double>);
        case PackedKind::dense_f32: return fill(kernel_block_dense<float>);
        case PackedKind::sparse: return fill(kernel_block_sparse);
      }
    }
  }
};

template <class T>
struct KernelRows {
  const T* values;
  std::size_t columns, stride;
  const KernelMatrixView* kernel_matrix;

  explicit KernelRows(const RowsView& v) noexcept
      : values(static_cast<const T*>(v.values)), columns(v.columns), stride(v.stride), kernel_matrix(v.kernel_matrix) {}
  KernelRow<T> row(const std::size_t i, const std::size_t upcoming, double* scratch) const noexcept {
    const std::size_t own_weight = kernel_matrix->first + i;
    if (i < kernel_matrix->cached) {
      const std::size_t next = upcoming < kernel_matrix->cached ? upcoming : i;
      return {{values + i * stride, columns, values + next * stride}, own_weight, kernel_matrix, i, stride};
    }
    T* generated = reinterpret_cast<T*>(scratch + columns);  // the workspace comes first, then the row
    return {{generated, columns, generated}, own_weight, kernel_matrix, i, 0, generated, scratch};
  }
  void set_upcoming(const std::size_t, KernelRow<T>&) const noexcept {}
  std::size_t prefetch_distance() const noexcept { return prefetch_rows(columns * sizeof(T)); }
  bool is_finite(const std::size_t i) const noexcept {
    return i >= kernel_matrix->cached || all_finite(values + i * stride, columns);
  }
};

}  // namespace rosenblatt::ROSENBLATT_TARGET
