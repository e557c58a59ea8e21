// What the binding files share. They only convert and check arguments; docstrings and rules live in the .py files.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "loop/advance.hpp"

namespace rosenblatt {

struct Rows {
  RowsView view;
  nanobind::object keep_alive;
  bool repeats_columns = false;  // some CSR row repeats a column; the caller must sum the duplicates first
};

struct PyProblem : Problem {
  nanobind::object rows_owner, labels_owner, weights_owner;
};

void bind_rows(nanobind::module_&);
void bind_lifts(nanobind::module_&, nanobind::class_<Rows>&);
void bind_labels(nanobind::module_&);
void bind_problem(nanobind::module_&);
void bind_passes(nanobind::module_&);
void bind_state(nanobind::module_&);
void bind_given_rows(nanobind::module_&);
void bind_row_learner(nanobind::module_&);
void bind_dual(nanobind::module_&);
void bind_newton(nanobind::module_&);
void bind_jeffreys(nanobind::module_&);
void bind_joint_hinge(nanobind::module_&);
void bind_kernels(nanobind::module_&);
void bind_word_counter(nanobind::module_&);
void bind_vocabulary(nanobind::module_&);
void bind_tables(nanobind::module_&);
void bind_prove(nanobind::module_&);
void bind_files(nanobind::module_&);

// The functions of the instruction set in use.
const FunctionTable& active_functions();

// An enumerator from its number; throws if there is none.
template <class Enum>
Enum enumerator(const std::int64_t value, const std::size_t count, const char* what) {
  if (value < 0 || static_cast<std::size_t>(value) >= count)
    throw std::invalid_argument(std::string("unknown ") + what);
  return static_cast<Enum>(value);
}

}  // namespace rosenblatt
