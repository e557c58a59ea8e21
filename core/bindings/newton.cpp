// The building blocks of Newton's method.
#include "solvers/newton.hpp"

#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "solvers/joint_hinge.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

void check_length(const std::size_t length, const std::size_t expected) {
  if (length != expected) throw std::invalid_argument("an array has another length than the rows or columns");
}

// The number of planes of an array with one number per row and plane.
std::size_t planes_in(const PyProblem& p, const std::size_t length) {
  const std::size_t planes = p.rows.count ? length / p.rows.count : 1;
  if (planes == 0 || (p.labels.signs && planes != 1)) throw std::invalid_argument("an array has the wrong planes");
  check_length(length, planes * p.rows.count);
  if (p.labels.codes)
    for (std::size_t i = 0; i < p.rows.count; ++i)
      if (static_cast<std::size_t>(p.labels.codes[i]) >= planes) throw std::invalid_argument("a class has no plane");
  return planes;
}

double py_loss_derivatives(const PyProblem& p, const Vector<double>& scores, MutableVector pull,
                           MutableVector curvature) {
  const std::size_t planes = planes_in(p, scores.shape(0));
  for (const std::size_t length : {pull.shape(0), curvature.shape(0)}) check_length(length, scores.shape(0));
  nb::gil_scoped_release release;
  return loss_derivatives(*p.functions, p.labels, p.recipe.loss, scores.data(), p.rows.count, planes, p.threads,
                          pull.data(), curvature.data());
}

void py_transpose_product(const PyProblem& p, const Vector<double>& change, MutableVector out) {
  const std::size_t planes = planes_in(p, change.shape(0));
  check_length(out.shape(0), planes * (p.rows.columns + 1));
  nb::gil_scoped_release release;
  transpose_product(*p.functions, p.rows, change.data(), planes, p.recipe.offset_value, p.threads, out.data());
}

void py_hessian_product(const PyProblem& p, const Vector<double>& curvature, const Vector<double>& direction,
                        MutableVector along, MutableVector out) {
  const std::size_t planes = planes_in(p, curvature.shape(0));
  check_length(along.shape(0), curvature.shape(0));
  for (const std::size_t length : {direction.shape(0), out.shape(0)})
    check_length(length, planes * (p.rows.columns + 1));
  nb::gil_scoped_release release;
  hessian_product(*p.functions, p.rows, p.labels, p.recipe.loss, curvature.data(), direction.data(), planes,
                  p.recipe.offset_value, p.threads, along.data(), out.data());
}

void py_hessian_diagonal(const PyProblem& p, const Vector<double>& curvature, MutableVector out) {
  check_length(curvature.shape(0), p.rows.count);
  check_length(out.shape(0), p.rows.columns + 1);
  nb::gil_scoped_release release;
  compute_hessian_diagonal(p.rows, curvature.data(), p.recipe.offset_value, out.data());
}

void py_hessian(const PyProblem& p, const Vector<double>& curvature, std::optional<Vector<std::uint32_t>> list,
                MutableMatrix out) {
  const Selection all{0, list ? list->shape(0) : p.rows.count, list ? list->data() : nullptr};
  check_length(curvature.shape(0), all.size());
  check_length(out.shape(0), p.rows.columns + 1);
  check_length(out.shape(1), p.rows.columns + 1);
  for (std::size_t k = 0; list && k < list->shape(0); ++k)
    if (list->data()[k] >= p.rows.count) throw std::invalid_argument("a row number lies outside the rows");
  nb::gil_scoped_release release;
  compute_hessian(*p.functions, p.rows, all, curvature.data(), p.recipe.offset_value, p.threads, out.data());
}

double py_smoothed_joint_hinge(const PyProblem& p, const Vector<double>& scores, const Vector<double>& centres,
                               const double sharpness, MutableVector pull, MutableVector shares) {
  const std::size_t planes = planes_in(p, scores.shape(0));
  if (!p.labels.codes) throw std::invalid_argument("the joint hinge is of several classes");
  for (const std::size_t length : {centres.shape(0), pull.shape(0), shares.shape(0)})
    check_length(length, scores.shape(0));
  nb::gil_scoped_release release;
  return smoothed_joint_hinge(p.labels, scores.data(), centres.data(), sharpness, p.rows.count, planes, p.threads,
                              pull.data(), shares.data());
}

void py_joint_hinge_hessian(const PyProblem& p, const Vector<double>& shares, MutableMatrix out) {
  const std::size_t planes = planes_in(p, shares.shape(0));
  for (const std::size_t length : {out.shape(0), out.shape(1)}) check_length(length, planes * (p.rows.columns + 1));
  nb::gil_scoped_release release;
  joint_hinge_hessian(*p.functions, p.rows, p.labels, shares.data(), planes, p.recipe.offset_value, p.threads,
                      out.data());
}

double py_descend_joint_hinge(const PyProblem& p, const double C, const Vector<std::uint32_t>& list, MutableVector z,
                              MutableVector shares, MutableVector violation) {
  const std::size_t planes = planes_in(p, shares.shape(0));
  if (!p.labels.codes) throw std::invalid_argument("the joint hinge is of several classes");
  check_length(z.shape(0), planes * (p.rows.columns + 1));
  check_length(violation.shape(0), list.shape(0));
  for (std::size_t k = 0; k < list.shape(0); ++k)
    if (list.data()[k] >= p.rows.count) throw std::invalid_argument("a row number lies outside the rows");
  nb::gil_scoped_release release;
  return descend_joint_hinge(*p.functions, p.rows, p.labels, C, list.data(), list.shape(0), planes,
                             p.recipe.offset_value, z.data(), shares.data(), violation.data());
}

void py_add_scaled(const Vector<double>& scores, const double step, const Vector<double>& along,
                   const std::size_t threads, MutableVector out) {
  for (const std::size_t length : {along.shape(0), out.shape(0)}) check_length(length, scores.shape(0));
  nb::gil_scoped_release release;
  add_scaled(scores.data(), step, along.data(), scores.shape(0), threads, out.data());
}

double py_least_ratio(const Vector<double>& now, const Vector<double>& before, const std::size_t threads) {
  check_length(now.shape(0), before.shape(0));
  nb::gil_scoped_release release;
  return least_ratio(now.data(), before.data(), now.shape(0), threads);
}

}  // namespace

void bind_newton(nb::module_& m) {
  m.def("slopes", &py_loss_derivatives, nb::arg("problem"), nb::arg("scores"), nb::arg("pull"), nb::arg("curvature"));
  m.def("pull_together", &py_transpose_product, nb::arg("problem"), nb::arg("change"), nb::arg("out"));
  m.def("curve", &py_hessian_product, nb::arg("problem"), nb::arg("curvature"), nb::arg("direction"), nb::arg("along"),
        nb::arg("out"));
  m.def("hessian_diagonal", &py_hessian_diagonal, nb::arg("problem"), nb::arg("curvature"), nb::arg("out"));
  m.def("hessian", &py_hessian, nb::arg("problem"), nb::arg("curvature"), nb::arg("list").none(), nb::arg("out"));
  m.def("joint_hinge", &py_smoothed_joint_hinge, nb::arg("problem"), nb::arg("scores"), nb::arg("centres"),
        nb::arg("sharpness"), nb::arg("pull"), nb::arg("shares"));
  m.def("joint_hinge_descent", &py_descend_joint_hinge, nb::arg("problem"), nb::arg("C"), nb::arg("list"), nb::arg("z"),
        nb::arg("shares"), nb::arg("violation"));
  m.def("joint_hinge_hessian", &py_joint_hinge_hessian, nb::arg("problem"), nb::arg("shares"), nb::arg("out"));
  m.def(
      "factor",
      [](MutableMatrix a, double least) {
        check_length(a.shape(1), a.shape(0));
        nb::gil_scoped_release release;
        return active_functions().cholesky_factor(a.data(), a.shape(0), least);
      },
      nb::arg("a"), nb::arg("least"));
  m.def(
      "solve",
      [](MutableMatrix l, MutableVector b) {
        check_length(l.shape(1), l.shape(0));
        check_length(b.shape(0), l.shape(0));
        nb::gil_scoped_release release;
        cholesky_solve(l.data(), l.shape(0), b.data());
      },
      nb::arg("l"), nb::arg("b"));
  m.def(
      "dot",
      [](const Vector<double>& a, const Vector<double>& b) {
        check_length(a.shape(0), b.shape(0));
        return dot(a.data(), b.data(), a.shape(0));
      },
      nb::arg("a"), nb::arg("b"));
  m.def("move", &py_add_scaled, nb::arg("scores"), nb::arg("step"), nb::arg("along"), nb::arg("threads"),
        nb::arg("out"));
  m.def("least_ratio", &py_least_ratio, nb::arg("now"), nb::arg("before"), nb::arg("threads"));
}

}  // namespace rosenblatt
