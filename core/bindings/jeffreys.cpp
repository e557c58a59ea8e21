// Newton's method with Jeffreys' penalty.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/plane_arrays.hpp"
#include "solvers/jeffreys_newton.hpp"
#include "solvers/jeffreys_profile.hpp"
#include "system/parallel.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

JeffreysObjective objective_of(const PyProblem& p, const double largest, const double least_pivot) {
  if (!p.labels.signs) throw std::invalid_argument("this objective is that of two classes");
  return {*p.functions, p.rows, p.labels, p.recipe.offset_value, largest, least_pivot, p.threads};
}

std::vector<std::size_t> checked_places(const Vector<std::int64_t>& held, const std::size_t size) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < held.shape(0); ++k) {
    if (held.data()[k] < 0 || static_cast<std::size_t>(held.data()[k]) >= size)
      throw std::invalid_argument("a held coordinate does not exist");
    places.push_back(static_cast<std::size_t>(held.data()[k]));
  }
  return places;
}

// A point in two matrices: scores, pull, curvature and share of all rows; and z, its gradient, and the lines of L^-1.
JeffreysPoint point_in(const JeffreysObjective& objective, const MutableMatrix& of_rows,
                       const MutableMatrix& of_weights, const double value) {
  const std::size_t rows = objective.rows.count, size = objective.size();
  check_length(of_rows.shape(0), 4);
  check_length(of_rows.shape(1), rows);
  check_length(of_weights.shape(0), size + 2);
  check_length(of_weights.shape(1), size);
  double *const r = of_rows.data(), *const w = of_weights.data();
  return {w, w + size, r, r + rows, r + 2 * rows, r + 3 * rows, w + 2 * size, value};
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

// Fills everything but z, from z. Returns the sum of the losses and the information's log determinant.
std::pair<double, double> py_jeffreys_at(const PyProblem& p, const double least_pivot, const MutableMatrix& of_rows,
                                         const MutableMatrix& of_weights) {
  const JeffreysObjective objective = objective_of(p, 0.0, least_pivot);
  JeffreysPoint point = point_in(objective, of_rows, of_weights, 0.0);
  nb::gil_scoped_release release;
  const JeffreysTerms terms = evaluate(objective, point);
  return {terms.loss, terms.log_determinant};
}

// Fills a point from another one, of which steps need only some numbers. Returns the number of steps, the objective,
// and what it can still fall. Without a step nothing is filled.
std::tuple<std::size_t, double, double> py_jeffreys_steps(
    const PyProblem& p, const double largest, const double least_pivot, const Vector<std::int64_t>& held,
    const double gradient_norm, const double relative_fall, const std::size_t look_after, const double look_above,
    const double value, const Vector<double>& z, const Vector<double>& gradient, const Vector<double>& curvature,
    const Matrix<double>& inverse, const MutableMatrix& of_rows, const MutableMatrix& of_weights,
    const MutableMatrix& trace) {
  const JeffreysObjective objective = objective_of(p, largest, least_pivot);
  const std::size_t size = objective.size(), rows = p.rows.count, steps = trace.shape(1);
  const std::vector<std::size_t> places = checked_places(held, size);
  for (const std::size_t length : {z.shape(0), gradient.shape(0), inverse.shape(0), inverse.shape(1)})
    check_length(length, size);
  check_length(curvature.shape(0), rows);
  check_length(trace.shape(0), 3);
  const JeffreysPoint filled = point_in(objective, of_rows, of_weights, value);
  nb::gil_scoped_release release;
  OwnPoint own(rows, size);
  own.point.value = value;
  std::copy(z.data(), z.data() + size, own.point.z);
  std::copy(gradient.data(), gradient.data() + size, own.point.gradient);
  std::copy(curvature.data(), curvature.data() + rows, own.point.curvature);
  std::copy(inverse.data(), inverse.data() + size * size, own.point.inverse);
  JeffreysPoint point = own.point, spare = filled;
  NewtonTrace lines{trace.data(), trace.data() + steps, trace.data() + 2 * steps,
                    std::numeric_limits<double>::infinity()};
  const NewtonLimits limits{places.data(), places.size(), gradient_norm, relative_fall, steps, look_after, look_above};
  const std::size_t taken = take_newton_steps(objective, limits, point, spare, lines);
  if (taken > 0 && point.z != filled.z) copy_point(point, rows, size, filled);
  return {taken, point.value, lines.to_fall};
}

// One line for each of the places: the ends of its interval, and the least objective without it; NaN where steps do not
// converge. Returns the number of evaluations, too.
std::pair<nb::ndarray<nb::numpy, double>, std::size_t> py_jeffreys_profiles(
    const PyProblem& p, const double largest, const double least_pivot, const double value, const Vector<double>& z,
    const Vector<double>& gradient, const Matrix<double>& inverse, const Vector<std::int64_t>& places,
    const double target, const double value_at_zero, const double level_tol, const double to_fall,
    const std::size_t steps, const std::size_t threads) {
  const JeffreysObjective objective = objective_of(p, largest, least_pivot);
  const std::size_t size = objective.size();
  for (const std::size_t length : {z.shape(0), gradient.shape(0), inverse.shape(0), inverse.shape(1)})
    check_length(length, size);
  const std::vector<std::size_t> chosen = checked_places(places, size);
  std::vector<double> found(3 * chosen.size());
  std::size_t evaluations = 0;
  {
    nb::gil_scoped_release release;
    OwnPoint best(0, size);
    std::copy(z.data(), z.data() + size, best.point.z);
    std::copy(gradient.data(), gradient.data() + size, best.point.gradient);
    std::copy(inverse.data(), inverse.data() + size * size, best.point.inverse);
    best.point.value = value;
    const ProfileLimits limits{target, value_at_zero, level_tol, to_fall, steps};
    std::vector<std::size_t> counts(chosen.size());
    parallel_rethrow(threads, chosen.size(), [&](const std::size_t k) {
      const Profile profile = find_profile(objective, best.point, chosen[k], limits);
      found[3 * k] = profile.lower;
      found[3 * k + 1] = profile.upper;
      found[3 * k + 2] = profile.value_without;
      counts[k] = profile.evaluations;
    });
    for (const std::size_t count : counts) evaluations += count;
  }
  return {to_numpy(std::move(found), {chosen.size(), 3}), evaluations};
}

}  // namespace

void bind_jeffreys(nb::module_& m) {
  m.def("jeffreys_at", &py_jeffreys_at, nb::arg("problem"), nb::arg("least_pivot"), nb::arg("of_rows"),
        nb::arg("of_weights"));
  m.def("jeffreys_steps", &py_jeffreys_steps, nb::arg("problem"), nb::arg("largest_log_determinant"),
        nb::arg("least_pivot"), nb::arg("held"), nb::arg("gradient_norm"), nb::arg("relative_fall"),
        nb::arg("look_after"), nb::arg("look_above"), nb::arg("value"), nb::arg("z"), nb::arg("gradient"),
        nb::arg("curvature"), nb::arg("inverse"), nb::arg("of_rows"), nb::arg("of_weights"), nb::arg("trace"));
  m.def("jeffreys_profiles", &py_jeffreys_profiles, nb::arg("problem"), nb::arg("largest_log_determinant"),
        nb::arg("least_pivot"), nb::arg("value"), nb::arg("z"), nb::arg("gradient"), nb::arg("inverse"),
        nb::arg("places"), nb::arg("target"), nb::arg("value_at_zero"), nb::arg("level_tol"), nb::arg("to_fall"),
        nb::arg("steps"), nb::arg("threads"));
}

}  // namespace rosenblatt
