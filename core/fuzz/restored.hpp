// The fields of a restored state, taken from an input: mostly as they were, or small, or any bits.
#pragma once

#include <limits>
#include <type_traits>
#include <vector>

#include "fuzz/input.hpp"

namespace rosenblatt {

template <class T>
void restore_number(Input& input, T& value) {
  constexpr double odd_numbers[] = {
      -1.0, 0.0, 0.5, 1e-300, 1e300, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  const auto choice = input.take<std::uint8_t>();
  if (choice % 4 == 0) return;  // as it was
  if constexpr (std::is_same_v<T, bool>) value = choice % 8 > 3;
  else if (choice % 4 == 1) value = input.take<T>();
  else if constexpr (std::is_floating_point_v<T>) value = odd_numbers[choice / 4 % std::size(odd_numbers)];
  else value = static_cast<T>(choice / 4 % 8);
}

template <class Array>
void restore_numbers(Input& input, Array&& array) {
  if (input.flag()) return;
  for (auto& value : array) restore_number(input, value);
}

// Another length, now and then.
template <class T>
void restore_length(Input& input, std::vector<T>& array) {
  const auto choice = input.take<std::uint8_t>();
  if (choice % 8 == 1) array.resize(choice / 8);
}

}  // namespace rosenblatt
