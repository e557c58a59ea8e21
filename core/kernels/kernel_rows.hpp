// Rows of a kernel matrix. The weights are one alpha for each row of the basis: `dot` sums alpha_j K(x_j, x), `add_to`
// moves one alpha. A row that is not in memory is made in scratch space, only where alpha is not 0.
#pragma once

#include "kernels/kernel_products.hpp"
#include "kernels/packed_rows.hpp"
#include "loop/state.hpp"
#include "numerics/random.hpp"
#include "rows/dense_csr.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

template <class T>
struct KernelRow : DenseRow<T> {
  std::size_t own;                    // the weight it moves
  const GramView* gram;
  std::size_t number = 0, stride = 0;
  T* made = nullptr;                  // where the row is put, if it is not in memory
  double* room = nullptr;

  double dot(const double* w) const noexcept {
    make(w);
    return DenseRow<T>::dot(w);
  }
  double dot_and_fetch(const double* w) const noexcept {
    make(w);
    return DenseRow<T>::dot_and_fetch(w);
  }
  double squared_norm() const noexcept { return gram->diagonal[own]; }
  void add_to(double* __restrict w, const double change) const noexcept { w[own] += change; }

  // Moves are rarer than visits: each adds its row to the v.x of all rows, and a visit has nothing left to sum.
  double remembered(const State& s, const std::size_t plane) const noexcept {
    return s.activation[plane * this->size + number];
  }
  void remember(State& s, const std::size_t plane, const double change) const noexcept {
    spread(s, plane, own, change);
  }

  // Beyond the budget a row of the support goes, drawn by lot; the one just added stays.
  void trim(State& s) const noexcept {
    if (gram->budget == 0) return;
    const auto holds = [&](const std::size_t j) {
      bool any = false;
      for (std::size_t k = 0; k < s.planes; ++k) any |= s.v[k * s.columns + j] != 0.0;
      return any && j != own;
    };
    std::size_t others = 0;
    for (std::size_t j = 0; j < s.columns; ++j) others += holds(j);
    if (others < gram->budget) return;
    std::size_t chosen = random_below(random_bits(~s.seed, s.updates), others), j = 0;
    while (!holds(j) || chosen-- > 0) ++j;
    for (std::size_t k = 0; k < s.planes; ++k) {
      spread(s, k, j, -s.v[k * s.columns + j]);
      s.v[k * s.columns + j] = 0.0;
    }
  }

 private:
  void spread(State& s, const std::size_t plane, const std::size_t j, const double change) const noexcept {
    if (!s.activation || change == 0.0) return;
    const T* from = this->x - number * stride + j * stride;
    DenseRow<T>{from, this->size, from}.add_to(s.activation + plane * this->size, change);
  }
  void make(const double* w) const noexcept {
    if constexpr (sizeof(T) == sizeof(float)) {
      if (!made) return;
      const auto& g = *gram;
      const auto fill = [&](const auto similar) {
        similar(g.similarity, g.left, number, 1, g.basis, 0, g.basis.count, w,
                g.left.kind == PackedKind::sparse ? room : nullptr, made, g.basis.count);
      };
      switch (g.left.kind) {
        case PackedKind::dense_f64: return fill(similar_dense<double>);
        case PackedKind::dense_f32: return fill(similar_dense<float>);
        case PackedKind::sparse: return fill(similar_sparse);
      }
    }
  }
};

template <class T>
struct KernelRows {
  const T* values;
  std::size_t columns, stride;
  const GramView* gram;

  explicit KernelRows(const RowsView& v) noexcept
      : values(static_cast<const T*>(v.values)), columns(v.columns), stride(v.stride), gram(v.gram) {}
  KernelRow<T> row(const std::size_t i, const std::size_t coming, double* scratch) const noexcept {
    const std::size_t own = gram->first + i;
    if (i < gram->cached) {
      const std::size_t next = coming < gram->cached ? coming : i;
      return {{values + i * stride, columns, values + next * stride}, own, gram, i, stride};
    }
    T* made = reinterpret_cast<T*>(scratch + columns);  // room to make it in, then the row
    return {{made, columns, made}, own, gram, i, 0, made, scratch};
  }
  void expect(const std::size_t, KernelRow<T>&) const noexcept {}
  std::size_t ahead() const noexcept { return rows_ahead(columns * sizeof(T)); }
  bool finite(const std::size_t i) const noexcept {
    return i >= gram->cached || all_finite(values + i * stride, columns);
  }
};

}  // namespace rosenblatt::ROSENBLATT_TARGET
