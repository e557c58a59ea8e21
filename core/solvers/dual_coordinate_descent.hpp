// Coordinate descent on the dual of the hinge loss or its square (Hsieh et al. 2008). Each visit moves one multiplier
// to its optimum between 0 and its bound, with the others fixed, and moves w accordingly.
#pragma once

#include "rows/dense_csr.hpp"
#include "solvers/dual_state.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// The share of a row in the duality gap: its loss minus the dual value of its multiplier.
inline double gap_share(const Multiplier& m, const double shortfall) noexcept {
  const double loss = shortfall > 0.0 ? shortfall : 0.0;
  if (m.diagonal == 0.0) return m.bound * loss - m.value * shortfall;
  const double off = loss - m.diagonal * m.value;
  return 0.5 * off * off / m.diagonal + m.value * (loss - shortfall);
}

// Visits the first `count` of `listed` rows and writes those that stay active to `keep`, which may be the front of the
// list. Shrinking: a multiplier at a bound whose gradient points outwards beyond the thresholds of the last pass is
// dropped until the others have converged. Returns how many rows stay active.
template <RowSource R>
std::size_t descend_dual(const RowsView& view, const std::uint32_t* list, const std::size_t count,
                         const std::size_t listed, const double offset_value, double* scratch, Multiplier* multipliers,
                         double* w, double& offset, Violation& seen, std::uint32_t* keep) noexcept {
  const R rows(view);
  const std::size_t ahead = rows.prefetch_distance(), far_ahead = 2 * ahead;
  std::size_t kept_active = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t row = list[k];
    if (k + far_ahead < listed) {
      __builtin_prefetch(multipliers + list[k + far_ahead]);
      prefetch_start(rows, list[k + far_ahead]);
    }
    const auto x = rows.row(row, list[k + ahead < listed ? k + ahead : k], scratch);
    Multiplier& m = multipliers[row];
    const double shortfall = 1.0 - m.sign * (x.dot_and_fetch(w) + offset * offset_value);
    seen.gap += gap_share(m, shortfall);
    const double slope = m.diagonal * m.value - shortfall;
    double outwards = slope;
    if (m.value == 0.0) {
      if (slope > seen.drop_above) continue;
      outwards = slope < 0.0 ? slope : 0.0;
    } else if (m.value == m.bound) {
      if (slope < seen.drop_below) continue;
      outwards = slope > 0.0 ? slope : 0.0;
    }
    keep[kept_active++] = row;
    if (outwards > seen.most) seen.most = outwards;
    if (outwards < seen.least) seen.least = outwards;
    if (outwards == 0.0) continue;
    const double best = m.value - slope * m.inverse;
    const double value = best < 0.0 ? 0.0 : best < m.bound ? best : m.bound;
    const double change = (value - m.value) * m.sign;
    m.value = value;
    if (change == 0.0) continue;
    x.add_to(w, change);
    offset += change * offset_value;
  }
  return kept_active;
}

template <RowSource R>
void squared_norms(const RowsView& view, const Selection& selection, double* scratch, double* out) noexcept {
  const R rows(view);
  for (std::size_t k = 0; k < selection.size(); ++k)
    out[k] = rows.row(selection.row(k), selection.row(k), scratch).squared_norm();
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
