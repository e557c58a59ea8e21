// Branches of rows to give up in Python; docstrings live in prove/rays.py.
#include "prove/branches.hpp"

#include <nanobind/stl/vector.h>

#include <atomic>
#include <stdexcept>

#include "bindings/bindings.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BoundBranches {
  Branches branches;
  std::atomic_flag busy;
};

}  // namespace

void bind_branches(nb::module_& m) {
  nb::class_<BoundBranches>(m, "Branches")
      .def(
          "__init__",
          [](BoundBranches* where, const Matrix& rows, const Vector<std::int32_t>& weights, const Vector<double>& guide,
             const double error) {
            if (weights.shape(0) != rows.shape(0)) throw std::invalid_argument("rows and weights differ in length");
            if (guide.shape(0) != rows.shape(1)) throw std::invalid_argument("rows and guide differ in dimension");
            new (where) BoundBranches{
                Branches(rows.data(), weights.data(), rows.shape(0), rows.shape(1), guide.data(), error), {}};
          },
          nb::arg("rows"), nb::arg("weights"), nb::arg("guide"), nb::arg("error"))
      .def(
          "advance",
          [](BoundBranches& b, const std::int64_t best, const std::int64_t branches) {
            if (b.busy.test_and_set()) throw std::runtime_error("these branches are being looked at in another thread");
            struct Release {
              std::atomic_flag& busy;
              ~Release() { busy.clear(); }
            } release{b.busy};
            nb::gil_scoped_release unlocked;
            return b.branches.advance(best, branches);
          },
          nb::arg("best"), nb::arg("branches"))
      .def_prop_ro("given_up", [](const BoundBranches& b) { return b.branches.given_up(); })
      .def_prop_ro("done", [](const BoundBranches& b) { return b.branches.done(); })
      .def_prop_ro("share", [](const BoundBranches& b) { return b.branches.share(); });
}

}  // namespace rosenblatt
