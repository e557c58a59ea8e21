// Recipes, problems and traces.
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/trace.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

void init_recipe(Recipe* where, const std::int64_t loss, const std::int64_t order, const std::int64_t step,
                 const std::int64_t keep, const double eta0, const double aggressiveness, const double margin,
                 const double penalty, const double l1, const double offset_value, const bool penalize_offset,
                 const bool stream) {
  new (where) Recipe{enumerator<Loss>(loss, loss_count, "loss"),
                     enumerator<Order>(order, order_count, "order"),
                     enumerator<Step>(step, step_count, "step"),
                     enumerator<Keep>(keep, keep_count, "keep"),
                     eta0,
                     aggressiveness,
                     margin,
                     penalty,
                     l1,
                     offset_value,
                     penalize_offset,
                     stream};
}

PyProblem make_problem(const Rows& rows, nb::object rows_owner, const std::optional<Vector<std::int8_t>>& signs,
                       const std::optional<Vector<std::int32_t>>& codes, const std::optional<Vector<double>>& weights,
                       const Recipe& recipe, const std::size_t threads) {
  PyProblem p;
  p.rows = rows.view;
  p.rows_owner = std::move(rows_owner);
  if (signs.has_value() == codes.has_value()) throw std::invalid_argument("give signs or codes");
  if ((signs ? signs->shape(0) : codes->shape(0)) != rows.view.count)
    throw std::invalid_argument("there must be one label for each row");
  if (signs) p.labels.signs = signs->data(), p.labels_owner = nb::find(*signs);
  if (codes) p.labels.codes = codes->data(), p.labels_owner = nb::find(*codes);
  if (weights) {
    if (weights->shape(0) != rows.view.count) throw std::invalid_argument("there must be one weight for each row");
    p.labels.weights = weights->data();
    p.weights_owner = nb::find(*weights);
  }
  p.recipe = recipe;
  p.functions = &active_functions();
  p.threads = threads;
  return p;
}

nb::dict drain_buffer(TraceBuffer& trace) {
  const auto column = [&]<class T>(T Trace::Line::* field) {
    std::vector<T> out(trace.size);
    for (std::size_t i = 0; i < trace.size; ++i) out[i] = trace.lines[i].*field;
    return to_numpy(std::move(out));
  };
  nb::dict d;
  d["visit"] = column(&Trace::Line::visit);
  d["row"] = column(&Trace::Line::row);
  d["rival"] = column(&Trace::Line::rival);
  d["margin"] = column(&Trace::Line::margin);
  d["change"] = column(&Trace::Line::change);
  d["norm"] = column(&Trace::Line::norm);
  trace.size = 0;
  return d;
}

}  // namespace

void bind_problem(nb::module_& m) {
  nb::class_<Recipe>(m, "Recipe")
      .def("__init__", &init_recipe, nb::arg("loss"), nb::arg("order"), nb::arg("step"), nb::arg("keep"),
           nb::arg("eta0"), nb::arg("aggressiveness"), nb::arg("margin"), nb::arg("penalty"), nb::arg("l1"),
           nb::arg("offset_value"), nb::arg("penalize_offset"), nb::arg("stream"));

  nb::class_<PyProblem>(m, "Problem")
      .def(
          "__init__",
          [](PyProblem* where, nb::object rows, const std::optional<Vector<std::int8_t>>& signs,
             const std::optional<Vector<std::int32_t>>& codes, const std::optional<Vector<double>>& weights,
             const Recipe& recipe, const std::size_t threads) {
            new (where)
                PyProblem(make_problem(nb::cast<const Rows&>(rows), rows, signs, codes, weights, recipe, threads));
          },
          nb::arg("rows"), nb::arg("signs").none(), nb::arg("codes").none(), nb::arg("weights").none(),
          nb::arg("recipe"), nb::arg("threads"));

  nb::class_<PyTrace>(m, "Trace")
      .def(
          "__init__",
          [](PyTrace* where, const std::size_t capacity) {
            if (capacity == 0) throw std::invalid_argument("a trace needs room");
            new (where) PyTrace(capacity);
          },
          nb::arg("capacity"))
      .def("drain", [](PyTrace& trace) { return trace.use(trace_busy, drain_buffer); });
}

}  // namespace rosenblatt
