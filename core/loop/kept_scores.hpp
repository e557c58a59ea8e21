// The scores of one row by the weights that a learner would return now, compiled for every kind of row.
#pragma once

#include "loop/kept_weights.hpp"
#include "rows/dense_csr.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// The bits are those of `scores` with the returned weights. Only the weights that this row reads are computed, in
// `weights`, which has room for one plane.
template <RowSource R>
void kept_scores(const RowsView& view, const std::size_t row, const State& s, const double offset_value,
                 double* scratch, double* weights, double* out) noexcept {
  const R rows(view);
  const auto x = rows.row(row, row, scratch);
  with_kept_weights(s, [&](const auto& weight, const auto& offset) {
    for (std::size_t k = 0; k < s.planes; ++k) {
      x.copy_weights([&](const std::size_t i) { return weight(k * s.columns + i); }, weights);
      out[k] = x.dot(weights) + offset(k) * offset_value;
    }
  });
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
