#include "solvers/dual_state_io.hpp"

#include <algorithm>
#include <stdexcept>

namespace rosenblatt {
namespace {

void refuse_unless(const bool fits) {
  if (!fits) throw std::invalid_argument("a saved state is of other rows");
}

}  // namespace

void check_restored(const DualState& s, const std::size_t columns) {
  const std::size_t rows = s.multipliers.size();
  const bool newton_started = s.newton.sharpness != 0.0;
  refuse_unless(s.theta.size() == columns && s.best.size() == columns);
  for_each_array(s, [&](const char*, const auto& array, const std::size_t length) {
    refuse_unless(length == 0 || array.size() == length || (array.empty() && !newton_started));
  });
  for (const auto* list : {&s.list, &s.newton.rows, &s.newton.active})
    refuse_unless(std::all_of(list->begin(), list->end(), [&](const std::uint32_t row) { return row < rows; }));
  refuse_unless(s.position <= s.active && s.kept_active <= s.position && s.active <= s.list.size());
  refuse_unless(s.newton.sample <= s.list.size());
}

}  // namespace rosenblatt
