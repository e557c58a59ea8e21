// What a profile likelihood says about one coefficient of a logistic regression with Jeffreys' penalty: the ends of its
// interval, by Venzon and Moolgavkar's steps, and the least objective where the coefficient is 0. The lower end shows
// how the profile bends, and the other searches begin there.
#pragma once

#include <cstddef>

#include "solvers/jeffreys_newton.hpp"

namespace rosenblatt {

struct ProfileLimits {
  double target;  // the objective at the ends of an interval
  double value_at_zero;  // the objective at weights 0
  double level;  // how far from the target the objective may be
  double to_fall;  // what the objective may still fall while the coefficient is held
  std::size_t steps;  // of each search
};

// NaN stands for a search that did not converge.
struct Profile {
  double lower, upper, value_without;
  std::size_t evaluations;
};

// `best` is the minimum. Its scores, pull, curvature and share are not read.
Profile find_profile(const JeffreysObjective&, const JeffreysPoint& best, std::size_t place, const ProfileLimits&);

}  // namespace rosenblatt
