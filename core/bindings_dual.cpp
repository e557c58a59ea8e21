// The dual solver in Python; docstrings live in dual.py.
#include <atomic>
#include <stdexcept>

#include "bindings.hpp"
#include "dual.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

struct BoundDual {
  DualState state;
  std::atomic_flag busy;
};

// Runs `work` on the state without the GIL; the state moves in one thread at a time.
template <class Work>
auto alone(BoundDual& d, const BoundProblem& p, const Work& work) {
  if (d.state.multipliers.size() != p.rows.count || d.state.theta.size() != p.rows.columns + 1)
    throw std::invalid_argument("rows and state differ in shape");
  if (d.busy.test_and_set()) throw std::runtime_error("this state is being trained in another thread");
  struct Release {
    std::atomic_flag& busy;
    ~Release() { busy.clear(); }
  } release{d.busy};
  nb::gil_scoped_release unlocked;
  return work(d.state, p);
}

}  // namespace

void bind_dual(nb::module_& m) {
  nb::class_<BoundDual>(m, "Dual")
      .def(
          "__init__",
          [](BoundDual* where, const BoundProblem& p, const double C, const std::uint64_t seed) {
            if (!p.labels.signs) throw std::invalid_argument("the dual is of two classes");
            nb::gil_scoped_release release;
            new (where) BoundDual{begin_dual(p, C, seed), {}};
          },
          nb::arg("problem"), nb::arg("C"), nb::arg("seed"))
      .def(
          "descend",
          [](BoundDual& d, const BoundProblem& p, const std::uint64_t budget) {
            alone(d, p, [&](DualState& s, const Problem& q) { descend(s, q, budget); });
          },
          nb::arg("problem"), nb::arg("budget"))
      .def(
          "polish", [](BoundDual& d, const BoundProblem& p) { return alone(d, p, polish); }, nb::arg("problem"))
      .def(
          "prove", [](BoundDual& d, const BoundProblem& p) { alone(d, p, prove); }, nb::arg("problem"))
      .def(
          "promises", [](const BoundDual& d, const double tol) { return promises(d.state, tol); }, nb::arg("tol"))
      .def_prop_ro("primal", [](const BoundDual& d) { return d.state.primal; })
      .def_prop_ro("dual", [](const BoundDual& d) { return d.state.dual; })
      .def_prop_ro("passes", [](const BoundDual& d) { return d.state.pass; })
      .def_prop_ro("visits", [](const BoundDual& d) { return d.state.visits; })
      .def_prop_ro("steps", [](const BoundDual& d) { return d.state.steps; })
      .def_prop_ro("seen_gap", [](const BoundDual& d) { return d.state.seen_gap; })
      .def("worth", [](const BoundDual& d) { return worth(d.state); })
      .def("values",
           [](const BoundDual& d) {
             std::vector<double> values;
             for (const Multiplier& m : d.state.multipliers) values.push_back(m.value);
             const std::size_t count = values.size();
             return to_numpy(std::move(values), {count});
           })
      .def(
          "restart",
          [](BoundDual& d, const BoundProblem& p, const Vector<double>& values, const double offset) {
            if (values.size() != d.state.multipliers.size()) throw std::invalid_argument("a value for each row");
            alone(d, p, [&](DualState& s, const Problem&) { restart(s, values.data(), offset); });
          },
          nb::arg("problem"), nb::arg("values"), nb::arg("offset"))
      .def("theta",
           [](const BoundDual& d) { return to_numpy(std::vector<double>(d.state.theta), {d.state.theta.size()}); })
      .def("best",
           [](const BoundDual& d) { return to_numpy(std::vector<double>(d.state.best), {d.state.best.size()}); });
}

}  // namespace rosenblatt
