// Value, push and curvature of a loss at many scores. The loop has no branches, so compilers vectorize it.
#pragma once

#include <algorithm>

#include "numerics/fixed_sums.hpp"
#include "parts/losses.hpp"
#include "rows/views.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

template <class L>
double loss_derivatives(const LabelsView& labels, const double* __restrict scores, const std::size_t begin,
                        const std::size_t end, double* __restrict pull, double* __restrict curvature) noexcept {
  constexpr std::size_t most = 256;
  const L loss{};
  double total = 0.0;
  for (std::size_t from = begin; from < end; from += most) {
    const std::size_t count = std::min(most, end - from);
    const std::int8_t* __restrict signs = labels.signs + from;
    const double* __restrict s = scores + from;
    double* __restrict p = pull + from;
    double* __restrict c = curvature + from;
    double value[most], ones[most];
    for (std::size_t i = 0; i < count; ++i) {
      const double sign = signs[i], margin = sign * s[i];
      value[i] = loss.value(margin);
      p[i] = sign * loss.push(margin);
      c[i] = loss_curvature(loss, margin);
    }
    const double* weights = labels.weights ? labels.weights + from : ones;
    if (labels.weights) {
      for (std::size_t i = 0; i < count; ++i) {
        p[i] *= weights[i];
        c[i] *= weights[i];
      }
    } else {
      std::fill(ones, ones + count, 1.0);
    }
    total += ROSENBLATT_TARGET::dot(value, weights, count);
  }
  return total;
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
