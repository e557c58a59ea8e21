// Saves and restores the fields of a native state, as its for_each_number and for_each_array name them.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "bindings/arrays.hpp"

namespace rosenblatt {

template <class S>
void save_fields(S& state, nanobind::dict& saved) {
  for_each_number(state, [&](const char* name, const auto& value) { saved[name] = value; });
  for_each_array(state, [&](const char* name, const auto& array, auto...) {
    saved[name] = to_numpy(std::vector(array.begin(), array.end()));
  });
}

template <class T>
void restore_array(const nanobind::dict& saved, const char* name, const std::span<T> array) {
  const auto given = nanobind::cast<Vector<T>>(saved[name]);
  if (given.shape(0) != array.size())
    throw std::invalid_argument(std::string("a saved state holds too few or many ") + name);
  std::copy(given.data(), given.data() + array.size(), array.begin());
}

template <class T>
void restore_array(const nanobind::dict& saved, const char* name, std::vector<T>& array) {
  const auto given = nanobind::cast<Vector<T>>(saved[name]);
  array.assign(given.data(), given.data() + given.shape(0));
}

template <class S>
void restore_fields(S& state, const nanobind::dict& saved) {
  for_each_number(state, [&](const char* name, auto& value) {
    if (!saved.contains(name)) return;  // a field that came later than the saved state
    value = nanobind::cast<std::remove_reference_t<decltype(value)>>(saved[name]);
  });
  for_each_array(state, [&](const char* name, auto&& array, auto...) { restore_array(saved, name, array); });
}

}  // namespace rosenblatt
