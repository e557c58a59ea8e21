#include "prove/clash_packing.hpp"

#include <algorithm>

namespace rosenblatt {

ClashPacking::ClashPacking(const double* columns, const std::vector<std::int32_t>& weights, const std::size_t size,
                           const double error)
    : clashes_(columns, weights.size(), size, error),
      left_(weights.begin(), weights.end()),
      search_cost_(static_cast<std::int64_t>(weights.size() * size)) {}

bool ClashPacking::reaches(const std::int64_t best, const std::vector<std::uint32_t>& around, std::int64_t& budget) {
  std::int64_t packed = 0, possible = 0;
  for (const std::uint32_t row : around) possible += left_[row];
  for (const std::uint32_t row : around) {
    possible -= left_[row];
    packed += pack_around(row, best - packed, budget);
    if (packed >= best) return true;
    left_[row] = 0;
    if (packed + possible < best) return false;
  }
  return false;
}

// Packs clashes around a row until they weigh enough, or its weight is used, or no clash is left. Returns their weight.
std::int64_t ClashPacking::pack_around(const std::uint32_t row, const std::int64_t enough, std::int64_t& budget) {
  std::int64_t packed = 0;
  while (left_[row] > 0 && packed < enough) {
    const std::vector<std::uint32_t>* others = clashes_.around(row, left_);
    budget -= search_cost_;
    if (!others) break;
    std::int64_t weight = left_[row];
    for (const std::uint32_t other : *others) weight = std::min(weight, left_[other]);
    for (const std::uint32_t other : *others) left_[other] -= weight;
    left_[row] -= weight;
    packed += weight;
  }
  return packed;
}

}  // namespace rosenblatt
