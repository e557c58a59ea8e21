#include "loop/prepare_state.hpp"

#include <algorithm>
#include <stdexcept>

#define ROSENBLATT_TARGET common
#include "loop/visit.hpp"
#include "loop/working_set.hpp"

namespace rosenblatt {
namespace {

constexpr std::uint64_t most_visits = std::uint64_t{1} << 62;  // more than any run makes; sums with it do not overflow

void check_shape(const StateMemory& s, const Keep keep, const Problem& p) {
  if (s.columns != p.rows.columns) throw std::invalid_argument("rows and state differ in columns");
  if (p.labels.signs ? s.planes != 1 : s.planes < 2) throw std::invalid_argument("labels and state differ in classes");
  if (keep != p.recipe.keep) throw std::invalid_argument("recipe and state differ in what they keep");
  if (!p.labels.codes) return;
  for (std::size_t i = 0; i < p.rows.count; ++i)
    if (p.labels.codes[i] < 0 || static_cast<std::size_t>(p.labels.codes[i]) >= s.planes)
      throw std::invalid_argument("a label lies outside the classes");
}

// Passes and checks go over all rows, or over the rows of a working set.
void check_position(const StateMemory& s, const Problem& p) {
  const std::uint64_t level = p.recipe.order == Order::working_set ? s.level : 0;
  const std::size_t rows = level_size(p.rows.count, level);
  const bool beyond = s.position > rows && p.recipe.order != Order::random_mistake;
  if (s.visits > most_visits) throw std::invalid_argument("the state counts more visits than a run can make");
  if (beyond || s.check_position > rows) throw std::invalid_argument("the state stands beyond these rows");
}

// A restored state, or one from other rows, must not point beyond these rows.
void prepare_working_sets(StateMemory& s, const std::size_t rows) {
  if (s.working_sets_checked_for == rows) return;
  s.reserve_working_sets(working_set_size(rows));
  const auto& members = s.working_set_rows();
  const bool outside = std::any_of(members.begin(), members.end(), [&](std::uint32_t row) { return row >= rows; });
  if (outside || (s.level > 0 && is_lowest_level(rows, s.level - 1)))
    throw std::invalid_argument("the state's working sets are of other rows");
  s.working_sets_checked_for = rows;
}

// A run that starts from 0 on a complete kernel matrix in memory stores v.x of every row.
void prepare_activations(StateMemory& s, const Problem& p) {
  if (s.activation) {
    if (s.activation_size() != s.planes * p.rows.count || !p.rows.kernel_matrix)
      throw std::invalid_argument("the state remembers other rows");
    return;
  }
  if (!p.rows.kernel_in_memory || p.rows.count != p.rows.columns) return;
  if (p.recipe.stream || p.recipe.order == Order::batch || p.recipe.is_penalised() || s.visits > 0) return;
  const auto is_zero = [](const double a) { return a == 0.0; };
  if (std::all_of(s.v, s.v + s.size(), is_zero)) s.keep_activations(p.rows.count);
}

// Weights that were not learned by this run are projected into the unit ball, too.
void prepare_norm(StateMemory& s, const Recipe& recipe) {
  if (!common::normalises(recipe.step) || s.squared_norm >= 0.0) return;
  s.squared_norm = 0.0;
  for (std::size_t i = 0; i < s.size(); ++i) s.squared_norm += s.scale * s.v[i] * s.scale * s.v[i];
  for (std::size_t k = 0; k < s.planes; ++k) s.squared_norm += s.offset[k] * s.offset[k];
  common::project(s, 0.0, 0.0, 0.0);
}

// The covariance of each plane is the identity at first.
void prepare_covariance(StateMemory& s, const Problem& p) {
  if (!common::is_second_order(p.recipe.step)) return;
  if (p.rows.kernel_matrix) throw std::invalid_argument("second-order steps do not go with a kernel");
  const std::size_t each = s.columns + 1, size = p.recipe.step == Step::full ? each * each : each;
  if (s.covariance && s.covariance_size() != s.planes * size)
    throw std::invalid_argument("the state's covariance is of another step");
  if (s.covariance) return;
  s.keep_covariance(s.planes * size);
  for (std::size_t k = 0; k < s.planes; ++k)
    for (std::size_t j = 0; j < each; ++j) s.covariance[k * size + (size == each ? j : j * each + j)] = 1.0;
}

// The mean of weights that are clipped late is not known, and a step of all rows at once has another rule.
void prepare_l1(StateMemory& s, const Keep keep, const Problem& p) {
  if (keep == Keep::average || p.recipe.order == Order::batch || p.recipe.penalize_offset)
    throw std::invalid_argument("an l1 penalty keeps no average, takes single rows and leaves the offset free");
  if (!s.unclipped) s.begin_l1();
}

}  // namespace

void prepare_state(StateMemory& s, const Keep keep, const Problem& p) {
  check_shape(s, keep, p);
  if (p.recipe.l1 != 0.0) prepare_l1(s, keep, p);
  if (p.rows.count == 0) return;
  if (p.recipe.order == Order::working_set) prepare_working_sets(s, p.rows.count);
  check_position(s, p);
  prepare_activations(s, p);
  prepare_norm(s, p.recipe);
  prepare_covariance(s, p);
}

}  // namespace rosenblatt
