#include "bindings/given_rows.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "bindings/attributes.hpp"
#include "rows/check_csr.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

constexpr std::size_t many_values = std::size_t{1} << 17;  // fewer are checked sooner than threads are started

std::size_t size_of(const Py_buffer& x, const int dimension) { return static_cast<std::size_t>(x.shape[dimension]); }

template <class T>
bool is_aligned(const Py_buffer& x) {
  bool aligned = reinterpret_cast<std::uintptr_t>(x.buf) % alignof(T) == 0;
  for (int k = 0; k < x.ndim; ++k)
    aligned &= x.shape[k] <= 1 || x.strides[k] % static_cast<Py_ssize_t>(alignof(T)) == 0;
  return aligned;
}

// An array of one dimension without gaps.
template <class T>
bool is_vector(const Py_buffer& x) {
  return x.ndim == 1 && x.itemsize == sizeof(T) && is_aligned<T>(x) && (x.shape[0] <= 1 || x.strides[0] == sizeof(T));
}

template <class T>
bool are_finite(const void* values, const std::size_t count) {
  T rest = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const T value = static_cast<const T*>(values)[j];
    rest += value - value;  // NaN for NaN and infinity
  }
  return rest == 0;
}

// A number of a list as NumPy reads it. Whole numbers beyond 64 bits and all other types are not plain.
bool read_number(PyObject* value, double& out) {
  if (PyFloat_CheckExact(value)) return out = PyFloat_AsDouble(value), true;
  if (!PyLong_CheckExact(value)) return false;
  int overflow = 0;
  out = static_cast<double>(PyLong_AsLongLongAndOverflow(value, &overflow));
  return overflow == 0;
}

}  // namespace

bool are_finite(const RowsView& rows) {
  const std::size_t count = rows.stored_values / (rows.indices ? 2 : 1);
  return rows.value_bytes() == 4 ? are_finite<float>(rows.values, count) : are_finite<double>(rows.values, count);
}

template <class T>
T* GivenRows::room(const std::size_t count) {
  if (!copies_) copies_ = std::make_shared<std::vector<std::unique_ptr<std::byte[]>>>();
  return reinterpret_cast<T*>(copies_->emplace_back(new std::byte[std::max<std::size_t>(count, 1) * sizeof(T)]).get());
}

bool GivenRows::take(const nb::handle X, ColumnNames& names) {
  if (names.any() && !is_array(X) && !PyList_CheckExact(X.ptr())) {
    if (!names.are_those_of(X)) return false;
    values_ = call(X, "to_numpy");
    return values_.is_valid() && is_array(values_);
  }
  values_ = nb::borrow(X);
  if (is_array(X)) return !names.any();
  form_ = Form::list;
  return PyList_CheckExact(X.ptr()) || (!names.any() && take_sparse(X));
}

bool GivenRows::take_sparse(const nb::handle X) {
  const nb::handle type = X.type();
  if (!is_from(type, "scipy.sparse")) return false;
  ROSENBLATT_NAME(name_name, "__name__");
  const nb::object name_text = attribute(type, name_name);
  const std::string_view name = text(name_text);
  if (name != "csr_matrix" && name != "csr_array" && name != "csc_matrix" && name != "csc_array") return false;
  form_ = name[2] == 'r' ? Form::csr : Form::csc;
  ROSENBLATT_NAME(shape_name, "shape");
  ROSENBLATT_NAME(data_name, "data");
  ROSENBLATT_NAME(indices_name, "indices");
  ROSENBLATT_NAME(starts_name, "indptr");
  const nb::object shape = attribute(X, shape_name);
  if (!shape.is_valid() || !PyTuple_CheckExact(shape.ptr()) || PyTuple_Size(shape.ptr()) != 2) return false;
  lines_ = PyLong_AsSize_t(PyTuple_GetItem(shape.ptr(), form_ == Form::csr ? 0 : 1));
  places_ = PyLong_AsSize_t(PyTuple_GetItem(shape.ptr(), form_ == Form::csr ? 1 : 0));
  if (PyErr_Occurred()) return PyErr_Clear(), false;
  values_ = attribute(X, data_name), indices_ = attribute(X, indices_name), starts_ = attribute(X, starts_name);
  const auto is_part = [&](const nb::object& part) { return part.is_valid() && is_array(part); };
  return is_part(values_) && is_part(indices_) && is_part(starts_);
}

bool GivenRows::see(const std::size_t columns, const std::size_t most, const nb::handle threads) {
  const bool seen = form_ == Form::array ? see_array(most) : form_ == Form::list ? see_list() : see_sparse(threads);
  view_.stored_columns = view_.columns;
  return seen && view_.count > 0 && view_.columns > 0 && (columns == 0 || view_.columns == columns);
}

bool GivenRows::see_array(const std::size_t most) {
  const Buffer buffer(values_.ptr());
  const char letter = buffer.letter();
  if (!letter || (*buffer).ndim != 2) return false;
  switch (letter) {
    case 'd': return see_numbers<double, double>(*buffer, RowKind::dense_f64, most);
    case 'f': return see_numbers<float, float>(*buffer, RowKind::dense_f32, most);
#define ROSENBLATT_WHOLE(letter, T) \
  case letter: return see_numbers<T, double>(*buffer, RowKind::dense_f64, most);
      ROSENBLATT_WHOLE('?', bool)
      ROSENBLATT_WHOLE('b', signed char)
      ROSENBLATT_WHOLE('B', unsigned char)
      ROSENBLATT_WHOLE('h', short)
      ROSENBLATT_WHOLE('H', unsigned short)
      ROSENBLATT_WHOLE('i', int)
      ROSENBLATT_WHOLE('I', unsigned int)
      ROSENBLATT_WHOLE('l', long)
      ROSENBLATT_WHOLE('L', unsigned long)
      ROSENBLATT_WHOLE('q', long long)
      ROSENBLATT_WHOLE('Q', unsigned long long)
#undef ROSENBLATT_WHOLE
    default: return false;
  }
}

// Floats are left where they are if they lie row by row, whatever lies between the rows.
template <class From, class To>
bool GivenRows::see_numbers(const Py_buffer& x, const RowKind kind, const std::size_t most) {
  if (!is_aligned<From>(x)) return false;
  constexpr auto size = static_cast<Py_ssize_t>(sizeof(From));
  const Py_ssize_t rows = x.shape[0], columns = x.shape[1];
  const Py_ssize_t within = columns > 1 ? x.strides[1] : size, between = rows > 1 ? x.strides[0] : columns * size;
  view_.kind = kind;
  view_.count = static_cast<std::size_t>(rows);
  view_.columns = view_.stride = static_cast<std::size_t>(columns);
  view_.stored_values = view_.count * view_.columns;
  view_.values = x.buf;
  if (std::is_same_v<From, To> && within == size && between >= columns * size && between % size == 0) {
    view_.stride = static_cast<std::size_t>(between / size);
    return true;
  }
  if (view_.stored_values > most) return false;
  To* out = room<To>(view_.stored_values);
  view_.values = out;
  for (Py_ssize_t i = 0; i < rows; ++i) {
    const char* at = static_cast<const char*>(x.buf) + i * between;
    for (Py_ssize_t j = 0; j < columns; ++j, at += within) *out++ = static_cast<To>(*reinterpret_cast<const From*>(at));
  }
  return true;
}

bool GivenRows::see_list() {
#ifdef Py_GIL_DISABLED
  return false;  // another thread may change the list
#else
  PyObject* lines = values_.ptr();
  const auto rows = static_cast<std::size_t>(PyList_Size(lines));
  PyObject* first = rows ? PyList_GetItem(lines, 0) : nullptr;
  const std::size_t columns = first && PyList_CheckExact(first) ? static_cast<std::size_t>(PyList_Size(first)) : 0;
  if (!columns) return false;
  double* out = room<double>(rows * columns);
  view_.values = out;
  for (std::size_t i = 0; i < rows; ++i) {
    PyObject* line = PyList_GetItem(lines, static_cast<Py_ssize_t>(i));
    if (!PyList_CheckExact(line) || static_cast<std::size_t>(PyList_Size(line)) != columns) return false;
    for (std::size_t j = 0; j < columns; ++j)
      if (!read_number(PyList_GetItem(line, static_cast<Py_ssize_t>(j)), *out++)) return false;
  }
  view_.count = rows, view_.columns = view_.stride = columns, view_.stored_values = rows * columns;
  return true;
#endif
}

bool GivenRows::see_sparse(const nb::handle threads) {
  const Buffer values(values_.ptr()), indices(indices_.ptr()), starts(starts_.ptr());
  const auto is_index = [](const char letter) { return letter == 'i' || letter == 'l' || letter == 'q'; };
  if (!is_index(indices.letter()) || !is_index(starts.letter()) || (*indices).itemsize != (*starts).itemsize)
    return false;
  const bool wide = (*indices).itemsize == 8, single = values.letter() == 'f';
  if (!single && values.letter() != 'd') return false;
#define ROSENBLATT_SEE(kind, T, Index)                            \
  if (single == (sizeof(T) == 4) && wide == (sizeof(Index) == 8)) \
    return see_parts<T, Index>(*values, *indices, *starts, RowKind::kind, threads);
  ROSENBLATT_CSR_KINDS(ROSENBLATT_SEE)
#undef ROSENBLATT_SEE
  return false;
}

// Parts that do not fit together are not plain, nor are rows that repeat a column.
template <class T, class Index>
bool GivenRows::see_parts(const Py_buffer& values, const Py_buffer& indices, const Py_buffer& starts,
                          const RowKind kind, const nb::handle threads) {
  if (!is_vector<T>(values) || !is_vector<Index>(indices) || !is_vector<Index>(starts)) return false;
  const std::size_t stored = std::min(size_of(values, 0), size_of(indices, 0));
  if (size_of(starts, 0) != lines_ + 1) return false;
  const bool many = stored >= many_values && threads.is_valid();
  const std::size_t at_once = many ? nb::cast<std::size_t>(threads(nb::none())) : 1;
  view_.kind = kind;
  view_.count = lines_;
  view_.columns = places_;
  view_.values = values.buf, view_.indices = indices.buf, view_.starts = starts.buf;
  const auto check = [&] {
    const auto* begins = static_cast<const Index*>(starts.buf);
    if (check_csr(begins, lines_, static_cast<const Index*>(indices.buf), stored, places_, at_once)) return false;
    const auto reached = static_cast<std::size_t>(begins[lines_]);
    if (form_ == Form::csc) turn<T, Index>(reached);
    view_.stored_values = reached * 2;  // a pass reads values and indices
    return true;
  };
  try {
    if (!many) return check();
    nb::gil_scoped_release release;
    return check();
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// Columns become rows, each with its columns in rising order.
template <class T, class Index>
void GivenRows::turn(const std::size_t stored) {
  const auto* values = static_cast<const T*>(view_.values);
  const auto *rows = static_cast<const Index*>(view_.indices), *begins = static_cast<const Index*>(view_.starts);
  auto *starts = room<Index>(places_ + 1), *indices = room<Index>(stored);
  T* numbers = room<T>(stored);
  std::fill_n(starts, places_ + 1, Index{0});
  for (std::size_t k = 0; k < stored; ++k) ++starts[rows[k] + 1];
  for (std::size_t i = 1; i <= places_; ++i) starts[i] += starts[i - 1];
  for (std::size_t column = 0; column < lines_; ++column)
    for (Index k = begins[column]; k < begins[column + 1]; ++k) {
      const Index at = starts[rows[k]]++;
      indices[at] = static_cast<Index>(column);
      numbers[at] = values[k];
    }
  std::copy_backward(starts, starts + places_, starts + places_ + 1);  // each has moved to the end of its row
  starts[0] = 0;
  view_.count = places_, view_.columns = lines_;
  view_.values = numbers, view_.indices = indices, view_.starts = starts;
}

Rows GivenRows::rows() && {
  if (!copies_ && !view_.indices) return {view_, values_};
  if (!copies_) return {view_, nb::make_tuple(values_, indices_, starts_)};
  using Owner = decltype(copies_);
  return {view_, nb::capsule(new Owner(std::move(copies_)), [](void* p) noexcept { delete static_cast<Owner*>(p); })};
}

namespace {

nb::object plain_rows(nb::handle X, const std::size_t columns, nb::object names, nb::handle array, nb::handle threads,
                      const std::size_t most) {
  ColumnNames known(std::move(names));
  GivenRows given(array);
  if (!given.take(X, known) || !given.see(columns, most, threads)) return nb::none();
  return nb::cast(std::move(given).rows());
}

}  // namespace

void bind_given_rows(nb::module_& m) {
  m.def("plain_rows", &plain_rows, nb::arg("X").none(), nb::arg("columns"), nb::arg("names").none(), nb::arg("array"),
        nb::arg("threads"), nb::arg("most"));
}

}  // namespace rosenblatt
