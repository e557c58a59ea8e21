// Coordinate descent on the dual of the hinge loss or its square: each visit takes one multiplier to its best value
// between 0 and its bound, the others held fixed, and moves w with it (Hsieh et al. 2008).
#pragma once

#include "rows/dense_csr.hpp"
#include "solvers/dual_state.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// What a row adds to the duality gap: its loss, less the value of its multiplier.
inline double gap_of(const Multiplier& m, const double lack) noexcept {
  const double loss = lack > 0.0 ? lack : 0.0;
  if (m.give == 0.0) return m.bound * loss - m.value * lack;
  const double off = loss - m.give * m.value;
  return 0.5 * off * off / m.give + m.value * (loss - lack);
}

// Visits `count` rows of a list of which `listed` are known, and writes those that stay in play to `stay`, which may be
// the front of the list. A multiplier at a bound that pushes outwards harder than any did in the last pass is dropped
// until the rest have settled. Returns how many stay.
template <RowSource R>
std::size_t descend(const RowsView& view, const std::uint32_t* list, const std::size_t count, const std::size_t listed,
                    const double offset_value, double* scratch, Multiplier* multipliers, double* w, double& offset,
                    Violation& seen, std::uint32_t* stay) noexcept {
  const R rows(view);
  const std::size_t ahead = rows.ahead(), far = 2 * ahead;
  std::size_t stayed = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t row = list[k];
    if (k + far < listed) __builtin_prefetch(multipliers + list[k + far]);
    const auto x = rows.row(row, list[k + ahead < listed ? k + ahead : k], scratch);
    Multiplier& m = multipliers[row];
    const double lack = 1.0 - m.sign * (x.dot_and_fetch(w) + offset * offset_value);
    seen.gap += gap_of(m, lack);
    const double slope = m.give * m.value - lack;
    double outwards = slope;
    if (m.value == 0.0) {
      if (slope > seen.drop_above) continue;
      outwards = slope < 0.0 ? slope : 0.0;
    } else if (m.value == m.bound) {
      if (slope < seen.drop_below) continue;
      outwards = slope > 0.0 ? slope : 0.0;
    }
    stay[stayed++] = row;
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
  return stayed;
}

template <RowSource R>
void squared_norms(const RowsView& view, const Selection& selection, double* scratch, double* out) noexcept {
  const R rows(view);
  for (std::size_t k = 0; k < selection.size(); ++k)
    out[k] = rows.row(selection.row(k), selection.row(k), scratch).squared_norm();
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
