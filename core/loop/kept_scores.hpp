// The scores of one row by the weights that a learner would return now, compiled for every kind of row.
#pragma once

#include "loop/kept_weights.hpp"
#include "rows/dense_csr.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

template <class Row, class Weight>
[[gnu::always_inline]] inline double dot_of_computed(const Row& x, const Weight& weight, const std::size_t columns,
                                                     double* __restrict weights) noexcept {
  if constexpr (requires { x.dot_with(weight); }) {
    return x.dot_with(weight);
  } else {
    for (std::size_t j = 0; j < columns; ++j) weights[j] = weight(j);
    return x.dot(weights);
  }
}

// The bits are those of `scores` with the returned weights. A sparse row computes only the weights that it reads; other
// rows compute one plane after the other in `weights`.
template <RowSource R>
void kept_scores(const RowsView& view, const std::size_t row, const State& s, const double offset_value,
                 double* scratch, double* weights, double* out) noexcept {
  const R rows(view);
  const auto x = rows.row(row, row, scratch);
  with_kept_weights(s, [&](const auto& weight, const auto& offset) __attribute__((always_inline)) {
    for (std::size_t k = 0; k < s.planes; ++k) {
      const auto weight_of_plane = [&](const std::size_t j)
                                       __attribute__((always_inline)) { return weight(k * s.columns + j); };
      out[k] = dot_of_computed(x, weight_of_plane, s.columns, weights) + offset(k) * offset_value;
    }
  });
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
