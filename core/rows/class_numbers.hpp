// From labels to the numbers of their classes, and from these to signs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace rosenblatt {

// Numbers labels of two values, the lower one 0, and returns both values. Nothing where there are fewer or more.
std::optional<std::pair<std::int64_t, std::int64_t>> number_two_classes(const std::int64_t* labels, std::size_t count,
                                                                        std::int32_t* codes);

// +1 for rows of the class number `positive`, -1 for all others.
void signs_of(const std::int32_t* codes, std::size_t count, std::int32_t positive, std::int8_t* signs);

}  // namespace rosenblatt
