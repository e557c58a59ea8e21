// The state of a run.
#include <algorithm>
#include <stdexcept>
#include <vector>

#define ROSENBLATT_TARGET common
#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "bindings/py_state.hpp"
#include "bindings/saved_fields.hpp"
#include "bindings/trace.hpp"
#include "loop/predict_and_advance.hpp"
#include "loop/prepare_state.hpp"
#include "loop/state_io.hpp"
#include "numerics/elementary.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

void py_advance(PyState& s, const PyProblem& p, const std::uint64_t budget, const std::uint64_t last_visit,
                PyTrace* trace) {
  const auto advance_into = [&](Trace view) {
    return s.use(state_busy, [&](Run& run) {
      prepare_state(run.state, run.keep, p);
      nb::gil_scoped_release release;
      if (p.rows.count) advance(run.state, p, run.work, view, budget, last_visit);
      return view.size;
    });
  };
  if (!trace) return static_cast<void>(advance_into({}));
  trace->use(trace_busy, [&](TraceBuffer& t) { t.size = advance_into({t.lines.data(), t.lines.size(), t.size}); });
}

void py_predict_and_advance(PyState& s, const PyProblem& p, const std::uint64_t budget, const std::uint64_t last_visit,
                            const Rows& rows, const MutableMatrix& scores) {
  s.use(state_busy, [&](Run& run) {
    prepare_state(run.state, run.keep, p);
    if (!p.recipe.stream || (p.recipe.order != Order::cyclic && p.recipe.order != Order::batch))
      throw std::invalid_argument("only a stream predicts rows before it learns them");
    if (rows.view.count != p.rows.count || rows.view.columns != p.rows.columns)
      throw std::invalid_argument("the rows to predict and the rows to learn differ in shape");
    if (scores.shape(0) != p.rows.count || scores.shape(1) != run.state.planes)
      throw std::invalid_argument("there must be one score for each row and plane");
    if (p.rows.count == 0) return;
    nb::gil_scoped_release release;
    predict_and_advance(run.state, p, run.work, {rows.view, scores.data()}, budget, last_visit);
  });
}

nb::tuple kept(PyState& s) {
  return s.use(state_busy, [](const Run& run) {
    std::vector<double> w(run.state.size()), b(run.state.planes);
    run.state.copy_kept_weights(w.data(), b.data());
    return nb::make_tuple(to_numpy(std::move(w), {run.state.planes, run.state.columns}), to_numpy(std::move(b)));
  });
}

void set_weights(PyState& s, const Matrix<double>& w, const Vector<double>& b) {
  s.use(state_busy, [&](Run& run) {
    StateMemory& state = run.state;
    if (w.shape(0) != state.planes || w.shape(1) != state.columns || b.shape(0) != state.planes)
      throw std::invalid_argument("the weights have another shape than the state");
    state.set_weights(w.data(), b.data());
  });
}

void new_rows(PyState& s) {
  s.use(state_busy, [](Run& run) { run.state.begin_new_rows(); });
}

nb::tuple counts(const PyState& s) {
  const State& now = s.peek().state;
  return nb::make_tuple(now.visits, now.updates, now.mistakes, now.mistake_weight,
                        now.loss_sum + common::log(now.loss_product), now.steps);
}

nb::dict save(PyState& s) {
  return s.use(state_busy, [](Run& run) {
    StateMemory& state = run.state;
    nb::dict saved;
    saved["planes"] = state.planes;
    saved["columns"] = state.columns;
    saved["keep"] = static_cast<int>(run.keep);
    saved["checking"] = state.phase == Phase::check;
    save_fields(state, saved);
    if (state.activation)
      saved["activation"] = to_numpy(std::vector<double>(state.activation, state.activation + state.activation_size()));
    if (state.covariance)
      saved["covariance"] = to_numpy(std::vector<double>(state.covariance, state.covariance + state.covariance_size()));
    saved["working_sets"] = to_numpy(std::vector<std::uint32_t>(state.working_set_rows()));
    return saved;
  });
}

void restore_run(Run& run, const nb::dict& saved) {
  StateMemory& state = run.state;
  state.phase = nb::cast<bool>(saved["checking"]) ? Phase::check : Phase::learn;
  if (saved.contains("unclipped")) state.begin_l1();
  restore_fields(state, saved);
  if (saved.contains("activation")) {
    state.keep_activations(nb::cast<Vector<double>>(saved["activation"]).shape(0) /
                           std::max<std::size_t>(state.planes, 1));
    restore_array(saved, "activation", std::span(state.activation, state.activation_size()));
  }
  if (saved.contains("covariance")) {
    state.keep_covariance(nb::cast<Vector<double>>(saved["covariance"]).shape(0));
    restore_array(saved, "covariance", std::span(state.covariance, state.covariance_size()));
  }
  const auto members = nb::cast<Vector<std::uint32_t>>(saved["working_sets"]);
  state.reserve_working_sets(members.shape(0));
  std::copy(members.data(), members.data() + members.shape(0), state.working_sets);
}

void restore(PyState* where, const nb::dict& saved) {
  const auto keep = enumerator<Keep>(nb::cast<std::int64_t>(saved["keep"]), keep_count, "keep");
  auto* s = new (where)
      PyState(nb::cast<std::size_t>(saved["planes"]), nb::cast<std::size_t>(saved["columns"]), keep, std::uint64_t{0});
  s->use(state_busy, [&](Run& run) { restore_run(run, saved); });
}

}  // namespace

void bind_state(nb::module_& m) {
  nb::class_<PyState> state(m, "State");
  state
      .def(
          "__init__",
          [](PyState* where, const std::size_t planes, const std::size_t columns, const std::int64_t keep,
             const std::uint64_t seed) {
            new (where) PyState(planes, columns, enumerator<Keep>(keep, keep_count, "keep"), seed);
          },
          nb::arg("planes"), nb::arg("columns"), nb::arg("keep"), nb::arg("seed"))
      .def("advance", &py_advance, nb::arg("problem"), nb::arg("budget"), nb::arg("last_visit"),
           nb::arg("trace") = nb::none())
      .def("predict_and_advance", &py_predict_and_advance, nb::arg("problem"), nb::arg("budget"), nb::arg("last_visit"),
           nb::arg("rows"), nb::arg("scores"))
      .def("copy", [](PyState& s) { return s.use(state_busy, [](const Run& run) { return new PyState(run); }); })
      .def("counts", &counts)
      .def("kept", &kept)
      .def("set_weights", &set_weights, nb::arg("weights"), nb::arg("offsets"))
      .def("new_rows", &new_rows)
      .def("__getstate__", &save)
      .def("__setstate__", &restore, nb::arg("state"));
  const Progress names;
  for_each_number(names, [&]<class T>(const char* name, const T&) {
    state.def_prop_ro(name, [name](const PyState& s) {
      T found{};
      for_each_number(s.peek().state, [&]<class U>(const char* other, const U& value) {
        if constexpr (std::is_same_v<T, U>)
          if (other == name) found = value;
      });
      return found;
    });
  });
}

}  // namespace rosenblatt
