// Searches for weights with few mistakes: great circles and branches.
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/guard.hpp"
#include "bindings/module.hpp"
#include "prove/branches.hpp"
#include "prove/great_circles.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

using PyGreatCircles = Guarded<GreatCircles>;
using PyBranches = Guarded<Branches>;
constexpr const char* circles_busy = "these circles are being looked at in another thread";
constexpr const char* branches_busy = "these branches are being looked at in another thread";

// Both searches start from weighted rows and a direction in which few rows are negative.
template <class Search>
void init_search(Guarded<Search>* where, const Matrix<double>& rows, const Vector<std::int32_t>& weights,
                 const Vector<double>& guide, const double error) {
  if (weights.shape(0) != rows.shape(0)) throw std::invalid_argument("rows and weights differ in length");
  if (guide.shape(0) != rows.shape(1)) throw std::invalid_argument("rows and guide differ in dimension");
  new (where) Guarded<Search>(rows.data(), weights.data(), rows.shape(0), rows.shape(1), guide.data(), error);
}

void init_circles(PyGreatCircles* where, const Matrix<double>& rows, const Vector<std::int32_t>& weights,
                  const Vector<double>& guide, const double error) {
  if (rows.shape(1) < 2) throw std::invalid_argument("circles need two dimensions");
  init_search(where, rows, weights, guide, error);
}

// A property of a search that is more than one number, and so must not meet a thread that searches.
template <class Search, class Value>
auto reader(const char* message, Value (Search::*read)() const) {
  return [=](Guarded<Search>& guarded) {
    return guarded.use(message, [=](const Search& search) { return (search.*read)(); });
  };
}

}  // namespace

void bind_prove(nb::module_& m) {
  nb::class_<PyBranches>(m, "Branches")
      .def("__init__", &init_search<Branches>, nb::arg("rows"), nb::arg("weights"), nb::arg("guide"), nb::arg("error"))
      .def(
          "advance",
          [](PyBranches& b, const std::int64_t best, const std::int64_t count) {
            return b.use_without_gil(branches_busy, [&](Branches& branches) { return branches.advance(best, count); });
          },
          nb::arg("best"), nb::arg("branches"))
      .def_prop_ro("given_up", reader(branches_busy, &Branches::given_up))
      .def_prop_ro("done", reader(branches_busy, &Branches::done))
      .def_prop_ro("share", [](const PyBranches& b) { return b.peek().progress(); });

  nb::class_<Ray>(m, "Ray")
      .def_prop_ro("chosen", [](const Ray& r) { return r.chosen; })
      .def_prop_ro("near", [](const Ray& r) { return r.near; })
      .def_prop_ro("unclear", [](const Ray& r) { return r.unclear; });

  nb::class_<PyGreatCircles>(m, "Circles")
      .def("__init__", &init_circles, nb::arg("rows"), nb::arg("weights"), nb::arg("guide"), nb::arg("error"))
      .def(
          "advance",
          [](PyGreatCircles& c, const std::int64_t best, const std::int64_t budget) {
            return c.use_without_gil(circles_busy,
                                     [&](GreatCircles& circles) { return circles.advance(best, budget); });
          },
          nb::arg("best"), nb::arg("budget"))
      .def(
          "settle",
          [](PyGreatCircles& c, const std::vector<std::uint32_t>& near) {
            c.use_without_gil(circles_busy, [&](GreatCircles& circles) { circles.settle(near); });
          },
          nb::arg("near"))
      .def_prop_ro("done", [](const PyGreatCircles& c) { return c.peek().done(); })
      .def_prop_ro("share", reader(circles_busy, &GreatCircles::progress));
}

}  // namespace rosenblatt
