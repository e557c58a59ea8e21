// The weights that a learner returns: the last ones, their mean, or the best ones. They are computed where they are
// read, because the mean changes with every visit.
#pragma once

#include <cstddef>

#include "loop/l1_clip.hpp"
#include "loop/state.hpp"

namespace rosenblatt {

// Calls use(weight, offset), where weight(i) is number i of the planes x columns weights, and offset(k) that of plane
// k.
template <class Use>
[[gnu::always_inline]] inline void with_kept_weights(const State& s, const Use& use) {
  if (s.average_correction && s.averaged > 0.0)
    use([&s](const std::size_t i)
            __attribute__((always_inline)) { return (s.scale_sum * s.v[i] + s.average_correction[i]) / s.averaged; },
        [&s](const std::size_t k) __attribute__((always_inline)) { return s.offset_sum[k] / s.averaged; });
  else if (s.best && s.pocket_is_best())
    use([&s](const std::size_t i) __attribute__((always_inline)) { return s.best[i]; },
        [&s](const std::size_t k) __attribute__((always_inline)) { return s.best_offset[k]; });
  else if (s.unclipped)
    use([&s](const std::size_t i) __attribute__((always_inline)) { return s.scale * clipped_weight(s, i); },
        [&s](const std::size_t k) __attribute__((always_inline)) { return s.offset[k]; });
  else
    use([&s](const std::size_t i) __attribute__((always_inline)) { return s.scale * s.v[i]; },
        [&s](const std::size_t k) __attribute__((always_inline)) { return s.offset[k]; });
}

}  // namespace rosenblatt
