// Clashes in floating point that are certain in spite of rounding: rows whose positive multiples add up to the negative
// of one row.
//
// Phase one of the simplex method finds the multipliers. A clash counts only if its multipliers stay positive whatever
// the true rows are, each within `error` of the given one.
#pragma once

#include <cstdint>
#include <vector>

namespace rosenblatt {

class Clashes {
 public:
  // `columns` holds the rows column by column.
  Clashes(const double* columns, std::size_t count, std::size_t size, double error);

  // Rows with weight left, as many as dimensions, that clash with `row`. Null if none are found.
  const std::vector<std::uint32_t>* around(std::uint32_t row, const std::vector<std::int64_t>& left);

 private:
  void start(std::uint32_t row);
  bool compute_prices();
  std::uint32_t choose_entering(std::uint32_t row, const std::vector<std::int64_t>& left);
  std::size_t choose_leaving(std::uint32_t entering);
  void pivot(std::uint32_t entering, std::size_t leaving);
  struct InverseQuality {
    double norm = 0.0, not_one = 0.0;  // |R| and |I - R M|
  };
  InverseQuality measure_inverse() const;
  double residual(const std::vector<double>& target) const;
  bool is_certain(const std::vector<double>& target) const;

  const double* columns_;
  std::size_t count_, size_;
  double error_;
  std::vector<double> inverse_, target_, values_, prices_, step_, reduced_costs_;
  double ratio_ = 0.0;  // of the last ratio test
  std::vector<std::uint32_t> basis_;
};

}  // namespace rosenblatt
