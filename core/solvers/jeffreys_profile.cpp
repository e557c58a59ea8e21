#include "solvers/jeffreys_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#define ROSENBLATT_TARGET common
#include "numerics/fixed_sums.hpp"

namespace rosenblatt {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr double max_extrapolation = 2.0;  // of a profile, in distances from the minimum to the end that is known

// A profile as its minimum and its lower end show it. At the distance t from the minimum the weights are best + v t +
// c t^2, and the objective has risen by a t^2 + b t^3. Height and slope of the lower end give a and b; where the
// weights are there, and how the information says that they turn, give v and c.
struct ProfileCurve {
  double known = 0.0;  // the distance of the lower end, below 0; 0 where there is no curve
  double a, b;
  std::vector<double> v, c;

  bool reaches(const double t) const { return std::fabs(t) <= -max_extrapolation * known; }

  // Where the curve has risen so much above the minimum; 0 where it does not.
  double upper_end(const double rise) const {
    if (!(known < 0.0 && a > 0.0)) return 0.0;
    double t = std::sqrt(rise / a);
    for (int round = 0; round < 8; ++round) t -= (t * t * (a + b * t) - rise) / (t * (2.0 * a + 3.0 * b * t));
    return std::fabs(t * t * (a + b * t) - rise) <= 1e-3 * rise && reaches(t) ? t : 0.0;
  }
};

// One search after the other from the same minimum, in the same memory.
class ProfileSearch {
 public:
  ProfileSearch(const JeffreysObjective& objective, const JeffreysPoint& best, const std::size_t place,
                const ProfileLimits& limits)
      : objective_(objective),
        best_(best),
        place_(place),
        limits_(limits),
        size_(objective.size()),
        own_(objective.rows.count, size_),
        spare_(objective.rows.count, size_),
        unit_(size_, 0.0),
        along_(size_),
        towards_(size_),
        others_(size_),
        product_(size_) {
    unit_[place] = 1.0;
  }

  double lower_end() {
    const double end = search_end(start_at_best(), -1.0);
    if (end < best_.z[place_]) draw_curve(own_.point);
    return end;
  }

  // Begins where the curve ends, if there is one.
  double upper_end() {
    JeffreysPoint& point = start_at_best();
    const double t = curve_.upper_end(limits_.target - best_.value);
    if (t > 0.0) start_on_curve(t, point);
    return search_end(point, 1.0);
  }

  // The least objective where the coefficient is 0, from where the curve or the quadratic model has it.
  double value_without() {
    JeffreysPoint& point = start_at_best();
    if (curve_.reaches(-best_.z[place_])) start_on_curve(-best_.z[place_], point);
    else start_on_line(-best_.z[place_], point);
    if (!(point.value <= limits_.value_at_zero)) return nan;
    point.gradient[place_] = 0.0;
    std::vector<double> lines(3 * limits_.steps);
    NewtonTrace trace{lines.data(), lines.data() + limits_.steps, lines.data() + 2 * limits_.steps, HUGE_VAL};
    const NewtonLimits limits{&place_, 1, HUGE_VAL, limits_.to_fall / point.value, limits_.steps, 0, 0.0};
    const std::size_t steps = take_newton_steps(objective_, limits, point, spare_.point, trace);
    for (std::size_t step = 0; step < steps; ++step) evaluations_ += static_cast<std::size_t>(trace.evaluations[step]);
    return trace.to_fall <= limits_.to_fall ? point.value : nan;
  }

  std::size_t evaluations() const { return evaluations_; }

 private:
  // The coordinate on this side where the objective is at its target and minimal in all others. A step solves
  // A d = -(gradient + multiplier unit), where the multiplier brings the quadratic model to the target.
  double search_end(JeffreysPoint& point, const double side) {
    for (std::size_t step = 0; step < limits_.steps; ++step) {
      multiply_by_inverse(point.inverse, point.gradient, size_, along_.data());
      multiply_by_inverse(point.inverse, unit_.data(), size_, towards_.data());
      const double variance = towards_[place_], missing = limits_.target - point.value;
      if (!(variance > 0.0)) return nan;
      if (std::fabs(missing) <= limits_.level && left_of_others(point, variance) <= limits_.to_fall)
        return point.z[place_];
      const double square = (2.0 * missing + dot(point.gradient, along_.data())) / variance;
      if (!(square >= 0.0)) return nan;
      const double length = side * std::sqrt(square);
      for (std::size_t j = 0; j < size_; ++j) point.z[j] += length * towards_[j] - along_[j];
      if (!look_at(point)) return nan;
    }
    return nan;
  }

  // Returns whether the objective is finite.
  bool look_at(JeffreysPoint& point) {
    evaluate(objective_, point);
    ++evaluations_;
    return std::isfinite(point.value);
  }

  JeffreysPoint& start_at_best() {
    JeffreysPoint& point = own_.point;
    std::copy(best_.z, best_.z + size_, point.z);
    std::copy(best_.gradient, best_.gradient + size_, point.gradient);
    std::copy(best_.inverse, best_.inverse + size_ * size_, point.inverse);
    point.value = best_.value;
    return point;
  }

  void start_on_line(const double t, JeffreysPoint& point) {
    multiply_by_inverse(best_.inverse, unit_.data(), size_, towards_.data());
    for (std::size_t j = 0; j < size_; ++j) point.z[j] = best_.z[j] + t / towards_[place_] * towards_[j];
    point.z[place_] = best_.z[place_] + t;
    look_at(point);
  }

  void start_on_curve(const double t, JeffreysPoint& point) {
    for (std::size_t j = 0; j < size_; ++j) point.z[j] = best_.z[j] + t * (curve_.v[j] + t * curve_.c[j]);
    point.z[place_] = best_.z[place_] + t;
    look_at(point);
  }

  // `towards_` is that of the lower end.
  void draw_curve(const JeffreysPoint& end) {
    const double t = end.z[place_] - best_.z[place_], rise = end.value - best_.value, slope = end.gradient[place_];
    curve_ = {t, (3.0 * rise - slope * t) / (t * t), (slope * t - 2.0 * rise) / (t * t * t), std::vector<double>(size_),
              std::vector<double>(size_)};
    multiply_by_inverse(best_.inverse, unit_.data(), size_, along_.data());
    for (std::size_t j = 0; j < size_; ++j) {
      curve_.c[j] = (towards_[j] / towards_[place_] - along_[j] / along_[place_]) / (2.0 * t);
      curve_.v[j] = (end.z[j] - best_.z[j]) / t - curve_.c[j] * t;
    }
  }

  // What the objective can still fall while the coordinate stays: its score is profiled out of the others'.
  double left_of_others(const JeffreysPoint& point, const double variance) {
    others_.assign(point.gradient, point.gradient + size_);
    others_[place_] -= along_[place_] / variance;
    multiply_by_inverse(point.inverse, others_.data(), size_, product_.data());
    return 0.5 * dot(others_.data(), product_.data());
  }

  double dot(const double* a, const double* b) const { return common::dot(a, b, size_); }

  const JeffreysObjective& objective_;
  const JeffreysPoint& best_;
  std::size_t place_;
  const ProfileLimits& limits_;
  std::size_t size_, evaluations_ = 0;
  OwnPoint own_, spare_;
  ProfileCurve curve_;
  std::vector<double> unit_, along_, towards_, others_, product_;
};

}  // namespace

Profile find_profile(const JeffreysObjective& objective, const JeffreysPoint& best, const std::size_t place,
                     const ProfileLimits& limits) {
  ProfileSearch search(objective, best, place, limits);
  const double lower = search.lower_end(), upper = search.upper_end(), without = search.value_without();
  return {lower, upper, without, search.evaluations()};
}

}  // namespace rosenblatt
