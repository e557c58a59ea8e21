// Kernel functions, kernel matrices and scores of kernel classifiers.
#include <stdexcept>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/guard.hpp"
#include "bindings/module.hpp"
#include "kernels/similarity.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

constexpr const char* busy = "this kernel matrix is being filled in another thread";

// A kernel matrix and the Python objects whose memory it reads.
struct PyKernelMatrix : Guarded<KernelMatrix> {
  nb::object left, basis;

  template <class... Args>
  PyKernelMatrix(nb::object l, nb::object b, Args&&... args)
      : Guarded<KernelMatrix>(std::forward<Args>(args)...), left(std::move(l)), basis(std::move(b)) {}
};

void init_similarity(Similarity* where, const std::int64_t kind, const double gamma, const double constant,
                     const std::uint32_t degree) {
  new (where) Similarity{enumerator<SimilarityKind>(kind, similarity_kind_count, "kernel"), gamma, constant, degree};
}

void init_packed(PackedRows* where, const Rows& rows, const std::size_t threads) {
  nb::gil_scoped_release release;
  new (where) PackedRows(active_functions(), rows.view, threads);
}

void init_computed_matrix(PyKernelMatrix* where, const Similarity& similarity, nb::object left, nb::object basis,
                          const std::size_t cached, const std::size_t first, const std::size_t budget) {
  new (where) PyKernelMatrix(left, basis, similarity, nb::cast<const PackedRows&>(left),
                             nb::cast<const PackedRows&>(basis), cached, first, budget);
}

void init_given_matrix(PyKernelMatrix* where, nb::object matrix, const Vector<double>& diagonal,
                       const std::size_t first, const std::size_t budget) {
  std::vector<double> own(diagonal.data(), diagonal.data() + diagonal.shape(0));
  new (where) PyKernelMatrix(matrix, nb::none(), nb::cast<const Rows&>(matrix).view, std::move(own), first, budget);
}

nb::tuple scores(const Similarity& similarity, const Rows& rows, const PackedRows& basis, const Matrix<double>& w,
                 const Vector<double>& b, const std::size_t threads) {
  if (w.shape(1) != basis.view().count || w.shape(0) != b.shape(0))
    throw std::invalid_argument("weights and rows of a kernel differ in number");
  std::vector<double> out(rows.view.count * w.shape(0));
  bool finite = false;
  {
    nb::gil_scoped_release release;
    finite = kernel_scores(active_functions(), similarity, rows.view, basis.view(),
                           {w.data(), b.data(), w.shape(0), 1.0, 1.0}, threads, out.data());
  }
  return nb::make_tuple(to_numpy(std::move(out), {rows.view.count, w.shape(0)}), finite);
}

}  // namespace

void bind_kernels(nb::module_& m) {
  nb::class_<Similarity>(m, "Similarity")
      .def("__init__", &init_similarity, nb::arg("kind"), nb::arg("gamma"), nb::arg("constant"), nb::arg("degree"));

  nb::class_<PackedRows>(m, "Packed")
      .def("__init__", &init_packed, nb::arg("rows"), nb::arg("threads"))
      .def_prop_ro("count", [](const PackedRows& p) { return p.view().count; });

  nb::class_<PyKernelMatrix>(m, "Gram")
      .def("__init__", &init_computed_matrix, nb::arg("similarity"), nb::arg("left"), nb::arg("basis"),
           nb::arg("cached"), nb::arg("first"), nb::arg("budget"))
      .def("__init__", &init_given_matrix, nb::arg("matrix"), nb::arg("diagonal"), nb::arg("first"), nb::arg("budget"))
      .def(
          "fill",
          [](PyKernelMatrix& k, const std::size_t rows, const std::size_t threads) {
            return k.use_without_gil(
                busy, [&](KernelMatrix& matrix) { return matrix.fill(active_functions(), rows, threads); });
          },
          nb::arg("rows"), nb::arg("threads"))
      .def("diagonal", [](const PyKernelMatrix& k) { return to_numpy(std::vector<double>(k.peek().diagonal())); })
      .def("rows", [](nb::object self) {
        auto& matrix = nb::cast<PyKernelMatrix&>(self);
        return Rows{matrix.use(busy, [](const KernelMatrix& k) { return k.rows(); }), self};
      });

  m.def("kernel_scores", &scores, nb::arg("similarity"), nb::arg("rows"), nb::arg("basis"), nb::arg("weights"),
        nb::arg("offsets"), nb::arg("threads"));
}

}  // namespace rosenblatt
