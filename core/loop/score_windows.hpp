// All cores on one problem: the threads compute the margins of a window of coming rows with the present weights, then
// the visits take place in order and compute again only the margins that the moves of this window may have changed
// (score_window.hpp). The more rows move w, the shorter the windows; where too many do, rows are visited without them
// for a while. Sizes depend on the data alone, and no result depends on them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "loop/score_window.hpp"
#include "loop/state.hpp"
#include "parts/recipe.hpp"
#include "rows/views.hpp"
#include "system/uninitialized_vector.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

class ScoreWindows {
 public:
  // How many of the next `left` visits to make with a window; 0 where the threads gain nothing.
  std::size_t next_size(const std::size_t left) const noexcept {
    return pause_ > 0 || left < least ? 0 : std::min(size_, left);
  }
  // How many of the next `left` visits to make without one.
  std::size_t next_pause(const std::size_t left) const noexcept { return pause_ > 0 ? std::min(pause_, left) : left; }

  // The window of these rows, where ||(w, b)|| is at most `norm`.
  ScoreWindow score(const FunctionTable&, const RowsView&, const LabelsView&, const Recipe&, const State&,
                    std::span<const std::uint32_t> rows, double norm, std::size_t threads);

  // Adapts to what so many visits found.
  void learn_from(const ScoreWindow& window, const std::size_t visits) noexcept {
    if (8 * window.exact() > visits) shorten(4 * window.exact() > visits);
    else if (32 * window.exact() < visits) size_ = std::min(2 * size_, most), next_pause_ = first_pause;
  }
  void learn_from_pause(const std::size_t visits) noexcept { pause_ -= std::min(pause_, visits); }

 private:
  static constexpr std::size_t least = 128, most = 8192;              // visits in a window
  static constexpr std::size_t first_pause = 1024, longest_pause = 65536;  // visits without one

  void shorten(const bool too_many) noexcept {
    const bool was_least = size_ == least;
    size_ = std::max(size_ / 2, least);
    if (!too_many || !was_least) return;
    pause_ = next_pause_;
    next_pause_ = std::min(2 * next_pause_, longest_pause);
  }

  UninitializedVector<double> margins_, norms_;
  std::size_t size_ = 512, pause_ = 0, next_pause_ = first_pause;
};

// Whether margins of coming rows can be computed by several threads and mean anything: rows in memory, two classes, and
// a w that only moves by rows, which rest beyond some margin.
bool can_score_windows(const FunctionTable&, const RowsView&, const LabelsView&, const Recipe&, const State&,
                       std::size_t threads) noexcept;

}  // namespace rosenblatt
