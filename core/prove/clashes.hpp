// Clashes in floats, certain in spite of rounding: rows around one whose positive multiples add up to its opposite.
//
// The first phase of the simplex method looks for multipliers. The clash it ends with counts only if its multipliers
// stay above 0 whatever each row, off by `error` at most, really is.
#pragma once

#include <cstdint>
#include <vector>

namespace rosenblatt {

class Clashes {
 public:
  // `columns` of the rows, one after the other.
  Clashes(const double* columns, std::size_t count, std::size_t size, double error);

  // As many rows as dimensions, with something left, that clash with `row`; nothing if none are found.
  const std::vector<std::int32_t>* around(std::int32_t row, const std::vector<std::int64_t>& left);

 private:
  bool certain(const std::vector<double>& target) const;

  const double* columns_;
  std::size_t count_, size_;
  double error_;
  std::vector<double> inverse_, target_, values_, prices_, step_, promise_;
  std::vector<std::int32_t> basis_;
};

}  // namespace rosenblatt
