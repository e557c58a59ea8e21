#include "rows/class_numbers.hpp"

#include <algorithm>

namespace rosenblatt {
namespace {

constexpr std::size_t block = 4096;  // labels between two looks whether there is a third value

}  // namespace

std::optional<std::pair<std::int64_t, std::int64_t>> number_two_classes(const std::int64_t* labels,
                                                                        const std::size_t count, std::int32_t* codes) {
  const std::int64_t* const end = labels + count;
  const std::int64_t* const other = std::find_if(labels, end, [=](const std::int64_t y) { return y != *labels; });
  if (other == end) return std::nullopt;
  const auto [low, high] = std::minmax(*labels, *other);
  for (std::size_t from = 0; from < count; from += block) {
    const std::size_t to = std::min(from + block, count);
    bool strange = false;
    for (std::size_t i = from; i < to; ++i) {
      strange |= (labels[i] != low) & (labels[i] != high);
      codes[i] = labels[i] == high;
    }
    if (strange) return std::nullopt;
  }
  return std::pair{low, high};
}

void signs_of(const std::int32_t* codes, const std::size_t count, const std::int32_t positive, std::int8_t* signs) {
  for (std::size_t i = 0; i < count; ++i) signs[i] = codes[i] == positive ? 1 : -1;
}

}  // namespace rosenblatt
