// Learns from one row as a caller holds it, without the arrays that a Problem needs. A microsecond is a third of what a
// call of partial_fit may take, so labels and parameters are looked up here, too.
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/given_rows.hpp"
#include "bindings/py_state.hpp"
#include "loop/prepare_state.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

constexpr std::size_t most_copied = std::size_t{1} << 18;  // numbers of a row that does not lie in one piece

class RowLearner {
 public:
  RowLearner(nb::object state, const Recipe& recipe, const std::size_t columns, nb::object names, nb::dict signs,
             nb::dict parameters, nb::dict trainers, nb::handle array)
      : state_(std::move(state)),
        signs_(std::move(signs)),
        trainers_(std::move(trainers)),
        array_(nb::borrow(array)),
        columns_(columns),
        names_(std::move(names)) {
    for (auto [name, value] : parameters)
      expected_.emplace_back(nb::borrow(name), value.is(nb::ellipsis()) ? nb::object() : nb::borrow(value));
    problem_.recipe = recipe;
    problem_.labels.signs = &sign_;
  }

  // Whether the parameters are the objects that the learner was made for.
  bool is_for(const nb::dict& parameters) const {
    for (const auto& [name, value] : expected_)
      if (PyDict_GetItemWithError(parameters.ptr(), name.ptr()) != value.ptr()) return false;
    return true;
  }

  // False, and nothing has changed, unless X is one plain row of finite numbers, y one known label, the parameters
  // those that the learner was made for, and `stream` holds its state, which nobody else trains. What may run Python's
  // code comes first: another thread could change all that meanwhile.
  bool learn(const nb::dict& parameters, nb::handle stream, nb::handle X, nb::handle y) {
    GivenRows given(array_);
    const std::int8_t sign = sign_of(y);
    if (!sign || !given.take(X, names_) || !is_free(stream) || !is_for(parameters)) return false;
    if (!given.see(columns_, most_copied, nb::handle()) || given.view().count != 1 || !are_finite(given.view()))
      return false;
    return visit(given.view(), sign);
  }

 private:
  nb::object state_;
  nb::dict signs_, trainers_;
  nb::object array_;
  std::size_t columns_;
  ColumnNames names_;
  std::vector<std::pair<nb::object, nb::object>> expected_;  // no value: the name must not be there
  Problem problem_;
  std::int8_t sign_ = 1;

  bool is_free(nb::handle stream) const {
    static PyObject* const name = PyUnicode_InternFromString("states");
    const nb::object states = nb::steal(PyObject_GetAttr(stream.ptr(), name));
    if (!states.is_valid()) return PyErr_Clear(), false;
    return PyDict_Size(trainers_.ptr()) == 0 && PyList_CheckExact(states.ptr()) && PyList_Size(states.ptr()) == 1 &&
           PyList_GetItem(states.ptr(), 0) == state_.ptr();
  }

  // 0 for a label that is not known or cannot be hashed.
  std::int8_t sign_of(nb::handle y) const {
    const nb::object label = only_label(y);
    PyObject* sign = label.is_valid() ? PyDict_GetItemWithError(signs_.ptr(), label.ptr()) : nullptr;
    if (!sign) return PyErr_Clear(), std::int8_t{0};
    return static_cast<std::int8_t>(PyLong_AsLong(sign));
  }

  // The label of an array, list or series that holds one; empty otherwise.
  nb::object only_label(nb::handle y) const {
    if (PyList_CheckExact(y.ptr()))
      return PyList_Size(y.ptr()) == 1 ? nb::borrow(PyList_GetItem(y.ptr(), 0)) : nb::object();
    static PyObject* const names[] = {PyUnicode_InternFromString("ndim"), PyUnicode_InternFromString("item"),
                                      PyUnicode_InternFromString("to_list")};
    if (Py_TYPE(y.ptr()) != reinterpret_cast<PyTypeObject*>(array_.ptr())) {
      const nb::object list = nb::steal(PyObject_CallMethodObjArgs(y.ptr(), names[2], nullptr));
      return list.is_valid() && PyList_CheckExact(list.ptr()) ? only_label(list) : nb::object();
    }
    const nb::object dimensions = nb::steal(PyObject_GetAttr(y.ptr(), names[0]));
    if (!dimensions.is_valid() || PyLong_AsLong(dimensions.ptr()) != 1 || PyObject_Size(y.ptr()) != 1) return {};
    return nb::steal(PyObject_CallMethodObjArgs(y.ptr(), names[1], nullptr));
  }

  // Without letting go of the GIL: that takes longer than the visit. After an overflow the caller visits the row again,
  // and says so.
  bool visit(const RowsView& row, const std::int8_t sign) {
    problem_.rows = row;
    sign_ = sign;
    problem_.functions = &active_functions();
    return nb::cast<PyState&>(state_).use(state_busy, [&](Run& run) {
      run.state.begin_new_rows();
      prepare_state(run.state, run.keep, problem_);
      const std::uint64_t last = run.state.visits + 1;
      Trace no_trace;
      while (run.state.visits < last && !run.state.overflow) advance(run.state, problem_, run.work, no_trace, 1, last);
      return !run.state.overflow;
    });
  }
};

}  // namespace

void bind_row_learner(nb::module_& m) {
  nb::class_<RowLearner>(m, "RowLearner")
      .def(nb::init<nb::object, const Recipe&, std::size_t, nb::object, nb::dict, nb::dict, nb::dict, nb::handle>(),
           nb::arg("state"), nb::arg("recipe"), nb::arg("columns"), nb::arg("names").none(), nb::arg("signs"),
           nb::arg("parameters"), nb::arg("trainers"), nb::arg("array"))
      .def("is_for", &RowLearner::is_for, nb::arg("parameters"))
      .def("learn", &RowLearner::learn, nb::arg("parameters"), nb::arg("stream"), nb::arg("X").none(),
           nb::arg("y").none());
}

}  // namespace rosenblatt
