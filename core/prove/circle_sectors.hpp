// The sectors of a great circle, each with the weight of the rows that are negative all over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt {

class CircleSectors {
 public:
  explicit CircleSectors(std::size_t count);

  // Places the rows whose coordinates on the circle are x and y, each off by at most `error`. Returns the least weight
  // of a sector.
  std::int64_t place(const double* x, const double* y, double error, const std::vector<std::int32_t>& weights);

  // Whether a ray on which the row vanishes touches a sector with less than `best`.
  bool may_be_better(std::uint32_t row, std::int64_t best) const;

 private:
  void place_rows(const double* x, const double* y, double short_row);
  std::int64_t sum_sectors(const std::vector<std::int32_t>& weights);

  std::size_t sectors_;
  double blur_ = 0.0;          // how far the place of a row may be off, in sectors
  std::vector<double> place_;  // where each row begins to be negative, in sectors; -1 for rows too short for an angle
  std::vector<std::uint32_t> first_sector_;
  std::vector<std::int64_t> begins_, sums_;
};

}  // namespace rosenblatt
