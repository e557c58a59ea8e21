// The parts of a learner, as plain values. Names and rules are documented in src/rosenblatt/recipe.py.
#pragma once

#include <cstdint>

namespace rosenblatt {

enum class Loss : std::uint8_t { perceptron, hinge, squared_hinge, logistic };
enum class Order : std::uint8_t { cyclic, shuffle_once, shuffle, random_mistake, working_set, batch };
enum class Step : std::uint8_t { constant, inverse, inverse_sqrt, pegasos, pa, pa1, pa2 };
enum class Keep : std::uint8_t { last, average, best };

struct Recipe {
  Loss loss = Loss::perceptron;
  Order order = Order::cyclic;
  Step step = Step::constant;
  Keep keep = Keep::last;
  double eta0 = 1.0;              // the step, or the numerator of a falling one
  double aggressiveness = 1.0;    // C of the passive-aggressive steps
  double penalty = 0.0;           // lambda: every visit multiplies w by 1 - eta * lambda
  double offset_value = 1.0;      // the constant coordinate; 0 leaves the offset out
  bool penalize_offset = false;
  bool stream = false;            // rows pass once: the pocket trusts runs, for there is nothing to check against
};

}  // namespace rosenblatt
