// The dual solver.
#include "solvers/dual.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/guard.hpp"
#include "bindings/module.hpp"
#include "bindings/saved_fields.hpp"
#include "solvers/dual_state_io.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

constexpr const char* busy = "this state is being trained in another thread";
using PyDual = Guarded<DualState>;

// Calls work(state, problem) without the GIL.
template <class Work>
auto solve(PyDual& d, const PyProblem& p, const Work& work) {
  return d.use_without_gil(busy, [&](DualState& s) {
    if (s.multipliers.size() != p.rows.count || s.theta.size() != p.rows.columns + 1)
      throw std::invalid_argument("rows and state differ in shape");
    return work(s, p);
  });
}

std::vector<double> multiplier_values(const DualState& s) {
  std::vector<double> values;
  values.reserve(s.multipliers.size());
  for (const Multiplier& m : s.multipliers) values.push_back(m.value);
  return values;
}

nb::dict save(PyDual& d) {
  return d.use(busy, [](const DualState& s) {
    nb::dict saved;
    saved["multipliers"] = to_numpy(multiplier_values(s));
    save_fields(s, saved);
    return saved;
  });
}

// A new state of the same problem becomes the saved one. Bounds and norms come from the problem and are not saved.
void restore_dual(DualState& state, const nb::dict& saved) {
  DualState s = state;
  const auto values = nb::cast<Vector<double>>(saved["multipliers"]);
  if (values.size() != s.multipliers.size()) throw std::invalid_argument("a saved state is of other rows");
  for (std::size_t i = 0; i < values.size(); ++i) s.multipliers[i].value = values.data()[i];
  restore_fields(s, saved);
  check_restored(s, state.theta.size());
  state = std::move(s);
}

void restart(PyDual& d, const PyProblem& p, const Vector<double>& values, const double offset) {
  solve(d, p, [&](DualState& s, const Problem&) {
    if (values.size() != s.multipliers.size()) throw std::invalid_argument("a value for each row");
    restart_dual(s, values.data(), offset);
  });
}

// A method that reads more than one number, and so must not meet a thread that trains.
template <class Read>
auto reader(const Read& read) {
  return [read](PyDual& d) { return d.use(busy, read); };
}

auto copy_of(const std::vector<double>& values) { return to_numpy(std::vector<double>(values)); }

}  // namespace

void bind_dual(nb::module_& m) {
  nb::class_<PyDual>(m, "Dual")
      .def(
          "__init__",
          [](PyDual* where, const PyProblem& p, const double C, const std::uint64_t seed) {
            if (!p.labels.signs) throw std::invalid_argument("the dual is of two classes");
            nb::gil_scoped_release release;
            new (where) PyDual(begin_dual(p, C, seed));
          },
          nb::arg("problem"), nb::arg("C"), nb::arg("seed"))
      .def(
          "descend_coordinates",
          [](PyDual& d, const PyProblem& p, const std::uint64_t budget) {
            solve(d, p, [&](DualState& s, const Problem& q) { descend_coordinates(s, q, budget); });
          },
          nb::arg("problem"), nb::arg("budget"))
      .def(
          "step_newton", [](PyDual& d, const PyProblem& p) { return solve(d, p, step_newton); }, nb::arg("problem"))
      .def(
          "prove_gap", [](PyDual& d, const PyProblem& p) { solve(d, p, prove_gap); }, nb::arg("problem"))
      .def(
          "expects_gap_within",
          [](PyDual& d, const double tol) {
            return d.use(busy, [tol](const DualState& s) { return expects_gap_within(s, tol); });
          },
          nb::arg("tol"))
      .def_prop_ro("primal", [](const PyDual& d) { return d.peek().primal; })
      .def_prop_ro("dual", [](const PyDual& d) { return d.peek().dual; })
      .def_prop_ro("passes", [](const PyDual& d) { return d.peek().pass; })
      .def_prop_ro("visits", [](const PyDual& d) { return d.peek().visits; })
      .def_prop_ro("steps", [](const PyDual& d) { return d.peek().steps; })
      .def_prop_ro("seen_gap", [](const PyDual& d) { return d.peek().seen_gap; })
      .def("dual_objective", reader([](const DualState& s) { return dual_objective(s); }))
      .def("values", reader([](const DualState& s) { return to_numpy(multiplier_values(s)); }))
      .def("save", &save)
      .def(
          "restore",
          [](PyDual& d, const nb::dict& saved) { d.use(busy, [&](DualState& s) { restore_dual(s, saved); }); },
          nb::arg("saved"))
      .def("restart", &restart, nb::arg("problem"), nb::arg("values"), nb::arg("offset"))
      .def("theta", reader([](const DualState& s) { return copy_of(s.theta); }))
      .def("best", reader([](const DualState& s) { return copy_of(s.best); }));
}

}  // namespace rosenblatt
