// Rows as users hold them: arrays, lists of lists, data frames and sparse matrices. What plainly is one of these is
// seen here, in one place, at a cost far below that of a visit; all else is left to Python, which checks it and speaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bindings/column_names.hpp"
#include "bindings/module.hpp"

namespace rosenblatt {

// A view of an array's memory, for as long as the object lives. It is empty if there is no such view.
class Buffer {
 public:
  explicit Buffer(PyObject* from) : got_(PyObject_GetBuffer(from, &view_, PyBUF_STRIDES | PyBUF_FORMAT) == 0) {
    if (!got_) PyErr_Clear();
  }
  ~Buffer() {
    if (got_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  // The type of the numbers as NumPy's letter; 0 for bytes in another order and all that is no number.
  char letter() const noexcept { return got_ && view_.format[0] && !view_.format[1] ? view_.format[0] : '\0'; }
  const Py_buffer& operator*() const noexcept { return view_; }

 private:
  Py_buffer view_ = {};
  bool got_;
};

// Rows are taken first, which may run Python's code, and seen then, which does not.
class GivenRows {
 public:
  explicit GivenRows(const nanobind::handle array_type) : array_type_(array_type) {}

  // Whether X may be plain: an array, a list, a CSR or CSC matrix; or with names, a data frame with these columns.
  bool take(nanobind::handle X, ColumnNames& names);
  // Whether X is plain: it has rows of numbers, and these columns unless `columns` is 0. Arrays that do not lie row by
  // row are copied up to `most` numbers. `threads` is a function of None that is asked for large sparse matrices.
  bool see(std::size_t columns, std::size_t most, nanobind::handle threads);
  const RowsView& view() const noexcept { return view_; }
  Rows rows() &&;  // what was seen, with what keeps it in memory

 private:
  enum class Form : std::uint8_t { array, list, csr, csc };
  Form form_ = Form::array;
  nanobind::handle array_type_;
  nanobind::object values_, indices_, starts_;  // a list or array, or the parts of a sparse matrix
  std::size_t lines_ = 0, places_ = 0;  // of a sparse matrix: rows and columns, for CSC columns and rows
  RowsView view_;
  std::shared_ptr<std::vector<std::unique_ptr<std::byte[]>>> copies_;

  bool is_array(nanobind::handle x) const noexcept {
    return reinterpret_cast<PyObject*>(Py_TYPE(x.ptr())) == array_type_.ptr();
  }
  template <class T>
  T* room(std::size_t count);
  bool take_sparse(nanobind::handle X);
  bool see_array(std::size_t most);
  template <class From, class To>
  bool see_numbers(const Py_buffer& x, RowKind kind, std::size_t most);
  bool see_list();
  bool see_sparse(nanobind::handle threads);
  template <class T, class Index>
  bool see_parts(const Py_buffer& values, const Py_buffer& indices, const Py_buffer& starts, RowKind kind,
                 nanobind::handle threads);
  template <class T, class Index>
  void turn(std::size_t stored);
};

// Whether all numbers of rows are finite, for rows so few that threads and vectors of them would take longer.
bool are_finite(const RowsView& rows);

}  // namespace rosenblatt
