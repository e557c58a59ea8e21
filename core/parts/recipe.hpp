// The parts of a learner as plain values. Each list below is the only place in C++ that names its members: enum, count,
// names and dispatch tables are generated from it. The Python package numbers the members in the same order and saved
// states hold the numbers, so new members go to the end.
#pragma once

#include <cstddef>
#include <cstdint>

// LOSS(name, struct in losses.hpp)
#define ROSENBLATT_LOSSES(LOSS)         \
  LOSS(perceptron, PerceptronLoss)      \
  LOSS(hinge, HingeLoss)                \
  LOSS(squared_hinge, SquaredHingeLoss) \
  LOSS(logistic, LogisticLoss)          \
  LOSS(modified_huber, ModifiedHuberLoss)

// ORDER(name): orders.hpp lists the rows of an order, loop/advance.cpp runs it.
#define ROSENBLATT_ORDERS(ORDER) \
  ORDER(cyclic)                  \
  ORDER(shuffle_once)            \
  ORDER(shuffle)                 \
  ORDER(random_mistake)          \
  ORDER(working_set)             \
  ORDER(batch)

// STEP(name, eta): eta as an expression of the recipe `r` and the time t, a double that counts from 1.
// ROW_STEP(name, eta): eta depends on the row, by its `loss`, its squared `norm`, constant coordinate included, and
// `C`, the aggressiveness times the row's weight (Crammer et al. 2006; an empty row is not moved), or by `k`, the
// number of this update, and `weight` (Gentile 2001). Second-order steps take x.Sx for the norm and look at the margin
// `m`, for moves along Sx (Crammer et al. 2009; loop/covariance.hpp). steps.hpp compiles the expressions; exp and log
// are those of numerics/elementary.hpp, whose log1p is for arguments from 0 to 1.
#define ROSENBLATT_STEPS(STEP, ROW_STEP)                                         \
  STEP(constant, r.eta0)                                                         \
  STEP(inverse, r.eta0 / t)                                                      \
  STEP(inverse_sqrt, r.eta0 / __builtin_sqrt(t))                                 \
  STEP(pegasos, 1.0 / (r.penalty * t))                                           \
  ROW_STEP(pa, norm == 0.0 ? 0.0 : loss / norm)                                  \
  ROW_STEP(pa1, norm == 0.0 ? 0.0 : smaller(loss / norm, C))                     \
  ROW_STEP(pa2, loss / (norm + 0.5 / C))                                         \
  ROW_STEP(alma, norm == 0.0 ? 0.0 : weight * r.eta0 / __builtin_sqrt(k * norm)) \
  ROW_STEP(diagonal, (1.0 - m) / (norm + 0.5 / C))                               \
  ROW_STEP(full, (1.0 - m) / (norm + 0.5 / C))

// KEEP(name): which weights a learner returns. For `vote` a state holds the last; the trace has the others.
#define ROSENBLATT_KEEPS(KEEP) \
  KEEP(last)                   \
  KEEP(average)                \
  KEEP(best)                   \
  KEEP(vote)

namespace rosenblatt {

#define ROSENBLATT_ENUMERATOR(name, ...) name,
#define ROSENBLATT_ONE_MORE(...) +1
#define ROSENBLATT_NAME(name, ...) #name,

enum class Loss : std::uint8_t { ROSENBLATT_LOSSES(ROSENBLATT_ENUMERATOR) };
enum class Order : std::uint8_t { ROSENBLATT_ORDERS(ROSENBLATT_ENUMERATOR) };
enum class Step : std::uint8_t { ROSENBLATT_STEPS(ROSENBLATT_ENUMERATOR, ROSENBLATT_ENUMERATOR) };
enum class Keep : std::uint8_t { ROSENBLATT_KEEPS(ROSENBLATT_ENUMERATOR) };

inline constexpr std::size_t loss_count = ROSENBLATT_LOSSES(ROSENBLATT_ONE_MORE);
inline constexpr std::size_t order_count = ROSENBLATT_ORDERS(ROSENBLATT_ONE_MORE);
inline constexpr std::size_t step_count = ROSENBLATT_STEPS(ROSENBLATT_ONE_MORE, ROSENBLATT_ONE_MORE);
inline constexpr std::size_t keep_count = ROSENBLATT_KEEPS(ROSENBLATT_ONE_MORE);

inline constexpr const char* loss_names[] = {ROSENBLATT_LOSSES(ROSENBLATT_NAME)};
inline constexpr const char* order_names[] = {ROSENBLATT_ORDERS(ROSENBLATT_NAME)};
inline constexpr const char* step_names[] = {ROSENBLATT_STEPS(ROSENBLATT_NAME, ROSENBLATT_NAME)};
inline constexpr const char* keep_names[] = {ROSENBLATT_KEEPS(ROSENBLATT_NAME)};

#undef ROSENBLATT_NAME
#undef ROSENBLATT_ONE_MORE
#undef ROSENBLATT_ENUMERATOR

struct Recipe {
  Loss loss = Loss::perceptron;
  Order order = Order::cyclic;
  Step step = Step::constant;
  Keep keep = Keep::last;
  double eta0 = 1.0;  // the step, or the numerator of a decreasing one
  double aggressiveness = 1.0;  // C of the passive-aggressive steps
  double margin = 0.0;  // a row pushes as if its margin were smaller by this; of `alma`, by margin * ||x|| / sqrt(k)
  double penalty = 0.0;  // lambda: every visit multiplies w by 1 - eta * lambda
  double l1 = 0.0;  // every visit moves each weight towards 0 by eta * l1; loop/l1_clip.hpp has the rule
  double offset_value = 1.0;  // the constant coordinate; 0 means no offset
  bool penalize_offset = false;
  bool stream = false;  // rows are seen once, so the pocket cannot check all of them and trusts the runs

  bool is_penalised() const noexcept { return penalty != 0.0 || l1 != 0.0; }
};

}  // namespace rosenblatt
