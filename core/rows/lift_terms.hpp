// The terms of a lifted row. A lift maps a row to a longer one, which is generated at each visit: the lifted matrix is
// never stored. Polynomial: all monomials of degree 1 to `degree`, sorted by degree, then lexically. Fourier:
// size * cos(2 pi (x.frequency + phase)); with normal frequencies it approximates the Gaussian kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt {

struct Lift {
  std::size_t inputs = 0;  // columns of its input rows
  std::size_t columns = 0;  // columns of the lifted rows
  std::size_t degree = 0;  // of the polynomial; 0 means Fourier

  // Polynomial: for degree d and column i, the position of the first monomial of degree d whose first factor is column
  // i or later. The monomials of degree d that begin with column i are column i times those of degree d - 1 from there
  // on.
  const std::int64_t* starts = nullptr;

  // Fourier, in units of full turns: inputs x columns frequencies, and one phase per column.
  const double *frequencies = nullptr, *phases = nullptr;
  double size = 0.0;

  const std::int64_t* starts_of(const std::size_t d) const noexcept { return starts + d * (inputs + 1); }
};

class OwnedLift : public Lift {
 public:
  // The caller has checked that the number of lifted columns fits into 64 bits and the rows into memory.
  static OwnedLift polynomial(std::size_t inputs, std::size_t degree);
  // Frequencies are normal with variance 2 gamma / (2 pi)^2, phases are uniform: the expected product of two lifted
  // rows is exp(-gamma ||x - x'||^2).
  static OwnedLift fourier(std::size_t inputs, std::size_t columns, double gamma, std::uint64_t seed);

  OwnedLift(OwnedLift&&) = default;  // moving a vector keeps its memory in place, so the pointers stay valid
  OwnedLift(const OwnedLift&) = delete;

  // How many numbers the lifted row has if the input row stores this many.
  std::size_t expanded_size(std::size_t stored) const noexcept;

 private:
  OwnedLift() = default;
  std::vector<std::int64_t> starts_;
  std::vector<double> frequencies_, phases_;
};

}  // namespace rosenblatt
