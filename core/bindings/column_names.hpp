// The names that the columns of a data frame must have.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

namespace rosenblatt {

class ColumnNames {
 public:
  // An array of texts, or None for rows without names.
  explicit ColumnNames(nanobind::object names) : names_(std::move(names)) {}
  bool any() const noexcept { return !names_.is_none(); }
  bool are_those_of(nanobind::handle frame);

 private:
  bool are_listed(const nanobind::object& list);

  nanobind::object names_;  // a list as soon as one was compared
  nanobind::object equal_;  // the index of pandas that was found equal last: an index never changes
};

}  // namespace rosenblatt
