#include "loop/score_windows.hpp"

#define ROSENBLATT_TARGET common
#include "parts/losses.hpp"
#include "parts/steps.hpp"
#include "system/parallel.hpp"

namespace rosenblatt {

bool can_score_windows(const FunctionTable& functions, const RowsView& rows, const LabelsView& labels,
                       const Recipe& recipe, const State& s, const std::size_t threads) noexcept {
  constexpr std::size_t worth_a_thread = std::size_t{1} << 18;  // numbers in all rows, at least
  if (threads < 2 || !labels.signs || !functions.margins_and_norms[index_of(rows.kind)]) return false;
  if (recipe.order == Order::working_set) return false;  // its rows are few and lie in the caches
  if (recipe.is_penalised() || common::normalises(recipe.step) || common::is_second_order(recipe.step)) return false;
  if (recipe.margin < 0.0 || common::loss_facts(recipe.loss).rests_above == __builtin_inf()) return false;
  return !s.unclipped && rows.stored_values >= worth_a_thread;
}

ScoreWindow ScoreWindows::score(const FunctionTable& functions, const RowsView& view, const LabelsView& labels,
                                const Recipe& recipe, const State& s, const std::span<const std::uint32_t> rows,
                                const double norm, const std::size_t threads) {
  if (margins_.size() < rows.size()) margins_.resize(most), norms_.resize(most);
  const std::size_t jobs = std::min(rows.size() / 64 + 1, 4 * threads);
  const auto compute = functions.margins_and_norms[index_of(view.kind)];
  parallel(threads, jobs, [&](const std::size_t job) noexcept {
    const std::size_t begin = job * rows.size() / jobs, end = (job + 1) * rows.size() / jobs;
    compute(view, {begin, end, rows.data()}, labels, s, recipe.offset_value, margins_.data() + begin,
            norms_.data() + begin);
  });
  const double rounding = (static_cast<double>(view.columns) + 32.0) * 0x1p-50;
  const double required = (recipe.margin + common::loss_facts(recipe.loss).rests_above) * (1.0 + 0x1p-40);
  return {margins_.data(), norms_.data(), norm, required, rounding};
}

}  // namespace rosenblatt
