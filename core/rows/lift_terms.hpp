// What a lifted row is made of. A lift maps a row to a longer one that is generated when the row is visited: the lifted
// matrix is never stored. Polynomial: all monomials of degree 1 to `degree`, by degree, then in lexical order. Fourier:
// size * cos(2 pi (x.frequency + phase)), which for normal frequencies stands for the Gaussian kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt {

struct Lift {
  std::size_t inputs = 0;  // columns of the rows it takes
  std::size_t columns = 0;  // and of those it makes
  std::size_t degree = 0;  // polynomial; 0: Fourier

  // Polynomial: for each degree d from 0 and column i up to `inputs`, where the monomials of degree d begin whose first
  // factor is column i or a later one. Column i times those of degree d - 1 from there on are the ones of degree d that
  // begin with column i.
  const std::int64_t* starts = nullptr;

  // Fourier, in turns: inputs x columns frequencies, and a phase for each column.
  const double *frequencies = nullptr, *phases = nullptr;
  double size = 0.0;

  const std::int64_t* starts_of(const std::size_t d) const noexcept { return starts + d * (inputs + 1); }
};

class OwnedLift : public Lift {
 public:
  // The caller has seen to it that the columns of the lifted rows can be counted, and fit into memory.
  static OwnedLift polynomial(std::size_t inputs, std::size_t degree);
  // Frequencies from a normal distribution with variance 2 gamma (over (2 pi)^2, for turns), phases from a uniform one:
  // the mean of the product of two lifted rows is exp(-gamma ||x - x'||^2).
  static OwnedLift fourier(std::size_t inputs, std::size_t columns, double gamma, std::uint64_t seed);

  OwnedLift(OwnedLift&&) = default;  // what the pointers point to stays where it is
  OwnedLift(const OwnedLift&) = delete;

  // How many numbers a row with so many stored ones becomes.
  std::size_t made_of(std::size_t stored) const noexcept;

 private:
  OwnedLift() = default;
  std::vector<std::int64_t> starts_;
  std::vector<double> frequencies_, phases_;
};

}  // namespace rosenblatt
