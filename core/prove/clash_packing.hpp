// Clashes without common rows: whatever w is, it makes a mistake in each, so together they weigh at most its mistakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "prove/clashes.hpp"

namespace rosenblatt {

class ClashPacking {
 public:
  // As for Clashes. Rows have weights: a row of weight 3 may occur in three clashes.
  ClashPacking(const double* columns, const std::vector<std::int32_t>& weights, std::size_t size, double error);

  // Whether clashes around these rows weigh at least `best`. The budget pays for each search of a clash.
  bool reaches(std::int64_t best, const std::vector<std::uint32_t>& around, std::int64_t& budget);

 private:
  std::int64_t pack_around(std::uint32_t row, std::int64_t enough, std::int64_t& budget);

  Clashes clashes_;
  std::vector<std::int64_t> left_;  // the weights that no clash has used
  std::int64_t search_cost_;
};

}  // namespace rosenblatt
