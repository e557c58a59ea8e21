// The building blocks of Newton's method.
#include "solvers/newton.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/plane_arrays.hpp"
#include "solvers/jeffreys.hpp"
#include "solvers/l1_columns.hpp"
#include "solvers/l1_descent.hpp"
#include "system/parallel.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

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

// Labels do not count: one plane may be asked for, whatever the classes.
void py_hessian_diagonal(const PyProblem& p, const Vector<double>& curvature, MutableVector out) {
  const std::size_t planes = p.rows.count ? curvature.shape(0) / p.rows.count : 1;
  check_length(curvature.shape(0), planes * p.rows.count);
  check_length(out.shape(0), planes * (p.rows.columns + 1));
  nb::gil_scoped_release release;
  compute_hessian_diagonal(p.rows, curvature.data(), planes, p.recipe.offset_value, p.threads, out.data());
}

void py_scaled_squares(const PyProblem& p, const Vector<double>& scale, MutableVector out) {
  check_length(scale.shape(0), p.rows.columns + 1);
  check_length(out.shape(0), p.rows.count);
  nb::gil_scoped_release release;
  compute_scaled_squares(p.rows, scale.data(), p.recipe.offset_value, p.threads, out.data());
}

// The rows of a list, or all of them without one.
Selection select(const PyProblem& p, const std::optional<Vector<std::uint32_t>>& list) {
  for (std::size_t k = 0; list && k < list->shape(0); ++k)
    if (list->data()[k] >= p.rows.count) throw std::invalid_argument("a row number lies outside the rows");
  return {0, list ? list->shape(0) : p.rows.count, list ? list->data() : nullptr};
}

void py_hessian(const PyProblem& p, const Vector<double>& curvature, std::optional<Vector<std::uint32_t>> list,
                MutableMatrix out) {
  const Selection all = select(p, list);
  check_length(curvature.shape(0), all.size());
  check_length(out.shape(0), p.rows.columns + 1);
  check_length(out.shape(1), p.rows.columns + 1);
  nb::gil_scoped_release release;
  compute_hessian(*p.functions, p.rows, all, curvature.data(), p.recipe.offset_value, p.threads, out.data());
}

void py_plane_hessians(const PyProblem& p, const Vector<double>& curvature, std::optional<Vector<std::uint32_t>> list,
                       Matrices out) {
  const Selection some = select(p, list);
  const std::size_t planes = out.shape(0);
  check_length(curvature.shape(0), planes * some.size());
  for (const std::size_t axis : {1, 2}) check_length(out.shape(axis), p.rows.columns + 1);
  nb::gil_scoped_release release;
  compute_plane_hessians(*p.functions, p.rows, some, curvature.data(), planes, p.recipe.offset_value, p.threads,
                         out.data());
}

// One thread where the matrices are so small that the others would start after it is done.
std::size_t useful_threads_for_matrices(const std::size_t multiplications, const std::size_t threads) {
  return multiplications < (std::size_t{1} << 18) ? 1 : threads;
}

// Factors each of several matrices.
void py_factor_each(Matrices a, const double least, const std::size_t threads) {
  const std::size_t size = a.shape(1);
  check_length(a.shape(2), size);
  nb::gil_scoped_release release;
  const auto factor = active_functions().cholesky_factor;
  parallel(useful_threads_for_matrices(a.shape(0) * size * size * size / 6, threads), a.shape(0),
           [&](const std::size_t k) { factor(a.data() + k * size * size, size, least); });
}

// Solves with each of several factors. One factor alone serves all right sides.
void py_solve_each(Matrices l, MutableMatrix b, const std::size_t threads) {
  const std::size_t size = l.shape(1), square = l.shape(0) == 1 ? 0 : size * size;
  check_length(l.shape(2), size);
  check_length(b.shape(1), size);
  if (square) check_length(b.shape(0), l.shape(0));
  nb::gil_scoped_release release;
  parallel(useful_threads_for_matrices(b.shape(0) * size * size, threads), b.shape(0),
           [&](const std::size_t k) { cholesky_solve(l.data() + k * square, size, b.data() + k * size); });
}

void py_add_scaled(const Vector<double>& scores, const double step, const Vector<double>& along,
                   const std::size_t threads, MutableVector out) {
  for (const std::size_t length : {along.shape(0), out.shape(0)}) check_length(length, scores.shape(0));
  nb::gil_scoped_release release;
  add_scaled(scores.data(), step, along.data(), scores.shape(0), threads, out.data());
}

bool py_minimise_l1(const Matrix<double>& hessian, const Vector<double>& penalty, const double accuracy,
                    const std::size_t rounds, MutableVector u, MutableVector gradient) {
  const std::size_t size = hessian.shape(0);
  for (const std::size_t length : {hessian.shape(1), penalty.shape(0), u.shape(0), gradient.shape(0)})
    check_length(length, size);
  nb::gil_scoped_release release;
  return minimise_l1(active_functions(), {hessian.data(), penalty.data(), size}, accuracy, rounds, u.data(),
                     gradient.data());
}

bool py_minimise_l1_by_columns(const PyProblem& p, const Vector<double>& bend, const Vector<double>& gradient,
                               const Vector<double>& ridge, const Vector<double>& penalty, const double share,
                               const std::size_t sweeps, MutableVector u) {
  check_length(bend.shape(0), p.rows.count);
  for (const std::size_t length : {gradient.shape(0), ridge.shape(0), penalty.shape(0), u.shape(0)})
    check_length(length, p.rows.columns + 1);
  const L1Model model{p.rows, bend.data(), gradient.data(), ridge.data(), penalty.data(), p.recipe.offset_value};
  nb::gil_scoped_release release;
  return minimise_l1_by_columns(model, share, sweeps, u.data());
}

void py_fill_upper_triangle(MutableMatrix matrix) {
  check_length(matrix.shape(1), matrix.shape(0));
  nb::gil_scoped_release release;
  fill_upper_triangle(matrix.data(), matrix.shape(0));
}

// Returns the sum of the losses and the information's log determinant.
std::pair<double, double> py_jeffreys_terms(const PyProblem& p, const Vector<double>& scores, const double least_pivot,
                                            MutableVector pull, MutableVector curvature, MutableVector share,
                                            MutableMatrix inverse) {
  if (!p.labels.signs) throw std::invalid_argument("these terms are those of two classes");
  for (const std::size_t length : {scores.shape(0), pull.shape(0), curvature.shape(0), share.shape(0)})
    check_length(length, p.rows.count);
  for (const std::size_t axis : {0, 1}) check_length(inverse.shape(axis), p.rows.columns + 1);
  nb::gil_scoped_release release;
  const JeffreysTerms terms =
      jeffreys_terms(*p.functions, p.rows, p.labels, scores.data(), p.recipe.offset_value, least_pivot, p.threads,
                     pull.data(), curvature.data(), share.data(), inverse.data());
  return {terms.loss, terms.log_determinant};
}

double py_least_ratio(const Vector<double>& now, const Vector<double>& before, const std::size_t threads) {
  check_length(now.shape(0), before.shape(0));
  nb::gil_scoped_release release;
  return least_ratio(now.data(), before.data(), now.shape(0), threads);
}

}  // namespace

void bind_newton(nb::module_& m) {
  m.def("loss_derivatives", &py_loss_derivatives, nb::arg("problem"), nb::arg("scores"), nb::arg("pull"),
        nb::arg("curvature"));
  m.def("transpose_product", &py_transpose_product, nb::arg("problem"), nb::arg("change"), nb::arg("out"));
  m.def("hessian_product", &py_hessian_product, nb::arg("problem"), nb::arg("curvature"), nb::arg("direction"),
        nb::arg("along"), nb::arg("out"));
  m.def("hessian_diagonal", &py_hessian_diagonal, nb::arg("problem"), nb::arg("curvature"), nb::arg("out"));
  m.def("scaled_squares", &py_scaled_squares, nb::arg("problem"), nb::arg("scale"), nb::arg("out"));
  m.def("plane_hessians", &py_plane_hessians, nb::arg("problem"), nb::arg("curvature"), nb::arg("list").none(),
        nb::arg("out"));
  m.def("factor_each", &py_factor_each, nb::arg("a"), nb::arg("least"), nb::arg("threads"));
  m.def("solve_each", &py_solve_each, nb::arg("l"), nb::arg("b"), nb::arg("threads"));
  m.def("hessian", &py_hessian, nb::arg("problem"), nb::arg("curvature"), nb::arg("list").none(), nb::arg("out"));
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
  m.def("euclidean_norm", [](const Vector<double>& x) { return euclidean_norm(x.data(), x.shape(0)); }, nb::arg("x"));
  m.def(
      "dot",
      [](const Vector<double>& a, const Vector<double>& b) {
        check_length(a.shape(0), b.shape(0));
        return dot(a.data(), b.data(), a.shape(0));
      },
      nb::arg("a"), nb::arg("b"));
  m.def("add_scaled", &py_add_scaled, nb::arg("scores"), nb::arg("step"), nb::arg("along"), nb::arg("threads"),
        nb::arg("out"));
  m.def("minimise_l1", &py_minimise_l1, nb::arg("hessian"), nb::arg("penalty"), nb::arg("accuracy"), nb::arg("rounds"),
        nb::arg("u"), nb::arg("gradient"));
  m.def("minimise_l1_by_columns", &py_minimise_l1_by_columns, nb::arg("problem"), nb::arg("bend"), nb::arg("gradient"),
        nb::arg("ridge"), nb::arg("penalty"), nb::arg("share"), nb::arg("sweeps"), nb::arg("u"));
  m.def("fill_upper_triangle", &py_fill_upper_triangle, nb::arg("matrix"));
  m.def("jeffreys_terms", &py_jeffreys_terms, nb::arg("problem"), nb::arg("scores"), nb::arg("least_pivot"),
        nb::arg("pull"), nb::arg("curvature"), nb::arg("share"), nb::arg("inverse"));
  m.def("least_ratio", &py_least_ratio, nb::arg("now"), nb::arg("before"), nb::arg("threads"));
}

}  // namespace rosenblatt
