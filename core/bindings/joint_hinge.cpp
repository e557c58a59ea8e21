// The hinge of joint classes: its smoothed loss, the Hessian, and descent on the dual.
#include "solvers/joint_hinge.hpp"

#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/plane_arrays.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

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

}  // namespace

void bind_joint_hinge(nb::module_& m) {
  m.def("joint_hinge", &py_smoothed_joint_hinge, nb::arg("problem"), nb::arg("scores"), nb::arg("centres"),
        nb::arg("sharpness"), nb::arg("pull"), nb::arg("shares"));
  m.def("joint_hinge_descent", &py_descend_joint_hinge, nb::arg("problem"), nb::arg("C"), nb::arg("list"), nb::arg("z"),
        nb::arg("shares"), nb::arg("violation"));
  m.def("joint_hinge_hessian", &py_joint_hinge_hessian, nb::arg("problem"), nb::arg("shares"), nb::arg("out"));
}

}  // namespace rosenblatt
