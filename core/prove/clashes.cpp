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
      promise_(count),
      basis_(size) {}

const std::vector<std::uint32_t>* Clashes::around(const std::uint32_t row, const std::vector<std::int64_t>& left) {
  std::fill(inverse_.begin(), inverse_.end(), 0.0);
  for (std::size_t j = 0; j < size_; ++j) {  // start with an artificial row per dimension, numbered `artificial`
    target_[j] = -columns_[j * count_ + row];
    inverse_[j * size_ + j] = target_[j] < 0.0 ? -1.0 : 1.0;
    values_[j] = std::abs(target_[j]);
    basis_[j] = artificial;
  }
  for (int steps = 0; steps < kSteps; ++steps) {
    std::fill(prices_.begin(), prices_.end(), 0.0);
    bool has_artificial = false;
    for (std::size_t b = 0; b < size_; ++b) {
      if (basis_[b] != artificial) continue;
      has_artificial = true;
      for (std::size_t j = 0; j < size_; ++j) prices_[j] += inverse_[b * size_ + j];
    }
    if (!has_artificial) return is_certain(target_) ? &basis_ : nullptr;
    std::fill(promise_.begin(), promise_.end(), 0.0);
    for (std::size_t j = 0; j < size_; ++j) {
      const double price = prices_[j];
      const double* column = columns_ + j * count_;
      for (std::size_t i = 0; i < count_; ++i) promise_[i] += price * column[i];
    }
    std::uint32_t enters = artificial;
    double most = kTiny;
    for (std::size_t i = 0; i < count_; ++i)
      if (promise_[i] > most && left[i] > 0 && static_cast<std::uint32_t>(i) != row) {
        most = promise_[i];
        enters = static_cast<std::uint32_t>(i);
      }
    if (enters == artificial) return nullptr;
    std::size_t leaves = size_;
    double least = 0.0;
    for (std::size_t b = 0; b < size_; ++b) {
      double sum = 0.0;
      for (std::size_t j = 0; j < size_; ++j) sum += inverse_[b * size_ + j] * columns_[j * count_ + enters];
      step_[b] = sum;
      if (sum <= kTiny) continue;
      const double ratio = values_[b] / sum;
      if (leaves == size_ || ratio < least) {
        leaves = b;
        least = ratio;
      }
    }
    if (leaves == size_) return nullptr;
    const double pivot = 1.0 / step_[leaves];
    for (std::size_t j = 0; j < size_; ++j) inverse_[leaves * size_ + j] *= pivot;
    values_[leaves] = least;
    for (std::size_t b = 0; b < size_; ++b) {
      if (b == leaves) continue;
      for (std::size_t j = 0; j < size_; ++j) inverse_[b * size_ + j] -= step_[b] * inverse_[leaves * size_ + j];
      values_[b] -= step_[b] * least;
    }
    basis_[leaves] = enters;
  }
  return nullptr;
}

// Let M be the matrix of the basis rows, R its approximate inverse and x the approximate multipliers. In the maximum
// norm, the true multipliers differ by at most |R| (|t - M x| + e (1 + sum |x|)) / (1 - |I - R M| - |R| e size).
bool Clashes::is_certain(const std::vector<double>& target) const {
  double size_of_inverse = 0.0, not_one = 0.0, total = 0.0, least = values_[0], rest = 0.0;
  for (std::size_t b = 0; b < size_; ++b) {
    double line = 0.0, off = 0.0;
    for (std::size_t j = 0; j < size_; ++j) line += std::abs(inverse_[b * size_ + j]);
    for (std::size_t c = 0; c < size_; ++c) {
      double sum = b == c ? -1.0 : 0.0;
      for (std::size_t j = 0; j < size_; ++j) sum += inverse_[b * size_ + j] * columns_[j * count_ + basis_[c]];
      off += std::abs(sum);
    }
    size_of_inverse = std::max(size_of_inverse, line);
    not_one = std::max(not_one, off);
    total += std::abs(values_[b]);
    least = std::min(least, values_[b]);
  }
  for (std::size_t j = 0; j < size_; ++j) {
    double sum = -target[j];
    for (std::size_t b = 0; b < size_; ++b) sum += values_[b] * columns_[j * count_ + basis_[b]];
    rest = std::max(rest, std::abs(sum));
  }
  const double doubt = error_ + 1e-14;  // the sums above are rounded as well
  const double room = 1.0 - not_one - size_of_inverse * doubt * static_cast<double>(size_);
  if (!(room > 0.5)) return false;
  return least > 1.01 * size_of_inverse * (rest + doubt * (1.0 + total) * static_cast<double>(size_)) / room;
}

}  // namespace rosenblatt
