// Kernels in the sense of mathematics, K(a, b) of two rows, and rows laid out for the products of all with all.
// (`Kernels` are the functions of an instruction set.) Every K comes from one product a.b, summed coordinate by
// coordinate in the type of the rows (double where they are sparse) whatever the tiles and threads, and is kept as
// float: the same bits for a pair in either order, and 0 for the distance of a row from itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "passes/passes.hpp"
#include "targets/function_table.hpp"

namespace rosenblatt {

// Owns what a PackedView shows.
class Packed {
 public:
  Packed(const Kernels&, const RowsView&, std::size_t threads);
  Packed(const Packed&) = delete;

  const PackedView& view() const noexcept { return view_; }

 private:
  PackedView view_;
  std::unique_ptr<float[]> narrow_;
  std::unique_ptr<double[]> wide_;
  std::vector<double> norms_, values_, column_values_;
  std::vector<std::size_t> starts_, column_starts_;
  std::vector<std::uint32_t> at_, column_rows_;
};

// Row i holds K of row i of `left` and every row of `basis`; the first `cached` of them are kept in memory, once `fill`
// has made them. Row i moves weight `first` + i.
class Gram {
 public:
  Gram(const Similarity&, const Packed& left, const Packed& basis, std::size_t cached, std::size_t first,
       std::size_t budget);
  // A matrix that the caller holds, all of it, and K(x, x) of the basis.
  Gram(const RowsView& matrix, std::vector<double> diagonal, std::size_t first, std::size_t budget);
  Gram(const Gram&) = delete;

  // Makes the next rows, at least `rows` of them unless all are there; says whether more are to be made.
  bool fill(const Kernels&, std::size_t rows, std::size_t threads);
  RowsView rows() const noexcept;
  const std::vector<double>& diagonal() const noexcept { return diagonal_; }

 private:
  void fill_block(const Kernels&, std::size_t begin, std::size_t end);

  GramView view_;
  RowsView matrix_;
  bool symmetric_ = false;
  std::size_t made_ = 0;
  struct Free {
    void operator()(float* room) const noexcept { std::free(room); }
  };
  std::unique_ptr<float[], Free> cache_;
  std::vector<double> diagonal_;
};

// out[row][plane] = sum of weights[plane][j] K(x, basis row j) + offset[plane]; whether all were finite.
bool kernel_scores(const Kernels&, const Similarity&, const RowsView& rows, const PackedView& basis, const Weights&,
                   std::size_t threads, double* out);

}  // namespace rosenblatt
