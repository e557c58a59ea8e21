// The fields of a state by name: what is saved, restored and shown. Saved states keep these names.
#pragma once

#include <concepts>
#include <span>
#include <type_traits>

#include "loop/state.hpp"

namespace rosenblatt {

// Calls each(name, number) for every number of a run.
template <class S, class Each>
  requires std::derived_from<std::remove_const_t<S>, Progress>
void for_each_number(S& s, const Each& each) {
  each("visits", s.visits);
  each("steps", s.steps);
  each("updates", s.updates);
  each("mistakes", s.mistakes);
  each("passes", s.pass);
  each("position", s.position);
  each("pass_mistakes", s.pass_mistakes);
  each("pass_updates", s.pass_updates);
  each("run", s.run);
  each("bar", s.bar);
  each("check_position", s.check_position);
  each("level", s.level);
  each("seed", s.seed);
  each("check_mistakes", s.check_mistakes);
  each("best_mistakes", s.best_mistakes);
  each("mistake_weight", s.mistake_weight);
  each("loss_sum", s.loss_sum);
  each("loss_product", s.loss_product);
  each("averaged", s.averaged);
  each("scale", s.scale);
  each("scale_sum", s.scale_sum);
  each("squared_norm", s.squared_norm);
  each("clean", s.clean);
  each("overflow", s.overflow);
}

// Calls each(name, numbers) for every array whose length planes and columns fix.
template <class S, class Each>
  requires std::derived_from<std::remove_const_t<S>, State>
void for_each_array(S& s, const Each& each) {
  const auto array = [&](const char* name, auto* values, const std::size_t size) {
    each(name, std::span(values, size));
  };
  array("v", s.v, s.size());
  array("offset", s.offset, s.planes);
  if (s.unclipped) {
    array("unclipped", s.unclipped, s.size());
    array("l1_sum", &s.l1_sum, 1);  // with the array, so that states without it have no new field
  }
  if (s.average_correction) {
    array("banked", s.average_correction, s.size());
    array("offset_sum", s.offset_sum, s.planes);
  }
  if (s.best) {
    array("best", s.best, s.size());
    array("best_offset", s.best_offset, s.planes);
  }
}

}  // namespace rosenblatt
