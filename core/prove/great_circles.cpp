#include "prove/great_circles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "prove/clash_packing.hpp"

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

double choose(const double rows, const std::size_t few) {
  double ways = 1.0;
  for (std::size_t k = 0; k < few; ++k) ways *= (rows - static_cast<double>(k)) / (static_cast<double>(k) + 1.0);
  return ways;
}

void add_multiple(const double factor, const double* column, std::vector<double>& sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += factor * column[i];
}

}  // namespace

GreatCircles::GreatCircles(const double* rows, const std::int32_t* weights, const std::size_t count,
                           const std::size_t dimension, const double* guide, const double error)
    : count_(count),
      dimension_(dimension),
      choices_(dimension - 2),
      weights_(weights, weights + count),
      keys_(count),
      levels_(choices_ + 1),
      chosen_(choices_),
      along_(count),
      sectors_(count) {
  for (std::size_t i = 0; i < count; ++i) keys_[i] = mix_bits(i);
  reserve_levels();
  fill_first_level(rows, guide, error);
}

void GreatCircles::reserve_levels() {
  for (std::size_t l = 0; l <= choices_; ++l) {
    levels_[l].columns.resize(count_ * (dimension_ - l));
    levels_[l].guide.resize(dimension_ - l);
  }
}

void GreatCircles::fill_first_level(const double* rows, const double* guide, const double error) {
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t j = 0; j < dimension_; ++j) levels_[0].columns[j * count_ + i] = rows[i * dimension_ + j];
  std::copy(guide, guide + dimension_, levels_[0].guide.begin());
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

// The rows that the guide of a space with `size` dimensions misclassifies: every clash contains one of them.
std::vector<std::uint32_t> GreatCircles::rows_against_guide(const Level& space, const std::size_t size) {
  std::fill(along_.begin(), along_.end(), 0.0);
  for (std::size_t j = 0; j < size; ++j) add_multiple(space.guide[j], &space.columns[j * count_], along_);
  std::vector<std::uint32_t> wrong;
  for (std::size_t i = 0; i < count_; ++i)
    if (along_[i] <= 0.0) wrong.push_back(static_cast<std::uint32_t>(i));
  return wrong;
}

// Whether clashes without common rows weigh at least `best` in the space that the first `level` chosen rows leave.
bool GreatCircles::is_pruned(const std::size_t level, const double circles_saved, const std::int64_t best,
                             std::int64_t& budget) {
  const std::size_t size = dimension_ - level;
  if (circles_saved < kWorthwhile * static_cast<double>(size) * static_cast<double>(best)) return false;
  const Level& space = levels_[level];
  std::vector<std::uint32_t> wrong = rows_against_guide(space, size);
  std::int64_t possible = 0;
  for (const std::uint32_t row : wrong) possible += weights_[row];
  if (possible < best) return false;
  std::sort(wrong.begin(), wrong.end(), [&](auto a, auto b) { return along_[a] < along_[b]; });
  return ClashPacking(space.columns.data(), weights_, size, space.error).reaches(best, wrong, budget);
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
  reflect(from, u, to);
  return true;
}

// Reflects the rows and the guide along u, whose last coordinate is |u|^2 / 2 in magnitude, and drops the last axis.
void GreatCircles::reflect(const Level& from, const std::vector<double>& u, Level& to) {
  const std::size_t last = u.size() - 1;
  const double factor = 1.0 / std::abs(u[last]);  // 2 / |u|^2
  std::fill(along_.begin(), along_.end(), 0.0);
  for (std::size_t j = 0; j <= last; ++j) add_multiple(factor * u[j], &from.columns[j * count_], along_);
  for (std::size_t j = 0; j < last; ++j) {
    const double* column = &from.columns[j * count_];
    double* out = &to.columns[j * count_];
    const double coefficient = u[j];
    for (std::size_t i = 0; i < count_; ++i) out[i] = column[i] - coefficient * along_[i];
  }
  double along = 0.0;
  for (std::size_t j = 0; j <= last; ++j) along += factor * u[j] * from.guide[j];
  for (std::size_t j = 0; j < last; ++j) to.guide[j] = from.guide[j] - u[j] * along;
}

void GreatCircles::scan_circle(const std::int64_t best, std::vector<Ray>& found) {
  const Level& plane = levels_[choices_];
  const double* x = plane.columns.data();
  if (sectors_.place(x, x + count_, plane.error, weights_) >= best) return;
  for (std::size_t c = choices_ ? chosen_[choices_ - 1] + 1 : 0; c < candidates_.size(); ++c) {
    bool apart = false;
    for (const std::size_t other : chosen_) apart = apart || apart_[other * candidates_.size() + c];
    if (!apart && sectors_.may_be_better(candidates_[c], best)) examine_ray(best, candidates_[c], found);
  }
}

// Examines the two rays of a circle on which a row vanishes.
void GreatCircles::examine_ray(const std::int64_t best, const std::uint32_t row, std::vector<Ray>& found) {
  const Level& plane = levels_[choices_];
  std::vector<std::uint32_t> chosen = rows_chosen(choices_);
  chosen.push_back(row);
  const double x = plane.columns[row], y = plane.columns[count_ + row], length = std::hypot(x, y);
  const double error = plane.error + 4.0 * plane.error / length + 32.0 * kRounding;
  if (!(error <= kBlurred)) {
    found.push_back({std::move(chosen), {}, true});
    return;
  }
  project_on_ray(-y / length, x / length);
  if (least_mistakes_on_ray(error) >= best) return;
  std::vector<std::uint32_t> near;
  for (std::size_t i = 0; i < count_; ++i)
    if (std::abs(along_[i]) <= error) near.push_back(static_cast<std::uint32_t>(i));
  if (!is_settled(near)) found.push_back({std::move(chosen), std::move(near), false});
}

// along_[i] = row i times the ray (c, s) of the circle.
void GreatCircles::project_on_ray(const double c, const double s) {
  const double* x = levels_[choices_].columns.data();
  const double* y = x + count_;
  for (std::size_t i = 0; i < count_; ++i) along_[i] = c * x[i] + s * y[i];
}

// The weight of the rows that are certainly negative on the ray of along_, or on the opposite ray where it is less.
std::int64_t GreatCircles::least_mistakes_on_ray(const double error) const {
  std::int64_t negative = 0, positive = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    negative += along_[i] < -error ? weights_[i] : 0;
    positive += along_[i] > error ? weights_[i] : 0;
  }
  return std::min(negative, positive);
}

bool GreatCircles::is_settled(const std::vector<std::uint32_t>& near) const {
  const auto [first, last] = settled_.equal_range(hash(near));
  return std::any_of(first, last, [&](const auto& entry) { return entry.second == near; });
}

std::uint64_t GreatCircles::hash(const std::vector<std::uint32_t>& near) const {
  std::uint64_t sum = 0;
  for (const std::uint32_t row : near) sum += keys_[row];
  return sum;
}

void GreatCircles::settle(const std::vector<std::uint32_t>& near) { settled_.emplace(hash(near), near); }

}  // namespace rosenblatt
