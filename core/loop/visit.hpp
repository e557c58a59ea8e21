// The training loop: visit rows in the given order; move the weights where the loss pushes. It is compiled for every
// kind of row, loss and head, and for every instruction set; what costs only when w moves is chosen at run time.
#pragma once

#include <atomic>

#include "loop/class_heads.hpp"
#include "loop/state.hpp"
#include "parts/losses.hpp"
#include "parts/recipe.hpp"
#include "parts/steps.hpp"
#include "rows/dense_csr.hpp"
#include "rows/views.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// v becomes w, `banked` the whole sum of the averaged weights. Rare, and so no part of the loop.
[[gnu::noinline]] inline void fold(State& s) noexcept {
  const std::size_t size = s.size();
  if (s.banked)
    for (std::size_t i = 0; i < size; ++i) s.banked[i] += s.scale_sum * s.v[i];
  for (std::size_t i = 0; i < size; ++i) s.v[i] *= s.scale;  // of rows that remember v.x there is no penalty
  s.scale = 1.0;
  s.scale_sum = 0.0;
}

[[gnu::always_inline]] inline void shrink(State& s, const double factor, const bool offset_too) noexcept {
  s.scale *= factor;
  if (offset_too)
    for (std::size_t k = 0; k < s.planes; ++k) s.offset[k] *= factor;
  if (s.scale < 1e-9) fold(s);            // also where Pegasos' first step makes it 0
}

inline void keep_best(State& s) noexcept {
  for (std::size_t i = 0; i < s.size(); ++i) s.best[i] = s.scale * s.v[i];
  for (std::size_t k = 0; k < s.planes; ++k) s.best_offset[k] = s.offset[k];
}

template <class Felt>
[[gnu::always_inline]] inline void add_loss(State& s, const double weight, const Felt& felt) noexcept {
  s.loss_sum += weight * felt.value;
  if constexpr (requires { felt.factor; }) {
    if (weight == 1.0) s.loss_product *= felt.factor;
    else s.loss_sum += weight * log(felt.factor);
    if (s.loss_product < 0x1p512) return;
    s.loss_sum += log(s.loss_product);
    s.loss_product = 1.0;
  }
}

// Count this visit's weights into the average.
[[gnu::always_inline]] inline void count_in_average(State& s) noexcept {
  s.averaged += 1.0;
  s.scale_sum += s.scale;
  for (std::size_t k = 0; k < s.planes; ++k) s.offset_sum[k] += s.offset[k];
}

template <class Row, class Head>
inline void move(const Row& x, const Head& head, const std::size_t row, const double full, const double push,
                 const double offset_value, State& s) noexcept {
  const double change = full * push, full_in_v = full / s.scale;
  head.move(row, [&](const std::size_t plane, const double sign) noexcept {
    const double in_v = sign * full_in_v * push;
    x.add_to(s.v + plane * s.columns, in_v);
    if constexpr (requires { x.remember(s, plane, in_v); }) x.remember(s, plane, in_v);
    if (s.banked && s.scale_sum != 0.0) x.add_to(s.banked + plane * s.columns, -s.scale_sum * in_v);
    s.offset[plane] += sign * change * offset_value;
  });
}

inline double norm_of(const State& s) noexcept {
  return s.scale * __builtin_sqrt(ROSENBLATT_TARGET::dot(s.v, s.v, s.size()));
}

// Which row to ask for next: one with each dot product and with each move, up to `ahead` rows before their visits.
// Where moves have run ahead, a dot product asks for nothing new.
struct Window {
  const std::uint32_t* order;
  std::size_t listed, ahead, asked = ahead;

  std::size_t next(const std::size_t visit) noexcept {
    return order[asked < listed && asked <= visit + ahead ? asked++ : visit < listed ? visit : listed - 1];
  }
};

// Returns how many of the `count` visits were made: fewer when the trace is full, when a margin overflows, or when the
// pocket wants all rows checked before w moves on (s.phase says so, and the same row is visited again afterwards).
template <RowSource R, class L, class Head>
std::size_t visit(const R& rows, Head head, const LabelsView& labels, const Recipe& recipe, const std::uint32_t* order,
                  const std::size_t count, const std::size_t listed, double* scratch, Trace& trace, State& s) noexcept {
  Window window{order, listed, rows.ahead()};
  const L loss{};
  const double offset_value = recipe.offset_value;
  const bool average = recipe.keep == Keep::average, best = recipe.keep == Keep::best;
  for (std::size_t v = 0; v < count; ++v) {
    const std::size_t i = order[v];
    auto x = rows.row(i, window.next(v), scratch);
    const double margin = head.margin(x, i, s, offset_value);
    if (!(margin - margin == 0.0)) {  // NaN or infinity, from the row or from too large a w
      s.overflow = true;
      return v;
    }
    const auto felt = loss.felt(margin);
    const double push = felt.push;
    double norm = 0.0;
    if (push != 0.0 && looks_at_row(recipe.step)) {
      norm = Head::norm_factor * (x.squared_norm() + offset_value * offset_value);
      if (!(norm - norm == 0.0)) {
        s.overflow = true;
        return v;
      }
    }
    if (margin <= 0.0) {
      if (best && s.run > s.bar) {  // Gallant's ratchet
        if (!recipe.stream) {
          s.phase = Phase::check;
          return v;
        }
        keep_best(s);
        s.bar = s.run;
      }
      if (trace.full()) return v;
      ++s.mistakes;
      s.mistake_weight += labels.weight(i);
      ++s.pass_mistakes;
      s.run = 0;
    } else {
      if (push != 0.0 && trace.full()) return v;
      ++s.run;
    }
    std::atomic_ref(s.visits).store(s.visits + 1, std::memory_order_relaxed);  // a thread that reads ahead looks at it
    ++s.steps;
    double eta = 0.0;
    if (recipe.penalty != 0.0) {
      eta = step_size(recipe, static_cast<double>(s.steps));
      shrink(s, 1.0 - eta * recipe.penalty, recipe.penalize_offset);
    }
    if (push != 0.0) {
      const double weight = labels.weight(i);
      if (looks_at_row(recipe.step)) eta = passive_aggressive(recipe, felt.value, norm);
      else if (recipe.penalty == 0.0) eta = step_size(recipe, static_cast<double>(s.steps));
      add_loss(s, weight, felt);
      const double full = eta * weight;  // known before the push is
      ++s.updates;
      ++s.pass_updates;
      rows.expect(window.next(v + 1), x);
      move(x, head, i, full, push, offset_value, s);
      if constexpr (requires { x.trim(s); }) x.trim(s);
      if (trace.lines)
        trace.lines[trace.size++] = {s.visits,  static_cast<std::int64_t>(i), head.rival, margin, full * push,
                                     norm_of(s)};
    }
    if (average) count_in_average(s);
  }
  return count;
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
