// Newton's method with Jeffreys' penalty.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/plane_arrays.hpp"
#include "solvers/jeffreys_newton.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

JeffreysObjective objective_of(const PyProblem& p, const double largest, const double least_pivot) {
  if (!p.labels.signs) throw std::invalid_argument("this objective is that of two classes");
  return {*p.functions, p.rows, p.labels, p.recipe.offset_value, largest, least_pivot, p.threads};
}

// The memory of a point.
struct OwnPoint {
  std::vector<double> numbers;
  JeffreysPoint point;

  OwnPoint(const std::size_t rows, const std::size_t size) : numbers(4 * rows + 2 * size + size * size) {
    double* const first = numbers.data();
    double* const of_rows = first + 2 * size;
    point = {first,
             first + size,
             of_rows,
             of_rows + rows,
             of_rows + 2 * rows,
             of_rows + 3 * rows,
             of_rows + 4 * rows,
             std::numeric_limits<double>::quiet_NaN()};
  }
};

std::vector<std::size_t> checked_places(const Vector<std::int64_t>& held, const std::size_t size) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < held.shape(0); ++k) {
    if (held.data()[k] < 0 || static_cast<std::size_t>(held.data()[k]) >= size)
      throw std::invalid_argument("a held coordinate does not exist");
    places.push_back(static_cast<std::size_t>(held.data()[k]));
  }
  return places;
}

void copy_point(const JeffreysPoint& from, const std::size_t rows, const std::size_t size, const JeffreysPoint& to) {
  std::copy(from.z, from.z + size, to.z);
  std::copy(from.gradient, from.gradient + size, to.gradient);
  std::copy(from.scores, from.scores + rows, to.scores);
  std::copy(from.pull, from.pull + rows, to.pull);
  std::copy(from.curvature, from.curvature + rows, to.curvature);
  std::copy(from.share, from.share + rows, to.share);
  std::copy(from.inverse, from.inverse + size * size, to.inverse);
}

// Moves the point. Returns the number of steps, the objective, and what it can still fall.
std::tuple<std::size_t, double, double> py_jeffreys_steps(
    const PyProblem& p, const double largest, const double least_pivot, const Vector<std::int64_t>& held,
    const double gradient_norm, const double relative_fall, const std::size_t look_after, const double look_above,
    const double value, MutableVector z, MutableVector gradient, MutableVector scores, MutableVector pull,
    MutableVector curvature, MutableVector share, MutableMatrix inverse, MutableMatrix trace) {
  const JeffreysObjective objective = objective_of(p, largest, least_pivot);
  const std::size_t size = objective.size(), rows = p.rows.count, steps = trace.shape(1);
  const std::vector<std::size_t> places = checked_places(held, size);
  for (const std::size_t length : {scores.shape(0), pull.shape(0), curvature.shape(0), share.shape(0)})
    check_length(length, rows);
  for (const std::size_t length : {z.shape(0), gradient.shape(0), inverse.shape(0), inverse.shape(1)})
    check_length(length, size);
  check_length(trace.shape(0), 3);
  nb::gil_scoped_release release;
  const JeffreysPoint given{z.data(),         gradient.data(), scores.data(),  pull.data(),
                            curvature.data(), share.data(),    inverse.data(), value};
  OwnPoint own(rows, size);
  JeffreysPoint point = given, spare = own.point;
  NewtonTrace lines{trace.data(), trace.data() + steps, trace.data() + 2 * steps,
                    std::numeric_limits<double>::infinity()};
  const NewtonLimits limits{places.data(), places.size(), gradient_norm, relative_fall, steps, look_after, look_above};
  const std::size_t taken = take_newton_steps(objective, limits, point, spare, lines);
  if (point.z != given.z) copy_point(point, rows, size, given);
  return {taken, point.value, lines.to_fall};
}

// Returns the end, or NaN where the steps do not converge, and the number of evaluations.
std::tuple<double, std::size_t> py_jeffreys_profile_end(const PyProblem& p, const double largest,
                                                        const double least_pivot, const double value,
                                                        const Vector<double>& z, const Vector<double>& gradient,
                                                        const Matrix<double>& inverse, const std::size_t place,
                                                        const double side, const double target, const double level_tol,
                                                        const double score_tol, const std::size_t steps) {
  const JeffreysObjective objective = objective_of(p, largest, least_pivot);
  const std::size_t size = objective.size();
  for (const std::size_t length : {z.shape(0), gradient.shape(0), inverse.shape(0), inverse.shape(1)})
    check_length(length, size);
  if (place >= size) throw std::invalid_argument("this coordinate does not exist");
  nb::gil_scoped_release release;
  OwnPoint own(p.rows.count, size);
  JeffreysPoint& point = own.point;
  std::copy(z.data(), z.data() + size, point.z);
  std::copy(gradient.data(), gradient.data() + size, point.gradient);
  std::copy(inverse.data(), inverse.data() + size * size, point.inverse);
  point.value = value;
  std::size_t evaluations = 0;
  const bool found =
      find_profile_end(objective, point, place, side, target, {level_tol, score_tol, steps}, evaluations);
  return {found ? point.z[place] : std::numeric_limits<double>::quiet_NaN(), evaluations};
}

}  // namespace

void bind_jeffreys(nb::module_& m) {
  m.def("jeffreys_steps", &py_jeffreys_steps, nb::arg("problem"), nb::arg("largest_log_determinant"),
        nb::arg("least_pivot"), nb::arg("held"), nb::arg("gradient_norm"), nb::arg("relative_fall"),
        nb::arg("look_after"), nb::arg("look_above"), nb::arg("value"), nb::arg("z"), nb::arg("gradient"),
        nb::arg("scores"), nb::arg("pull"), nb::arg("curvature"), nb::arg("share"), nb::arg("inverse"),
        nb::arg("trace"));
  m.def("jeffreys_profile_end", &py_jeffreys_profile_end, nb::arg("problem"), nb::arg("largest_log_determinant"),
        nb::arg("least_pivot"), nb::arg("value"), nb::arg("z"), nb::arg("gradient"), nb::arg("inverse"),
        nb::arg("place"), nb::arg("side"), nb::arg("target"), nb::arg("level_tol"), nb::arg("score_tol"),
        nb::arg("steps"));
}

}  // namespace rosenblatt
