#include "prove/clashes.hpp"

#include <algorithm>
#include <cmath>

namespace rosenblatt {
namespace {

constexpr double kTiny = 1e-9;
constexpr int kSteps = 60;
constexpr std::uint32_t artificial = UINT32_MAX;  // a row that the simplex method starts with

}  // namespace

Clashes::Clashes(const double* columns, const std::size_t count, const std::size_t size, const double error)
    : columns_(columns),
      count_(count),
      size_(size),
      error_(error),
      inverse_(size * size),
      target_(size),
      values_(size),
      prices_(size),
      step_(size),
      reduced_costs_(count),
      basis_(size) {}

const std::vector<std::uint32_t>* Clashes::around(const std::uint32_t row, const std::vector<std::int64_t>& left) {
  start(row);
  for (int steps = 0; steps < kSteps; ++steps) {
    if (!compute_prices()) return is_certain(target_) ? &basis_ : nullptr;
    const std::uint32_t entering = choose_entering(row, left);
    if (entering == artificial) return nullptr;
    const std::size_t leaving = choose_leaving(entering);
    if (leaving == size_) return nullptr;
    pivot(entering, leaving);
  }
  return nullptr;
}

// The first basis: one artificial row per dimension.
void Clashes::start(const std::uint32_t row) {
  std::fill(inverse_.begin(), inverse_.end(), 0.0);
  for (std::size_t j = 0; j < size_; ++j) {
    target_[j] = -columns_[j * count_ + row];
    inverse_[j * size_ + j] = target_[j] < 0.0 ? -1.0 : 1.0;
    values_[j] = std::abs(target_[j]);
    basis_[j] = artificial;
  }
}

// The simplex multipliers. Returns whether artificial rows are left in the basis.
bool Clashes::compute_prices() {
  std::fill(prices_.begin(), prices_.end(), 0.0);
  bool has_artificial = false;
  for (std::size_t b = 0; b < size_; ++b) {
    if (basis_[b] != artificial) continue;
    has_artificial = true;
    for (std::size_t j = 0; j < size_; ++j) prices_[j] += inverse_[b * size_ + j];
  }
  return has_artificial;
}

// The row of largest reduced cost, or `artificial` if none is positive.
std::uint32_t Clashes::choose_entering(const std::uint32_t row, const std::vector<std::int64_t>& left) {
  std::fill(reduced_costs_.begin(), reduced_costs_.end(), 0.0);
  for (std::size_t j = 0; j < size_; ++j) {
    const double price = prices_[j];
    const double* column = columns_ + j * count_;
    for (std::size_t i = 0; i < count_; ++i) reduced_costs_[i] += price * column[i];
  }
  std::uint32_t entering = artificial;
  double most = kTiny;
  for (std::size_t i = 0; i < count_; ++i)
    if (reduced_costs_[i] > most && left[i] > 0 && static_cast<std::uint32_t>(i) != row) {
      most = reduced_costs_[i];
      entering = static_cast<std::uint32_t>(i);
    }
  return entering;
}

// The ratio test: the position in the basis that reaches 0 first, or size_ if none does.
std::size_t Clashes::choose_leaving(const std::uint32_t entering) {
  std::size_t leaving = size_;
  for (std::size_t b = 0; b < size_; ++b) {
    double sum = 0.0;
    for (std::size_t j = 0; j < size_; ++j) sum += inverse_[b * size_ + j] * columns_[j * count_ + entering];
    step_[b] = sum;
    if (sum <= kTiny) continue;
    const double ratio = values_[b] / sum;
    if (leaving == size_ || ratio < ratio_) {
      leaving = b;
      ratio_ = ratio;
    }
  }
  return leaving;
}

void Clashes::pivot(const std::uint32_t entering, const std::size_t leaving) {
  const double factor = 1.0 / step_[leaving];
  for (std::size_t j = 0; j < size_; ++j) inverse_[leaving * size_ + j] *= factor;
  values_[leaving] = ratio_;
  for (std::size_t b = 0; b < size_; ++b) {
    if (b == leaving) continue;
    for (std::size_t j = 0; j < size_; ++j) inverse_[b * size_ + j] -= step_[b] * inverse_[leaving * size_ + j];
    values_[b] -= step_[b] * ratio_;
  }
  basis_[leaving] = entering;
}

// How well R inverts M, in the maximum norm.
Clashes::InverseQuality Clashes::measure_inverse() const {
  InverseQuality found;
  for (std::size_t b = 0; b < size_; ++b) {
    double line = 0.0, off = 0.0;
    for (std::size_t j = 0; j < size_; ++j) line += std::abs(inverse_[b * size_ + j]);
    for (std::size_t c = 0; c < size_; ++c) {
      double sum = b == c ? -1.0 : 0.0;
      for (std::size_t j = 0; j < size_; ++j) sum += inverse_[b * size_ + j] * columns_[j * count_ + basis_[c]];
      off += std::abs(sum);
    }
    found.norm = std::max(found.norm, line);
    found.not_one = std::max(found.not_one, off);
  }
  return found;
}

// |t - M x| in the maximum norm.
double Clashes::residual(const std::vector<double>& target) const {
  double most = 0.0;
  for (std::size_t j = 0; j < size_; ++j) {
    double sum = -target[j];
    for (std::size_t b = 0; b < size_; ++b) sum += values_[b] * columns_[j * count_ + basis_[b]];
    most = std::max(most, std::abs(sum));
  }
  return most;
}

// Let M be the matrix of the basis rows, R its approximate inverse and x the approximate multipliers. In the maximum
// norm, the true multipliers differ by at most |R| (|t - M x| + e (1 + sum |x|)) / (1 - |I - R M| - |R| e size).
bool Clashes::is_certain(const std::vector<double>& target) const {
  const auto [norm, not_one] = measure_inverse();
  double total = 0.0, least = values_[0];
  for (const double value : values_) {
    total += std::abs(value);
    least = std::min(least, value);
  }
  const double doubt = error_ + 1e-14;  // these sums are rounded as well
  const double room = 1.0 - not_one - norm * doubt * static_cast<double>(size_);
  if (!(room > 0.5)) return false;
  return least > 1.01 * norm * (residual(target) + doubt * (1.0 + total) * static_cast<double>(size_)) / room;
}

}  // namespace rosenblatt
