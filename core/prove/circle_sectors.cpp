#include "prove/circle_sectors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rosenblatt {
namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();

std::size_t sectors_for(const std::size_t count) {
  std::size_t sectors = 64;
  while (sectors < count && sectors < 1024) sectors *= 2;
  return sectors;
}

}  // namespace

CircleSectors::CircleSectors(const std::size_t count)
    : sectors_(sectors_for(count)), place_(count), first_sector_(count), begins_(sectors_ + 1), sums_(sectors_) {}

std::int64_t CircleSectors::place(const double* x, const double* y, const double error,
                                  const std::vector<std::int32_t>& weights) {
  const double short_row = std::sqrt(error);
  blur_ = (4.0 * short_row + 16.0 * kRounding) * (static_cast<double>(sectors_) / 4.0);
  place_rows(x, y, short_row);
  return sum_sectors(weights);
}

// Angles are measured along the square |x| + |y| = 1, one unit per quarter turn: a row at angle q is negative strictly
// between q + 1 and q + 3.
void CircleSectors::place_rows(const double* x, const double* y, const double short_row) {
  const double per_angle = static_cast<double>(sectors_) / 4.0;
  const auto mask = static_cast<std::int32_t>(sectors_ - 1);
  const auto nowhere = static_cast<std::uint32_t>(sectors_);
  for (std::size_t i = 0; i < place_.size(); ++i) {
    const double size = std::abs(x[i]) + std::abs(y[i]);
    const double turn = y[i] / (size > short_row ? size : 1.0);
    const double angle = x[i] >= 0.0 ? (y[i] >= 0.0 ? turn : 4.0 + turn) : 2.0 - turn;
    place_[i] = size > short_row ? (angle + 1.0) * per_angle : -1.0;
  }
  for (std::size_t i = 0; i < place_.size(); ++i) {
    const auto first = static_cast<std::uint32_t>((static_cast<std::int32_t>(place_[i] + blur_) + 1) & mask);
    first_sector_[i] = place_[i] >= 0.0 ? first : nowhere;
  }
}

// sums_[s] = the weight of the rows that are negative all over sector s. Returns the least of them. From its first full
// sector on, a row is negative on half of the sectors, minus two for the partial sectors at both ends and the error.
std::int64_t CircleSectors::sum_sectors(const std::vector<std::int32_t>& weights) {
  std::fill(begins_.begin(), begins_.end(), 0);
  for (std::size_t i = 0; i < place_.size(); ++i) begins_[first_sector_[i]] += weights[i];
  const std::size_t reach = sectors_ / 2 - 2;
  std::int64_t sum = 0, least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t s = sectors_ - reach; s < sectors_; ++s) sum += begins_[s];
  for (std::size_t s = 0; s < sectors_; ++s) {
    sum += begins_[s] - begins_[(s + sectors_ - reach) & (sectors_ - 1)];
    sums_[s] = sum;
    least = std::min(least, sum);
  }
  return least;
}

bool CircleSectors::may_be_better(const std::uint32_t row, const std::int64_t best) const {
  if (place_[row] < 0.0) return true;
  const double half = static_cast<double>(sectors_ / 2);
  bool better = false;
  for (const double turn : {0.0, half})
    for (const double at : {place_[row] - blur_, place_[row] + blur_})
      better |= sums_[static_cast<std::size_t>(at + turn + static_cast<double>(sectors_)) & (sectors_ - 1)] < best;
  return better;
}

}  // namespace rosenblatt
