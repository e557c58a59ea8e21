// Learns from one row that a caller holds in an array or a list, without the arrays that a Problem needs. A microsecond
// is a third of what a call of partial_fit may take, so labels and parameters are looked up here, too.
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/module.hpp"
#include "bindings/py_state.hpp"
#include "loop/prepare_state.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

class Buffer {
 public:
  explicit Buffer(PyObject* from) : got_(PyObject_GetBuffer(from, &view_, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
    if (!got_) PyErr_Clear();
  }
  ~Buffer() {
    if (got_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  const Py_buffer* get() const noexcept { return got_ ? &view_ : nullptr; }

 private:
  Py_buffer view_ = {};
  bool got_;
};

template <class T>
bool is_finite(const T* row, const std::size_t columns) {
  T rest = 0;
  for (std::size_t j = 0; j < columns; ++j) rest += row[j] - row[j];  // NaN for NaN and infinity
  return rest == 0;
}

class RowLearner {
 public:
  RowLearner(nb::object state, const Recipe& recipe, const std::size_t columns, nb::dict signs, nb::dict parameters,
             nb::handle array)
      : state_(std::move(state)), signs_(std::move(signs)), array_(nb::borrow(array)), columns_(columns) {
    for (auto [name, value] : parameters)
      expected_.emplace_back(nb::borrow(name), value.is(nb::ellipsis()) ? nb::object() : nb::borrow(value));
    problem_.recipe = recipe;
    problem_.rows.count = 1;
    problem_.rows.columns = problem_.rows.stored_columns = problem_.rows.stride = columns;
    problem_.rows.stored_values = columns;
    problem_.labels.signs = &sign_;
  }

  // Whether the parameters are the objects that the learner was made for.
  bool is_for(const nb::dict& parameters) const {
    for (const auto& [name, value] : expected_)
      if (PyDict_GetItemWithError(parameters.ptr(), name.ptr()) != value.ptr()) return false;
    return true;
  }

  // False, and nothing has changed, unless X is one row of finite numbers, y one known label, and the parameters those
  // that the learner was made for.
  bool learn(const nb::dict& parameters, nb::handle X, nb::handle y) {
    if (!is_for(parameters) || !find_sign(y)) return false;
    if (Py_TYPE(X.ptr()) == reinterpret_cast<PyTypeObject*>(array_.ptr())) {
      const Buffer buffer(X.ptr());
      return buffer.get() && see_array(*buffer.get()) && visit();
    }
    return PyList_CheckExact(X.ptr()) && see_list(X.ptr()) && visit();
  }

 private:
  nb::object state_;
  nb::dict signs_;
  nb::object array_;
  std::size_t columns_;
  std::vector<std::pair<nb::object, nb::object>> expected_;  // no value: the name must not be there
  Problem problem_;
  std::int8_t sign_ = 1;
  std::vector<double> wide_;
  std::vector<float> narrow_;

  bool find_sign(nb::handle y) {
    nb::object label = only_label(y);
    PyObject* sign = label.is_valid() ? PyDict_GetItemWithError(signs_.ptr(), label.ptr()) : nullptr;
    if (!sign) return PyErr_Clear(), false;  // also a label that cannot be hashed
    sign_ = static_cast<std::int8_t>(PyLong_AsLong(sign));
    return true;
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

  bool see_array(const Py_buffer& x) {
    if (x.ndim != 2 || x.shape[0] != 1 || static_cast<std::size_t>(x.shape[1]) != columns_ || x.format[1]) return false;
    if (x.format[0] == 'd') return see_values<double>(x, RowKind::dense_f64, wide_);
    return x.format[0] == 'f' && see_values<float>(x, RowKind::dense_f32, narrow_);
  }

  template <class T>
  bool see_values(const Py_buffer& x, const RowKind kind, std::vector<T>& copy) {
    const std::ptrdiff_t between = columns_ > 1 ? x.strides[1] : static_cast<std::ptrdiff_t>(sizeof(T));
    if (reinterpret_cast<std::uintptr_t>(x.buf) % alignof(T) || between % static_cast<std::ptrdiff_t>(alignof(T)))
      return false;
    const T* row = static_cast<const T*>(x.buf);
    if (between != static_cast<std::ptrdiff_t>(sizeof(T))) {
      copy.resize(columns_);
      for (std::size_t j = 0; j < columns_; ++j)
        copy[j] = row[static_cast<std::ptrdiff_t>(j) * between / static_cast<std::ptrdiff_t>(sizeof(T))];
      row = copy.data();
    }
    problem_.rows.kind = kind;
    problem_.rows.values = row;
    return is_finite(row, columns_);
  }

  bool see_list(PyObject* x) {
    PyObject* row = PyList_Size(x) == 1 ? PyList_GetItem(x, 0) : nullptr;
    if (!row || !PyList_CheckExact(row) || static_cast<std::size_t>(PyList_Size(row)) != columns_) return false;
    wide_.resize(columns_);
    for (std::size_t j = 0; j < columns_; ++j) {
      PyObject* value = PyList_GetItem(row, static_cast<Py_ssize_t>(j));
      if (!PyFloat_CheckExact(value)) return false;
      wide_[j] = PyFloat_AsDouble(value);
    }
    problem_.rows.kind = RowKind::dense_f64;
    problem_.rows.values = wide_.data();
    return is_finite(wide_.data(), columns_);
  }

  // Without letting go of the GIL: that takes longer than the visit. After an overflow the caller visits the row again,
  // and says so.
  bool visit() {
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
      .def(nb::init<nb::object, const Recipe&, std::size_t, nb::dict, nb::dict, nb::handle>(), nb::arg("state"),
           nb::arg("recipe"), nb::arg("columns"), nb::arg("signs"), nb::arg("parameters"), nb::arg("array"))
      .def("is_for", &RowLearner::is_for, nb::arg("parameters"))
      .def("learn", &RowLearner::learn, nb::arg("parameters"), nb::arg("X"), nb::arg("y"));
}

}  // namespace rosenblatt
