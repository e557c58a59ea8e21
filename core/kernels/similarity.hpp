// Kernel functions K(a, b) of two rows, kernel matrices, and scores of kernel classifiers. Every K is computed from one
// product a.b, summed coordinate by coordinate in the type of the rows (double where they are sparse), and stored as
// float. So its bits do not depend on tiles, threads or the order of the pair, and a row has distance 0 from itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "kernels/packed_rows.hpp"
#include "passes/passes.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

// Owns the memory of a PackedView.
class PackedRows {
 public:
  PackedRows(const FunctionTable&, const RowsView&, std::size_t threads);
  PackedRows(const PackedRows&) = delete;

  const PackedView& view() const noexcept { return view_; }

 private:
  PackedView view_;
  std::unique_ptr<float[]> narrow_;
  std::unique_ptr<double[]> wide_;
  std::vector<double> norms_, values_, column_values_;
  std::vector<std::size_t> starts_, column_starts_;
  std::vector<std::uint32_t> at_, column_rows_;
};

// Row i holds K(row i of `left`, row j of `basis`) for every j. `fill` computes the first `cached` rows and stores
// them; the others are generated at each visit. Row i moves weight `first` + i.
class KernelMatrix {
 public:
  KernelMatrix(const Similarity&, const PackedRows& left, const PackedRows& basis, std::size_t cached,
               std::size_t first, std::size_t budget);
  // A complete matrix that the caller owns, and K(x, x) of the basis.
  KernelMatrix(const RowsView& matrix, std::vector<double> diagonal, std::size_t first, std::size_t budget);
  KernelMatrix(const KernelMatrix&) = delete;

  // Computes the next rows, at least `rows` of them. Returns whether rows are left to compute.
  bool fill(const FunctionTable&, std::size_t rows, std::size_t threads);
  RowsView rows() const noexcept;
  const std::vector<double>& diagonal() const noexcept { return diagonal_; }

 private:
  void fill_block(const FunctionTable&, std::size_t begin, std::size_t end);

  KernelMatrixView view_;
  RowsView matrix_;
  bool symmetric_ = false;
  std::size_t made_ = 0;
  struct Free {
    void operator()(float* room) const noexcept { std::free(room); }
  };
  std::unique_ptr<float[], Free> cache_;
  std::vector<double> diagonal_;
};

// out[row][plane] = sum of weights[plane][j] K(x, basis row j) + offset[plane]. Returns whether all are finite.
bool kernel_scores(const FunctionTable&, const Similarity&, const RowsView& rows, const PackedView& basis,
                   const Weights&, std::size_t threads, double* out);

}  // namespace rosenblatt
