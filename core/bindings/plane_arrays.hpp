// Checks of arrays with one number per row and plane, which Newton's method and the joint hinge take.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "bindings/module.hpp"

namespace rosenblatt {

inline void check_length(const std::size_t length, const std::size_t expected) {
  if (length != expected) throw std::invalid_argument("an array has another length than the rows or columns");
}

// The number of planes of an array with one number per row and plane.
inline std::size_t planes_in(const PyProblem& p, const std::size_t length) {
  const std::size_t planes = p.rows.count ? length / p.rows.count : 1;
  if (planes == 0 || (p.labels.signs && planes != 1)) throw std::invalid_argument("an array has the wrong planes");
  check_length(length, planes * p.rows.count);
  if (p.labels.codes)
    for (std::size_t i = 0; i < p.rows.count; ++i)
      if (static_cast<std::size_t>(p.labels.codes[i]) >= planes) throw std::invalid_argument("a class has no plane");
  return planes;
}

}  // namespace rosenblatt
