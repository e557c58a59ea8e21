// Blocks of K(a, b), computed in tiles that fit into the registers. Each product is summed coordinate by coordinate, so
// its bits depend neither on the tile nor on the instruction set.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/packed_rows.hpp"
#include "numerics/elementary.hpp"
#include "numerics/fixed_sums.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

#if defined(__AVX512F__)
inline constexpr std::size_t sums_in_registers = 16;
#else
inline constexpr std::size_t sums_in_registers = 8;
#endif

using NarrowRegister = float __attribute__((vector_size(sizeof(Register))));

template <class T>
struct Tile {
  using V = std::conditional_t<sizeof(T) == sizeof(float), NarrowRegister, Register>;
  static constexpr std::size_t each = panel_rows * sizeof(T) / sizeof(V);  // registers per panel
  static constexpr std::size_t panels = each == 1 ? 2 : 1;
  static constexpr std::size_t rows = sums_in_registers > each* panels ? sums_in_registers / (each * panels) : 1;
};

// out[r][c] = row r of `left` times row c of the panels. `left` points to the first wanted row within a panel. `list`
// names the coordinates where some of these rows is not 0; skipping the others does not change a bit.
template <class T, std::size_t rows, std::size_t panels>
inline void multiply(const T* left, const T* right, const std::size_t depth, const std::uint32_t* list,
                     const std::size_t nonzeros, T (&out)[rows][panels * panel_rows]) noexcept {
  using V = typename Tile<T>::V;
  constexpr std::size_t each = Tile<T>::each, size = sizeof(V) / sizeof(T);
  V sums[rows][panels * each] = {};
  const auto add = [&](const std::size_t k) __attribute__((always_inline)) {
    V b[panels * each];
#pragma GCC unroll 8
    for (std::size_t c = 0; c < panels * each; ++c)
      std::memcpy(&b[c], right + (c / each * depth + k) * panel_rows + c % each * size, sizeof(V));
#pragma GCC unroll 8
    for (std::size_t r = 0; r < rows; ++r)
#pragma GCC unroll 8
      for (std::size_t c = 0; c < panels * each; ++c) sums[r][c] += left[k * panel_rows + r] * b[c];
  };
  if (list)
    for (std::size_t e = 0; e < nonzeros; ++e) add(list[e]);
  else
    for (std::size_t k = 0; k < depth; ++k) add(k);
  std::memcpy(out, sums, sizeof out);
}

// The coordinates where some row is not 0. Null where more than 7/8 of them are: a plain loop is then faster.
template <class T, std::size_t rows>
inline const std::uint32_t* list_nonzero(const T* left, const std::size_t depth, void* workspace,
                                         std::size_t& nonzeros) noexcept {
  if (!workspace) return nullptr;
  auto* list = static_cast<std::uint32_t*>(workspace);
  nonzeros = 0;
  for (std::size_t k = 0; k < depth; ++k) {
    bool any = false;
    for (std::size_t r = 0; r < rows; ++r) any |= left[k * panel_rows + r] != T{0};
    list[nonzeros] = static_cast<std::uint32_t>(k);
    nonzeros += any;
  }
  return nonzeros * 8 < depth * 7 ? list : nullptr;
}

// K from products: `norm` is ||a||^2 of the one row, `norms` those of the others. NaN stays NaN.
template <class T>
inline void apply_kernel(const Similarity& s, const T* __restrict products, const double norm,
                         const double* __restrict norms, const std::size_t count, float* __restrict out) noexcept {
  switch (s.kind) {
    case SimilarityKind::linear:
      for (std::size_t j = 0; j < count; ++j) out[j] = static_cast<float>(products[j]);
      return;
    case SimilarityKind::polynomial:
      for (std::size_t j = 0; j < count; ++j) {
        const double base = s.gamma * static_cast<double>(products[j]) + s.constant;
        double power = base;
        for (std::uint32_t d = 1; d < s.degree; ++d) power *= base;
        out[j] = static_cast<float>(power);
      }
      return;
    case SimilarityKind::gaussian:
      for (std::size_t j = 0; j < count; ++j) {
        const double apart = (norm + norms[j]) - 2.0 * static_cast<double>(products[j]);
        out[j] = static_cast<float>(ROSENBLATT_TARGET::exp(-s.gamma * (apart < 0.0 ? 0.0 : apart)));
      }
      return;
  }
}

// One row of tiles times columns from .. to-1; `from` is the start of a panel.
template <class T, std::size_t rows>
inline void kernel_block_rows(const Similarity& s, const PackedView& left, const std::size_t row,
                              const std::size_t count, const PackedView& basis, const std::size_t from,
                              const std::size_t to, const double* weights, void* workspace, float* out,
                              const std::size_t stride) noexcept {
  constexpr std::size_t panels = Tile<T>::panels, wide_by = panels * panel_rows;
  const std::size_t depth = left.columns;
  const T* a = static_cast<const T*>(left.panels) + row / panel_rows * panel_rows * depth + row % panel_rows;
  std::size_t nonzeros = 0;
  const std::uint32_t* const list = list_nonzero<T, rows>(a, depth, workspace, nonzeros);
  const auto put = [&]<std::size_t some>(const T(&products)[rows][some], const std::size_t j) {
    const std::size_t size = to - j < some ? to - j : some;
    for (std::size_t r = 0; r < count; ++r)
      apply_kernel(s, products[r], left.squared_norms[row + r], basis.squared_norms + j, size,
                   out + r * stride + (j - from));
  };
  std::size_t j = from;
  const T* const right = static_cast<const T*>(basis.panels);
  if (!weights) {
    for (; j + wide_by <= to; j += wide_by) {
      T products[rows][wide_by];
      multiply<T, rows, panels>(a, right + j * depth, depth, list, nonzeros, products);
      put(products, j);
    }
  }
  for (; j < to; j += panel_rows) {
    const std::size_t size = to - j < panel_rows ? to - j : panel_rows;
    if (weights) {
      bool any = false;
      for (std::size_t c = 0; c < size; ++c) any |= weights[j + c] != 0.0;
      if (!any) {
        std::memset(out + (j - from), 0, size * sizeof(float));
        continue;
      }
    }
    T products[rows][panel_rows];
    multiply<T, rows, 1>(a, right + j * depth, depth, list, nonzeros, products);
    put(products, j);
  }
}

// out[i][j] = K(row `row` + i of `left`, row `from` + j of `basis`). With `weights`, count is 1, and panels whose
// weights are all 0 are left 0. `workspace`, if not null, holds one number per coordinate.
template <class T>
void kernel_block_dense(const Similarity& s, const PackedView& left, std::size_t row, const std::size_t count,
                        const PackedView& basis, const std::size_t from, const std::size_t to, const double* weights,
                        void* workspace, float* out, const std::size_t stride) noexcept {
  constexpr std::size_t tall = Tile<T>::rows;
  if (count == 1) return kernel_block_rows<T, 1>(s, left, row, 1, basis, from, to, weights, workspace, out, stride);
  for (const std::size_t end = row + count; row < end;) {
    std::size_t some = tall - row % tall;
    if (some > end - row) some = end - row;
    const std::size_t before = row % tall;  // tiles are aligned to multiples of their height
    if (before || some < tall) {
      for (std::size_t r = 0; r < some; ++r)
        kernel_block_rows<T, 1>(s, left, row + r, 1, basis, from, to, nullptr, workspace, out + r * stride, stride);
    } else {
      kernel_block_rows<T, tall>(s, left, row, some, basis, from, to, nullptr, workspace, out, stride);
    }
    out += some * stride;
    row += some;
  }
}

// By the columns of the basis that a row touches. `workspace` holds one double per row of the basis.
inline void kernel_block_sparse(const Similarity& s, const PackedView& left, const std::size_t row,
                                const std::size_t count, const PackedView& basis, const std::size_t from,
                                const std::size_t to, const double*, void* workspace, float* out,
                                const std::size_t stride) noexcept {
  auto* const sums = static_cast<double*>(workspace);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t j = 0; j < basis.count; ++j) sums[j] = 0.0;
    for (std::size_t e = left.starts[row + r]; e < left.starts[row + r + 1]; ++e) {
      const double value = left.values[e];
      for (std::size_t c = basis.column_starts[left.at[e]]; c < basis.column_starts[left.at[e] + 1]; ++c)
        sums[basis.column_rows[c]] += value * basis.column_values[c];
    }
    apply_kernel(s, sums + from, left.squared_norms[row + r], basis.squared_norms + from, to - from, out + r * stride);
  }
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
