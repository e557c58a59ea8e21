// Kernel matrices in Python; docstrings live in similarity.py.
#include "kernels/similarity.hpp"

#include <nanobind/stl/pair.h>

#include <atomic>
#include <stdexcept>

#include "bindings/bindings.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

using Planes = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BoundPacked {
  Packed packed;

  BoundPacked(const RowsView& rows, const std::size_t threads) : packed(kernels(), rows, threads) {}
};

struct BoundGram {
  Gram gram;
  nb::object left, basis;             // what it reads
  std::atomic_flag busy;
};

nb::tuple scores(const Similarity& similarity, const Rows& rows, const BoundPacked& basis, const Planes& w,
                 const Vector<double>& b, const std::size_t threads) {
  if (w.shape(1) != basis.packed.view().count || w.shape(0) != b.shape(0))
    throw std::invalid_argument("weights and rows of a kernel differ in number");
  std::vector<double> out(rows.view.count * w.shape(0));
  bool finite = false;
  {
    nb::gil_scoped_release release;
    finite = kernel_scores(kernels(), similarity, rows.view, basis.packed.view(),
                           {w.data(), b.data(), w.shape(0), 1.0, 1.0}, threads, out.data());
  }
  return nb::make_tuple(to_numpy(std::move(out), {rows.view.count, w.shape(0)}), finite);
}

}  // namespace

void bind_similarity(nb::module_& m) {
  nb::class_<Similarity>(m, "Similarity")
      .def(
          "__init__",
          [](Similarity* where, const std::int64_t kind, const double gamma, const double constant,
             const std::uint32_t degree) {
            if (kind < 0 || kind > 2) throw std::invalid_argument("unknown kernel");
            new (where) Similarity{static_cast<SimilarityKind>(kind), gamma, constant, degree};
          },
          nb::arg("kind"), nb::arg("gamma"), nb::arg("constant"), nb::arg("degree"));

  nb::class_<BoundPacked>(m, "Packed")
      .def(
          "__init__",
          [](BoundPacked* where, const Rows& rows, const std::size_t threads) {
            nb::gil_scoped_release release;
            new (where) BoundPacked(rows.view, threads);
          },
          nb::arg("rows"), nb::arg("threads"))
      .def_prop_ro("count", [](const BoundPacked& p) { return p.packed.view().count; });

  nb::class_<BoundGram>(m, "Gram")
      .def(
          "__init__",
          [](BoundGram* where, const Similarity& similarity, nb::object left, nb::object basis,
             const std::size_t cached, const std::size_t first, const std::size_t budget) {
            new (where) BoundGram{{similarity, nb::cast<const BoundPacked&>(left).packed,
                                   nb::cast<const BoundPacked&>(basis).packed, cached, first, budget},
                                  left,
                                  basis,
                                  {}};
          },
          nb::arg("similarity"), nb::arg("left"), nb::arg("basis"), nb::arg("cached"), nb::arg("first"),
          nb::arg("budget"))
      .def(
          "__init__",
          [](BoundGram* where, nb::object matrix, const Vector<double>& diagonal, const std::size_t first,
             const std::size_t budget) {
            std::vector<double> own(diagonal.data(), diagonal.data() + diagonal.shape(0));
            const RowsView& rows = nb::cast<const Rows&>(matrix).view;
            new (where) BoundGram{{rows, std::move(own), first, budget}, matrix, nb::none(), {}};
          },
          nb::arg("matrix"), nb::arg("diagonal"), nb::arg("first"), nb::arg("budget"))
      .def(
          "fill",
          [](BoundGram& g, const std::size_t rows, const std::size_t threads) {
            if (g.busy.test_and_set()) throw std::runtime_error("this kernel matrix is being filled in another thread");
            struct Release {
              std::atomic_flag& busy;
              ~Release() { busy.clear(); }
            } release{g.busy};
            nb::gil_scoped_release unlocked;
            return g.gram.fill(kernels(), rows, threads);
          },
          nb::arg("rows"), nb::arg("threads"))
      .def("diagonal",
           [](const BoundGram& g) {
             return to_numpy(std::vector<double>(g.gram.diagonal()), {g.gram.diagonal().size()});
           })
      .def("rows", [](nb::object self) { return Rows{nb::cast<const BoundGram&>(self).gram.rows(), self}; });

  m.def("kernel_scores", &scores, nb::arg("similarity"), nb::arg("rows"), nb::arg("basis"), nb::arg("weights"),
        nb::arg("offsets"), nb::arg("threads"));
}

}  // namespace rosenblatt
