// Scores, predictions, and the mistakes, loss and gradient at given weights.
#include "passes/passes.hpp"

#include <stdexcept>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

// Weights of one or more planes, as classifiers keep them.
Weights weights_for(const Rows& rows, const Matrix<double>& w, const Vector<double>& b) {
  if (w.shape(1) != rows.view.columns || w.shape(0) != b.shape(0))
    throw std::invalid_argument("rows and weights differ in columns");
  return {w.data(), b.data(), w.shape(0), 1.0, 1.0};
}

// A new array filled by fill(out) without the GIL, and what fill returns: whether all scores are finite.
template <class T, class Fill>
nb::tuple fill_array(const std::size_t rows, const std::size_t planes, const Fill& fill) {
  auto* out = new T[rows * planes];
  nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  bool finite = false;
  {
    nb::gil_scoped_release release;
    finite = fill(out);
  }
  return nb::make_tuple(nb::ndarray<nb::numpy, T>(out, {rows, planes}, owner), finite);
}

nb::tuple scores(const Rows& rows, const Matrix<double>& w, const Vector<double>& b, const std::size_t threads) {
  const Weights weights = weights_for(rows, w, b);
  return fill_array<double>(rows.view.count, weights.planes, [&](double* out) {
    return compute_scores(active_functions(), rows.view, weights, {0, rows.view.count}, threads, out);
  });
}

// The same into existing memory: new pages cost more than filling them.
bool scores_into(const Rows& rows, const Matrix<double>& w, const Vector<double>& b, const std::size_t threads,
                 const MutableVector& out) {
  const Weights weights = weights_for(rows, w, b);
  if (out.shape(0) != rows.view.count * weights.planes) throw std::invalid_argument("one score a row and plane");
  nb::gil_scoped_release release;
  return compute_scores(active_functions(), rows.view, weights, {0, rows.view.count}, threads, out.data());
}

nb::tuple choices(const Rows& rows, const Matrix<double>& w, const Vector<double>& b,
                  const Vector<std::uint64_t>& labels, const std::size_t threads) {
  const Weights weights = weights_for(rows, w, b);
  if (weights.planes != 1 || labels.shape(0) != 2) throw std::invalid_argument("one plane chooses from two labels");
  return fill_array<std::uint64_t>(rows.view.count, 1, [&](std::uint64_t* out) {
    return predict_labels(active_functions(), rows.view, weights, labels.data(), threads, out);
  });
}

std::uint64_t py_count_mistakes(const Rows& rows, const Vector<std::int32_t>& codes, const Matrix<double>& w,
                                const Vector<double>& b, const std::size_t threads) {
  const Weights weights = weights_for(rows, w, b);
  if (codes.shape(0) != rows.view.count) throw std::invalid_argument("there must be one label for each row");
  const auto classes = static_cast<std::int32_t>(weights.planes == 1 ? 2 : weights.planes);
  for (std::size_t i = 0; i < rows.view.count; ++i)
    if (codes.data()[i] < 0 || codes.data()[i] >= classes) throw std::invalid_argument("a class has no plane");
  nb::gil_scoped_release release;
  return count_mistakes(active_functions(), rows.view, codes.data(), weights, threads);
}

nb::tuple inspect(const PyProblem& p, const Matrix<double>& w, const Vector<double>& b, const bool want_margins,
                  const bool want_gradient) {
  if (w.shape(1) != p.rows.columns || w.shape(0) != b.shape(0) || (p.labels.signs && w.shape(0) != 1))
    throw std::invalid_argument("rows and weights do not fit");
  const std::size_t planes = w.shape(0), size = planes * p.rows.columns;
  std::vector<double> margins(want_margins ? p.rows.count : 0), gradient(want_gradient ? size + planes : 0);
  Totals totals;
  {
    nb::gil_scoped_release release;
    totals = evaluate(*p.functions, p.rows, p.labels, {w.data(), b.data(), planes, 1.0, 1.0}, p.recipe.loss,
                      {0, p.rows.count}, p.threads, want_margins ? margins.data() : nullptr,
                      want_gradient ? gradient.data() : nullptr);
  }
  return nb::make_tuple(totals.wrong_rows, totals.mistakes, totals.loss, to_numpy(std::move(margins)),
                        to_numpy(std::move(gradient)));
}

}  // namespace

void bind_passes(nb::module_& m) {
  m.def("count_mistakes", &py_count_mistakes, nb::arg("rows"), nb::arg("codes"), nb::arg("weights"), nb::arg("offsets"),
        nb::arg("threads"));
  m.def("scores", &scores, nb::arg("rows"), nb::arg("weights"), nb::arg("offsets"), nb::arg("threads"));
  m.def("scores_into", &scores_into, nb::arg("rows"), nb::arg("weights"), nb::arg("offsets"), nb::arg("threads"),
        nb::arg("out"));
  m.def("choices", &choices, nb::arg("rows"), nb::arg("weights"), nb::arg("offsets"), nb::arg("labels"),
        nb::arg("threads"));
  m.def("inspect", &inspect, nb::arg("problem"), nb::arg("weights"), nb::arg("offsets"), nb::arg("margins") = false,
        nb::arg("gradient") = false);
}

}  // namespace rosenblatt
