#include "prove/great_circles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "prove/clashes.hpp"

namespace rosenblatt {
namespace {

constexpr double kRounding = std::numeric_limits<double>::epsilon();
constexpr double kBlurred = 1e-7;      // larger errors make floats useless
constexpr double kWorthwhile = 2.0;  // search for clashes only if it may save this many circles per clash and dimension
constexpr std::size_t kReports = 256;  // a call ends after this many rays

std::uint64_t mix_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::size_t sectors_for(const std::size_t count) {
  std::size_t sectors = 64;
  while (sectors < count && sectors < 1024) sectors *= 2;
  return sectors;
}

double choose(const double rows, const std::size_t few) {
  double ways = 1.0;
  for (std::size_t k = 0; k < few; ++k) ways *= (rows - static_cast<double>(k)) / (static_cast<double>(k) + 1.0);
  return ways;
}

}  // namespace

GreatCircles::GreatCircles(const double* rows, const std::int32_t* weights, const std::size_t count,
                           const std::size_t dimension, const double* guide, const double error)
    : count_(count),
      dimension_(dimension),
      choices_(dimension - 2),
      sectors_(sectors_for(count)),
      weights_(weights, weights + count),
      keys_(count),
      levels_(choices_ + 1),
      chosen_(choices_),
      along_(count),
      place_(count),
      first_sector_(count),
      begins_(sectors_ + 1),
      sums_(sectors_) {
  for (std::size_t i = 0; i < count; ++i) keys_[i] = mix_bits(i);
  for (std::size_t l = 0; l <= choices_; ++l) {
    levels_[l].columns.resize(count * (dimension - l));
    levels_[l].guide.resize(dimension - l);
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < dimension; ++j) levels_[0].columns[j * count + i] = rows[i * dimension + j];
  std::copy(guide, guide + dimension, levels_[0].guide.begin());
  levels_[0].error = error;
}

std::vector<Ray> GreatCircles::advance(const std::int64_t best, std::int64_t budget) {
  std::vector<Ray> found;
  while (!done_ && budget > 0 && found.size() < kReports) {
    if (stage_ == Stage::rows) {
      test_row(best, budget);
    } else if (stage_ == Stage::pairs) {
      test_pair(best, budget);
      if (stage_ == Stage::circles && !done_) descend(0, best, budget, found);
    } else {
      scan_circle(best, found);
      budget -= static_cast<std::int64_t>(count_);
      seen_ += 1.0;
      descend(step(choices_), best, budget, found);
    }
  }
  return found;
}

double GreatCircles::progress() const {
  const double rows = static_cast<double>(count_), candidates = static_cast<double>(candidates_.size());
  if (done_) return 1.0;
  if (stage_ == Stage::rows) return 0.1 * static_cast<double>(first_) / rows;
  if (stage_ == Stage::pairs) return 0.1 + 0.4 * static_cast<double>(first_) / candidates;
  return 0.5 + 0.5 * seen_ / choose(candidates, choices_);
}

// Drops rows whose hyperplane contains no better ray.
void GreatCircles::test_row(const std::int64_t best, std::int64_t& budget) {
  if (first_ < count_) {
    const auto row = static_cast<std::uint32_t>(first_++);
    candidates_.push_back(row);
    if (choices_ < 2) return;
    chosen_[0] = candidates_.size() - 1;
    const double circles_saved = choose(static_cast<double>(count_ - 1), choices_ - 1);
    if (project_out(0) && is_pruned(1, circles_saved, best, budget)) candidates_.pop_back();
    return;
  }
  first_ = 0;
  stage_ = Stage::pairs;
  apart_.assign(candidates_.size() * candidates_.size(), 0);
}

// The same for pairs of rows, where they leave more than a circle.
void GreatCircles::test_pair(const std::int64_t best, std::int64_t& budget) {
  const std::size_t size = candidates_.size();
  if (choices_ >= 3 && first_ + 1 < size) {
    if (second_ == first_ + 1) {
      chosen_[0] = first_;
      project_out(0);
    }
    chosen_[1] = second_;
    const double circles_saved = choose(static_cast<double>(size - 2), choices_ - 2);
    if (project_out(1) && is_pruned(2, circles_saved, best, budget)) apart_[first_ * size + second_] = 1;
    if (++second_ == size) second_ = ++first_ + 1;
    return;
  }
  std::iota(chosen_.begin(), chosen_.end(), std::size_t{0});
  stage_ = Stage::circles;
  done_ = size < dimension_ - 1;
}

// Moves to the next choice that differs in its first `level` rows. Returns the first position that changed.
std::size_t GreatCircles::step(std::size_t level) {
  while (level > 0 && chosen_[level - 1] == candidates_.size() - choices_ + level - 1) --level;
  if (level == 0) {
    done_ = true;
    return choices_;
  }
  ++chosen_[level - 1];
  for (std::size_t l = level; l < choices_; ++l) chosen_[l] = chosen_[l - 1] + 1;
  return level - 1;
}

// Projects the rows into the space that the chosen rows leave, from a level on. Choices that may be dependent are
// reported and skipped; choices that clashes rule out are skipped.
void GreatCircles::descend(std::size_t level, const std::int64_t best, std::int64_t& budget, std::vector<Ray>& found) {
  while (!done_ && level < choices_) {
    if (is_compatible(level)) {
      if (!project_out(level)) {
        found.push_back({rows_chosen(level + 1), {}, true});
      } else if (!is_pruned(level + 1, circles_below(level + 1), best, budget)) {
        ++level;
        continue;
      }
    }
    budget -= 1;
    seen_ += circles_below(level + 1);
    level = step(level + 1);
  }
}

bool GreatCircles::is_compatible(const std::size_t level) const {
  for (std::size_t l = 0; l < level; ++l)
    if (apart_[chosen_[l] * candidates_.size() + chosen_[level]]) return false;
  return true;
}

std::vector<std::uint32_t> GreatCircles::rows_chosen(const std::size_t level) const {
  std::vector<std::uint32_t> rows(level);
  for (std::size_t l = 0; l < level; ++l) rows[l] = candidates_[chosen_[l]];
  return rows;
}

// The number of circles that contain the first `level` chosen rows.
double GreatCircles::circles_below(const std::size_t level) const {
  return choose(static_cast<double>(candidates_.size() - chosen_[level - 1]) - 1.0, choices_ - level);
}

// Whether clashes without common rows weigh at least `best` in the space that the first `level` chosen rows leave.
bool GreatCircles::is_pruned(const std::size_t level, const double circles_saved, const std::int64_t best,
                             std::int64_t& budget) {
  const std::size_t size = dimension_ - level;
  if (circles_saved < kWorthwhile * static_cast<double>(size) * static_cast<double>(best)) return false;
  const Level& space = levels_[level];
  std::fill(along_.begin(), along_.end(), 0.0);
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = 0; i < count_; ++i) along_[i] += space.guide[j] * space.columns[j * count_ + i];
  std::vector<std::uint32_t> wrong;  // every clash contains one of them
  std::int64_t possible = 0;
  for (std::size_t i = 0; i < count_; ++i)
    if (along_[i] <= 0.0) {
      wrong.push_back(static_cast<std::uint32_t>(i));
      possible += weights_[i];
    }
  if (possible < best) return false;
  std::sort(wrong.begin(), wrong.end(), [&](auto a, auto b) { return along_[a] < along_[b]; });
  left_.assign(weights_.begin(), weights_.end());
  Clashes clashes(space.columns.data(), count_, size, space.error);
  std::int64_t packed = 0;
  for (const std::uint32_t row : wrong) {
    while (left_[row] > 0) {
      const std::vector<std::uint32_t>* rows = clashes.around(row, left_);
      budget -= static_cast<std::int64_t>(count_ * size);
      if (!rows) break;
      std::int64_t weight = left_[row];
      for (const std::uint32_t other : *rows) weight = std::min(weight, left_[other]);
      for (const std::uint32_t other : *rows) left_[other] -= weight;
      left_[row] -= weight;
      packed += weight;
      possible -= weight;
      if (packed >= best) return true;
    }
    possible -= left_[row];
    left_[row] = 0;
    if (packed + possible < best) return false;
  }
  return false;
}

// Removes one coordinate: a Householder reflection maps the chosen row to the last axis.
//
// If the chosen row p is off by e, its orthogonal space is rotated by at most 2 e / |p|, and so is each row.
bool GreatCircles::project_out(const std::size_t level) {
  const Level& from = levels_[level];
  Level& to = levels_[level + 1];
  const std::size_t size = dimension_ - level, row = candidates_[chosen_[level]];
  std::vector<double> u(size);
  double squares = 0.0;
  for (std::size_t j = 0; j < size; ++j) {
    u[j] = from.columns[j * count_ + row];
    squares += u[j] * u[j];
  }
  const double length = std::sqrt(squares);
  to.error = from.error + 4.0 * from.error / length + 32.0 * static_cast<double>(size) * kRounding;
  if (!(to.error <= kBlurred)) return false;
  for (double& value : u) value /= length;
  u[size - 1] += u[size - 1] < 0.0 ? -1.0 : 1.0;
  const double factor = 1.0 / std::abs(u[size - 1]);  // 2 / |u|^2
  std::fill(along_.begin(), along_.end(), 0.0);
  for (std::size_t j = 0; j < size; ++j) {
    const double* column = &from.columns[j * count_];
    const double coefficient = factor * u[j];
    for (std::size_t i = 0; i < count_; ++i) along_[i] += coefficient * column[i];
  }
  for (std::size_t j = 0; j + 1 < size; ++j) {
    const double* column = &from.columns[j * count_];
    double* out = &to.columns[j * count_];
    const double coefficient = u[j];
    for (std::size_t i = 0; i < count_; ++i) out[i] = column[i] - coefficient * along_[i];
  }
  double along = 0.0;
  for (std::size_t j = 0; j < size; ++j) along += factor * u[j] * from.guide[j];
  for (std::size_t j = 0; j + 1 < size; ++j) to.guide[j] = from.guide[j] - u[j] * along;
  return true;
}

// Angles are measured along the square |x| + |y| = 1, one unit per quarter turn: a row at angle q is negative strictly
// between q + 1 and q + 3. place_ is where that begins, in sectors; -1 for rows that are too short to have an angle.
void GreatCircles::place_rows(const double short_row, const double blur) {
  const double* x = levels_[choices_].columns.data();
  const double* y = x + count_;
  const double per_angle = static_cast<double>(sectors_) / 4.0;
  const auto mask = static_cast<std::int32_t>(sectors_ - 1);
  const auto nowhere = static_cast<std::uint32_t>(sectors_);
  for (std::size_t i = 0; i < count_; ++i) {
    const double size = std::abs(x[i]) + std::abs(y[i]);
    const double turn = y[i] / (size > short_row ? size : 1.0);
    const double angle = x[i] >= 0.0 ? (y[i] >= 0.0 ? turn : 4.0 + turn) : 2.0 - turn;
    place_[i] = size > short_row ? (angle + 1.0) * per_angle : -1.0;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    const auto first = static_cast<std::uint32_t>((static_cast<std::int32_t>(place_[i] + blur) + 1) & mask);
    first_sector_[i] = place_[i] >= 0.0 ? first : nowhere;
  }
}

// sums_[s] = the weight of the rows that are negative all over sector s. Returns the least of them. From its first full
// sector on, a row is negative on half of the sectors, minus two for the partial sectors at both ends and the error.
std::int64_t GreatCircles::sum_sectors() {
  std::fill(begins_.begin(), begins_.end(), 0);
  for (std::size_t i = 0; i < count_; ++i) begins_[first_sector_[i]] += weights_[i];
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

// Whether a ray on which the row vanishes touches a sector with less than `best`.
bool GreatCircles::may_be_better(const std::uint32_t row, const double blur, const std::int64_t best) const {
  if (place_[row] < 0.0) return true;
  const double half = static_cast<double>(sectors_ / 2);
  bool better = false;
  for (const double turn : {0.0, half})
    for (const double at : {place_[row] - blur, place_[row] + blur})
      better |= sums_[static_cast<std::size_t>(at + turn + static_cast<double>(sectors_)) & (sectors_ - 1)] < best;
  return better;
}

void GreatCircles::scan_circle(const std::int64_t best, std::vector<Ray>& found) {
  const double short_row = std::sqrt(levels_[choices_].error);
  const double blur = (4.0 * short_row + 16.0 * kRounding) * (static_cast<double>(sectors_) / 4.0);
  place_rows(short_row, blur);
  if (sum_sectors() >= best) return;
  for (std::size_t c = choices_ ? chosen_[choices_ - 1] + 1 : 0; c < candidates_.size(); ++c) {
    bool apart = false;
    for (const std::size_t other : chosen_) apart = apart || apart_[other * candidates_.size() + c];
    if (!apart && may_be_better(candidates_[c], blur, best)) examine_ray(best, candidates_[c], found);
  }
}

// Examines the two rays of a circle on which a row vanishes.
void GreatCircles::examine_ray(const std::int64_t best, const std::uint32_t row, std::vector<Ray>& found) {
  const Level& plane = levels_[choices_];
  const double* x = plane.columns.data();
  const double* y = x + count_;
  std::vector<std::uint32_t> chosen = rows_chosen(choices_);
  chosen.push_back(row);
  const double length = std::hypot(x[row], y[row]);
  const double error = plane.error + 4.0 * plane.error / length + 32.0 * kRounding;
  if (!(error <= kBlurred)) {
    found.push_back({std::move(chosen), {}, true});
    return;
  }
  const double c = -y[row] / length, s = x[row] / length;
  std::int64_t negative = 0, positive = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const double value = c * x[i] + s * y[i];
    negative += value < -error ? weights_[i] : 0;
    positive += value > error ? weights_[i] : 0;
  }
  if (std::min(negative, positive) >= best) return;
  std::vector<std::uint32_t> near;
  for (std::size_t i = 0; i < count_; ++i)
    if (std::abs(c * x[i] + s * y[i]) <= error) near.push_back(static_cast<std::uint32_t>(i));
  const auto [first, last] = settled_.equal_range(hash(near));
  for (auto at = first; at != last; ++at)
    if (at->second == near) return;
  found.push_back({std::move(chosen), std::move(near), false});
}

std::uint64_t GreatCircles::hash(const std::vector<std::uint32_t>& near) const {
  std::uint64_t sum = 0;
  for (const std::uint32_t row : near) sum += keys_[row];
  return sum;
}

void GreatCircles::settle(const std::vector<std::uint32_t>& near) { settled_.emplace(hash(near), near); }

}  // namespace rosenblatt
