// Margins that were computed before their visits, with the weights of that moment. Until w moves they are the margins
// of the visits; after that they are near them: with d = ||w - w then||, offsets included, the margin of a row x has
// changed by at most d ||x||. A row that this keeps beyond the margin where its loss rests does not move w, so its
// visit needs no dot product. All other rows are visited as ever, and the weights have the same bits.
#pragma once

#include <cstddef>

#include "loop/state.hpp"
#include "rows/views.hpp"

namespace rosenblatt {

class ScoreWindow {
 public:
  // `margins` and `norms` are those of the rows to be visited, constant coordinate included; `norm` is at least
  // ||(w, b)||. A row with a margin above `required` does not move w. Rounding errors are bounded by
  // rounding * ||(w, b)|| * ||x||.
  ScoreWindow(const double* margins, const double* norms, const double norm, const double required,
              const double rounding) noexcept
      : margins_(margins), norms_(norms), norm_(norm), required_(required), rounding_(rounding) {}

  // How many visits from `first` on, up to `end`, surely do not move w.
  [[gnu::always_inline]] std::size_t count_resting(const std::size_t first, const std::size_t end) const noexcept {
    const double reach = (1.0 + 0x1p-20) * __builtin_sqrt(moved_squared_) + rounding_ * norm_;
    std::size_t k = first;
    // False where a number is not finite, and for rows whose products underflow.
    while (k < end && margins_[k] - reach * norms_[k] > required_ && norms_[k] >= least_norm) ++k;
    return k - first;
  }

  // Counts a move by change * y * x in visit k, which found this margin.
  [[gnu::always_inline]] void count_move(const std::size_t k, const double margin, const double change) noexcept {
    const double length = change * (norms_[k] >= least_norm ? norms_[k] : least_norm), above = 1.0 + 0x1p-45;
    const double squared = length >= least_norm ? length * length : least_norm * least_norm;
    moved_squared_ =
        above * (moved_squared_ + squared) + 2.0 * change * (margin - margins_[k]) + 2.0 * length * rounding_ * norm_;
    norm_ += length;
    if (!(moved_squared_ >= 0.0)) moved_squared_ = moved_squared_ < 0.0 ? 0.0 : __builtin_inf();
  }
  [[gnu::always_inline]] void count_exact() noexcept { ++exact_; }

  std::size_t exact() const noexcept { return exact_; }  // visits that needed their dot product
  double norm() const noexcept { return norm_; }

 private:
  // Squares of shorter lengths underflow. A move counts as one of at least this length, so near weights and rows of
  // such a size no margin holds after it, and denormal rounding errors are far below the bound.
  static constexpr double least_norm = 0x1p-500;

  const double *margins_, *norms_;
  double norm_, required_, rounding_;
  double moved_squared_ = 0.0;
  std::size_t exact_ = 0;
};

}  // namespace rosenblatt
