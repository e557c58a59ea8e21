// Attributes and methods of Python's objects, by names that are looked up fast. What is not there is empty, not an
// error.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace rosenblatt {

// Texts that Python looks up fast.
#define ROSENBLATT_NAME(variable, text) static PyObject* const variable = PyUnicode_InternFromString(text)

inline nanobind::object attribute(nanobind::handle from, PyObject* name) {
  nanobind::object found = nanobind::steal(PyObject_GetAttr(from.ptr(), name));
  if (!found.is_valid()) PyErr_Clear();
  return found;
}

// What a method returns; empty if it raises.
template <class... Given>
nanobind::object call(const nanobind::handle object, const char* method, const Given&... given) {
  const nanobind::object name = nanobind::steal(PyUnicode_InternFromString(method));
  nanobind::object found =
      nanobind::steal(PyObject_CallMethodObjArgs(object.ptr(), name.ptr(), given.ptr()..., nullptr));
  if (!found.is_valid()) PyErr_Clear();
  return found;
}

inline bool is_true(const nanobind::object& answer) { return answer.is_valid() && answer.ptr() == Py_True; }

inline std::string_view text(const nanobind::object& from) {
  Py_ssize_t size = 0;
  const char* bytes =
      from.is_valid() && PyUnicode_Check(from.ptr()) ? PyUnicode_AsUTF8AndSize(from.ptr(), &size) : nullptr;
  return bytes ? std::string_view(bytes, static_cast<std::size_t>(size)) : std::string_view();
}

// Whether a type is from a package or one of its modules.
inline bool is_from(const nanobind::handle type, const std::string_view package) {
  ROSENBLATT_NAME(module_name, "__module__");
  const nanobind::object module_text = attribute(type, module_name);
  const std::string_view name = text(module_text);
  return name.starts_with(package) && (name.size() == package.size() || name[package.size()] == '.');
}

}  // namespace rosenblatt
