// The dual solver in Python; docstrings live in dual.py.
#include "solvers/dual.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>

#include "bindings/bindings.hpp"

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

// Every number that decides how a state goes on, by name.
template <class S, class Each>
void each_number(S& s, const Each& each) {
  each("centre", s.centre);
  each("seed", s.seed);
  each("pass", s.pass);
  each("position", s.position);
  each("stayed", s.stayed);
  each("active", s.active);
  each("visits", s.visits);
  each("steps", s.steps);
  each("least", s.violation.least);
  each("most", s.violation.most);
  each("drop_below", s.violation.drop_below);
  each("drop_above", s.violation.drop_above);
  each("gap", s.violation.gap);
  each("seen_gap", s.seen_gap);
  each("settled", s.settled);
  each("whole", s.whole);
  each("primal", s.primal);
  each("dual", s.dual);
  each("sharpness", s.polish.sharpness);
  each("weight", s.polish.weight);
  each("sample", s.polish.sample);
  each("inner", s.polish.inner);
  each("unseen", s.polish.unseen);
  each("looked", s.polish.looked);
  each("moved", s.polish.moved);
  each("usual_move", s.polish.usual_move);
  each("caution", s.polish.caution);
  each("marked_value", s.polish.marked_value);
  each("far", s.polish.far);
  each("polish_primal", s.polish.primal);
  each("polish_dual", s.polish.dual);
}

// And every array, with the length it has once there is one: of rows, columns or their square; 0 where any will do.
template <class S, class Each>
void each_array(S& s, const Each& each) {
  const std::size_t rows = s.multipliers.size(), columns = s.theta.size();
  each("theta", s.theta, columns);
  each("best", s.best, columns);
  each("list", s.list, 0);
  each("marked", s.polish.marked, columns);
  each("scores", s.polish.scores, rows);
  each("values", s.polish.values, rows);
  each("pull", s.polish.pull, columns);
  each("gram", s.polish.gram, columns * columns);
  each("near", s.polish.near, rows);
  each("rows", s.polish.rows, 0);
  each("play", s.polish.play, 0);
}

std::vector<double> values_of(const DualState& s) {
  std::vector<double> values;
  values.reserve(s.multipliers.size());
  for (const Multiplier& m : s.multipliers) values.push_back(m.value);
  return values;
}

nb::dict save(const BoundDual& d) {
  nb::dict out;
  std::vector<double> values = values_of(d.state);
  const std::size_t count = values.size();
  out["multipliers"] = to_numpy(std::move(values), {count});
  each_number(d.state, [&](const char* name, const auto& value) { out[name] = value; });
  each_array(d.state, [&](const char* name, const auto& array, std::size_t) {
    out[name] = to_numpy(std::vector(array), {array.size()});
  });
  return out;
}

void refuse_unless(const bool fits) {
  if (!fits) throw std::invalid_argument("a saved state is of other rows");
}

// A fresh state of the same problem becomes the saved one. What the problem fixes, bounds and norms, is its own.
void restore(BoundDual& d, const nb::dict& saved) {
  DualState s = d.state;
  const std::size_t rows = s.multipliers.size();
  const auto values = nb::cast<Vector<double>>(saved["multipliers"]);
  refuse_unless(values.size() == rows);
  for (std::size_t i = 0; i < rows; ++i) s.multipliers[i].value = values.data()[i];
  each_number(s, [&](const char* name, auto& value) {
    value = nb::cast<std::remove_reference_t<decltype(value)>>(saved[name]);
  });
  each_array(s, [&]<class T>(const char* name, std::vector<T>& array, const std::size_t length) {
    const auto given = nb::cast<Vector<T>>(saved[name]);
    refuse_unless(length == 0 || given.size() == length || (given.size() == 0 && s.polish.sharpness == 0.0));
    array.assign(given.data(), given.data() + given.size());
  });
  for (const auto* list : {&s.list, &s.polish.rows, &s.polish.play})
    refuse_unless(std::all_of(list->begin(), list->end(), [&](const std::uint32_t row) { return row < rows; }));
  refuse_unless(s.theta.size() == d.state.theta.size() && s.best.size() == s.theta.size());
  refuse_unless(s.position <= s.active && s.stayed <= s.position && s.active <= s.list.size());
  refuse_unless(s.polish.sample <= s.list.size());
  d.state = std::move(s);
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
             std::vector<double> values = values_of(d.state);
             const std::size_t count = values.size();
             return to_numpy(std::move(values), {count});
           })
      .def("save", &save)
      .def("restore", &restore, nb::arg("saved"))
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
