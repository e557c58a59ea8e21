#include "rows/lift_terms.hpp"

#include <cmath>

#define ROSENBLATT_TARGET common
#include "numerics/elementary.hpp"
#include "numerics/random.hpp"

namespace rosenblatt {
namespace {

// Number of monomials of degree 1 to `degree`: a binomial coefficient minus 1. Every intermediate value is an integer.
std::size_t monomials(const std::size_t columns, const std::size_t degree) noexcept {
  std::size_t count = 1;
  const std::size_t few = columns < degree ? columns : degree, many = columns < degree ? degree : columns;
  for (std::size_t k = 1; k <= few; ++k) count = count / k * (many + k) + count % k * (many + k) / k;
  return count - 1;
}

// log(u) for 0 < u <= 1.
double log_of(const double u) noexcept {
  double value = u, halvings = 0.0;
  for (; value < 1.0; value *= 2.0) halvings += 1.0;
  return common::log1p(value - 1.0) - halvings * 0.693147180559945309;
}

// Uniform in (0, 1].
double uniform(const std::uint64_t bits) noexcept { return static_cast<double>((bits >> 11) + 1) * 0x1p-53; }

}  // namespace

std::size_t OwnedLift::expanded_size(const std::size_t stored) const noexcept {
  return degree ? monomials(stored, degree) : columns;
}

OwnedLift OwnedLift::polynomial(const std::size_t inputs, const std::size_t degree) {
  OwnedLift lift;
  lift.inputs = inputs;
  lift.degree = degree;
  lift.starts_.resize((degree + 1) * (inputs + 1), 0);
  std::vector<std::int64_t> after(inputs + 1, 1);   // monomials of degree d - 1 in columns i and later
  after[inputs] = 0;
  std::int64_t place = 0;
  for (std::size_t d = 1; d <= degree; ++d) {
    std::int64_t* starts = lift.starts_.data() + d * (inputs + 1);
    for (std::size_t i = 0; i < inputs; ++i) {
      starts[i] = place;
      place += after[i];
    }
    starts[inputs] = place;
    for (std::size_t i = inputs; i-- > 0;) after[i] += after[i + 1];
  }
  lift.starts = lift.starts_.data();
  lift.columns = static_cast<std::size_t>(place);
  return lift;
}

OwnedLift OwnedLift::fourier(const std::size_t inputs, const std::size_t columns, const double gamma,
                             const std::uint64_t seed) {
  OwnedLift lift;
  lift.inputs = inputs;
  lift.columns = columns;
  lift.size = std::sqrt(2.0 / static_cast<double>(columns));
  const std::uint64_t key = random_bits(seed, 0), other = random_bits(seed, 1);
  const double spread = std::sqrt(2.0 * gamma) / 6.283185307179586477;
  lift.frequencies_.resize(inputs * columns);
  for (std::size_t k = 0; k < lift.frequencies_.size(); ++k) {    // Box-Muller
    const double radius = std::sqrt(-2.0 * log_of(uniform(random_bits(key, 2 * k))));
    lift.frequencies_[k] = spread * radius * common::cos_of_turns(uniform(random_bits(key, 2 * k + 1)));
  }
  lift.phases_.resize(columns);
  for (std::size_t k = 0; k < columns; ++k) lift.phases_[k] = uniform(random_bits(other, k));
  lift.frequencies = lift.frequencies_.data();
  lift.phases = lift.phases_.data();
  return lift;
}

}  // namespace rosenblatt
