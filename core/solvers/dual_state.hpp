// What coordinate descent on the dual remembers of a row, and of a pass.
#pragma once

#include <limits>

namespace rosenblatt {

struct Multiplier {
  double value = 0.0;
  double bound = 0.0;                 // C times the weight of the row; of the squared hinge, infinity
  double inverse = 0.0;               // of the squared norm of the row, the constant coordinate included, and `give`
  double sign = 0.0;
  double give = 0.0;  // of the squared hinge: how far the corner gives way to the value, 1 / (2 C s_i)
};

// How far the slopes of the dual reach beyond what the bounds excuse, in the pass under way; at an optimum, 0 to 0.
struct Violation {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double least = infinity, most = -infinity;
  double drop_below = -infinity, drop_above = infinity;  // from the last pass

  double gap = 0.0;  // what the rows visited add to the duality gap, each as it was found

  double width() const noexcept { return most - least; }
};

}  // namespace rosenblatt
