// Circles of weights in Python; docstrings live in prove/rays.py.
#include <nanobind/stl/vector.h>

#include <atomic>
#include <stdexcept>

#include "bindings/bindings.hpp"
#include "prove/great_circles.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BoundCircles {
  Circles circles;
  std::atomic_flag busy;
};

// Runs `work` without the GIL; circles move in one thread at a time.
template <class Work>
auto alone(BoundCircles& c, const Work& work) {
  if (c.busy.test_and_set()) throw std::runtime_error("these circles are being looked at in another thread");
  struct Release {
    std::atomic_flag& busy;
    ~Release() { busy.clear(); }
  } release{c.busy};
  nb::gil_scoped_release unlocked;
  return work(c.circles);
}

}  // namespace

void bind_circles(nb::module_& m) {
  nb::class_<Ray>(m, "Ray")
      .def_prop_ro("chosen", [](const Ray& r) { return r.chosen; })
      .def_prop_ro("near", [](const Ray& r) { return r.near; })
      .def_prop_ro("unclear", [](const Ray& r) { return r.unclear; });
  nb::class_<BoundCircles>(m, "Circles")
      .def(
          "__init__",
          [](BoundCircles* where, const Matrix& rows, const Vector<std::int32_t>& weights, const Vector<double>& guide,
             const double error) {
            if (rows.shape(1) < 2) throw std::invalid_argument("circles need two dimensions");
            if (weights.shape(0) != rows.shape(0)) throw std::invalid_argument("rows and weights differ in length");
            if (guide.shape(0) != rows.shape(1)) throw std::invalid_argument("rows and guide differ in dimension");
            new (where) BoundCircles{
                Circles(rows.data(), weights.data(), rows.shape(0), rows.shape(1), guide.data(), error), {}};
          },
          nb::arg("rows"), nb::arg("weights"), nb::arg("guide"), nb::arg("error"))
      .def(
          "advance",
          [](BoundCircles& c, const std::int64_t best, const std::int64_t budget) {
            return alone(c, [&](Circles& circles) { return circles.advance(best, budget); });
          },
          nb::arg("best"), nb::arg("budget"))
      .def(
          "settle",
          [](BoundCircles& c, const std::vector<std::int32_t>& near) {
            alone(c, [&](Circles& circles) { circles.settle(near); });
          },
          nb::arg("near"))
      .def_prop_ro("done", [](const BoundCircles& c) { return c.circles.done(); })
      .def_prop_ro("share", [](const BoundCircles& c) { return c.circles.share(); });
}

}  // namespace rosenblatt
