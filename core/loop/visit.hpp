// The training loop: visit rows in the given order and move the weights where the loss pushes. It is compiled for every
// kind of row, loss, class head and instruction set. Step and keep are chosen at run time: they cost only when w moves.
#pragma once

#include <atomic>

#include "loop/class_heads.hpp"
#include "loop/covariance.hpp"
#include "loop/l1_clip.hpp"
#include "loop/score_window.hpp"
#include "loop/state.hpp"
#include "parts/losses.hpp"
#include "parts/recipe.hpp"
#include "parts/steps.hpp"
#include "rows/dense_csr.hpp"
#include "rows/views.hpp"

namespace rosenblatt::ROSENBLATT_TARGET {

// Sets scale to 1: v becomes w, and `average_correction` the whole sum of the averaged weights. Rare, so not inlined.
[[gnu::noinline]] inline void fold(State& s) noexcept {
  const std::size_t size = s.size();
  if (s.average_correction)
    for (std::size_t i = 0; i < size; ++i) s.average_correction[i] += s.scale_sum * s.v[i];
  for (std::size_t i = 0; i < size; ++i)
    s.v[i] *= s.scale;  // states with activations have no penalty, so these stay valid
  if (s.unclipped)
    for (std::size_t i = 0; i < size; ++i) s.unclipped[i] *= s.scale;
  s.l1_sum *= s.scale;
  s.scale = 1.0;
  s.scale_sum = 0.0;
}

[[gnu::always_inline]] inline void shrink(State& s, const double factor, const bool offset_too) noexcept {
  s.scale *= factor;
  if (offset_too)
    for (std::size_t k = 0; k < s.planes; ++k) s.offset[k] *= factor;
  if (s.scale < 1e-9) fold(s);  // the first step of Pegasos makes it 0
}

// What the penalties ask of all weights at a visit with step eta.
[[gnu::always_inline]] inline void penalise(State& s, const Recipe& recipe, const double eta) noexcept {
  if (recipe.penalty != 0.0) shrink(s, 1.0 - eta * recipe.penalty, recipe.penalize_offset);
  if (s.unclipped) s.l1_sum += eta * recipe.l1 / s.scale;
}

inline void keep_best(State& s) noexcept {
  clip_all(s);
  for (std::size_t i = 0; i < s.size(); ++i) s.best[i] = s.scale * s.v[i];
  for (std::size_t k = 0; k < s.planes; ++k) s.best_offset[k] = s.offset[k];
}

template <class Terms>
[[gnu::always_inline]] inline void add_loss(State& s, const double weight, const Terms& terms) noexcept {
  s.loss_sum += weight * terms.value;
  if constexpr (requires { terms.factor; }) {
    if (weight == 1.0) s.loss_product *= terms.factor;
    else s.loss_sum += weight * log(terms.factor);
    if (s.loss_product < 0x1p512) return;
    s.loss_sum += log(s.loss_product);
    s.loss_product = 1.0;
  }
}

// Adds the weights after this visit to the average.
[[gnu::always_inline]] inline void count_in_average(State& s) noexcept {
  s.averaged += 1.0;
  s.scale_sum += s.scale;
  for (std::size_t k = 0; k < s.planes; ++k) s.offset_sum[k] += s.offset[k];
}

// Visits that do not move w and find no mistake.
[[gnu::always_inline]] inline void rest(State& s, const std::size_t visits, const bool average) noexcept {
  std::atomic_ref(s.visits).store(s.visits + visits, std::memory_order_relaxed);
  s.steps += visits;
  s.run += visits;
  if (average)
    for (std::size_t k = 0; k < visits; ++k) count_in_average(s);
}

template <class Row, class Head>
inline void move(const Row& x, const Head& head, const std::size_t row, const double full, const double push,
                 const double offset_value, State& s) noexcept {
  const double change = full * push, full_in_v = full / s.scale;
  head.move(row, [&](const std::size_t plane, const double sign) noexcept {
    const double in_v = sign * full_in_v * push;
    x.add_to(s.v + plane * s.columns, in_v);
    if (s.unclipped) x.add_to(s.unclipped + plane * s.columns, in_v);
    if constexpr (requires { x.update_activations(s, plane, in_v); }) x.update_activations(s, plane, in_v);
    if (s.average_correction && s.scale_sum != 0.0)
      x.add_to(s.average_correction + plane * s.columns, -s.scale_sum * in_v);
    s.offset[plane] += sign * change * offset_value;
  });
}

// Counts a move by `change` along a row with this margin and squared norm, and projects w into the unit ball.
inline void project(State& s, const double change, const double margin, const double norm) noexcept {
  s.squared_norm += 2.0 * change * margin + change * change * norm;
  if (s.squared_norm <= 1.0) return;
  shrink(s, 1.0 / __builtin_sqrt(s.squared_norm), true);
  s.squared_norm = 1.0;
}

inline double norm_of_weights(State& s) noexcept {
  clip_all(s);
  return s.scale * __builtin_sqrt(ROSENBLATT_TARGET::dot(s.v, s.v, s.size()));
}

// Which row to prefetch: one with each dot product and one with each move, up to `ahead` rows before their visits.
// Where moves have run ahead, a dot product prefetches no new row.
struct Prefetcher {
  const std::uint32_t* order;
  std::size_t listed, ahead, asked = ahead;

  std::size_t next(const std::size_t visit) noexcept {
    return order[asked < listed && asked <= visit + ahead ? asked++ : visit < listed ? visit : listed - 1];
  }
  // A row beyond those that are prefetched now.
  std::size_t far(const std::size_t visit) const noexcept {
    return order[visit + 2 * ahead < listed ? visit + 2 * ahead : listed - 1];
  }
};

// Returns how many of the `count` visits were made. There are fewer when the trace is full, when a margin overflows, or
// when the pocket needs a check of all rows before w moves (then s.phase is `check`, and the same row is visited again
// afterwards). `window` may hold margins computed before; it is null where there are none.
template <RowSource R, class L, class Head>
std::size_t visit(const R& rows, Head head, const LabelsView& labels, const Recipe& recipe, const std::uint32_t* order,
                  const std::size_t count, const std::size_t listed, double* scratch, Trace& trace, State& s,
                  ScoreWindow* window) noexcept {
  Prefetcher prefetcher{order, listed, rows.prefetch_distance()};
  const L loss{};
  const double offset_value = recipe.offset_value, margin_to_exceed = recipe.margin;
  const bool normalised = normalises(recipe.step), second_order = is_second_order(recipe.step);
  const bool penalised = recipe.is_penalised();
  const bool average = recipe.keep == Keep::average, best = recipe.keep == Keep::best;
  for (std::size_t v = 0; v < count; ++v) {
    if (window) {
      const std::size_t resting = window->count_resting(v, count);
      rest(s, resting, average);
      if ((v += resting) == count) break;
      window->count_exact();
    }
    const std::size_t i = order[v];
    prefetch_start(rows, prefetcher.far(v));
    auto x = rows.row(i, prefetcher.next(v), scratch);
    if constexpr (requires { x.for_each_column([](std::size_t) {}); })
      if (s.unclipped) clip_columns(x, s);
    const double margin = head.margin(x, i, s, offset_value);
    if (!(margin - margin == 0.0)) {  // NaN or infinity: the row is not finite, or w is too large
      s.overflow = true;
      return v;
    }
    const auto squared_norm = [&]() noexcept {
      if (second_order) return variance_of(x, head, i, recipe, s);
      return Head::norm_factor * (x.squared_norm() + offset_value * offset_value);
    };
    const auto next_update = [&]() noexcept { return static_cast<double>(s.updates + 1); };
    double norm = 0.0, required = margin_to_exceed;
    if (normalised) {
      norm = squared_norm();
      required = normalised_margin(recipe, norm, next_update());
    }
    const auto terms = loss_terms(loss, margin - required);
    const double push = terms.push;
    if (push != 0.0 && uses_row(recipe.step)) {
      if (!normalised) norm = squared_norm();
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
    std::atomic_ref(s.visits).store(s.visits + 1, std::memory_order_relaxed);  // ReadAhead reads it in another thread
    ++s.steps;
    double eta = 0.0;
    if (penalised) {
      eta = step_size(recipe, static_cast<double>(s.steps));
      penalise(s, recipe, eta);
    }
    if (push != 0.0) {
      const double weight = labels.weight(i);
      if (!penalised) eta = step_size(recipe, static_cast<double>(s.steps));
      add_loss(s, weight, terms);
      const double full = uses_row(recipe.step)
                              ? row_step_size(recipe, terms.value, norm, margin, next_update(), weight)
                              : eta * weight;  // does not wait for the push
      ++s.updates;
      ++s.pass_updates;
      if (window) window->count_move(v, margin, full * push);
      rows.set_upcoming(prefetcher.next(v + 1), x);
      if (second_order) move_with_covariance(x, head, i, recipe, full * push, norm, weight, s);
      else move(x, head, i, full, push, offset_value, s);
      if (normalised) project(s, full * push, margin, norm);
      if constexpr (requires { x.enforce_budget(s); }) x.enforce_budget(s);
      if (trace.lines)
        trace.lines[trace.size++] = {s.visits,          static_cast<std::int64_t>(i), head.rival, margin, full * push,
                                     norm_of_weights(s)};
    }
    if (average) count_in_average(s);
  }
  return count;
}

}  // namespace rosenblatt::ROSENBLATT_TARGET
