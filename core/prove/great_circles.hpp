// Great circles of weights on which some rows vanish, looked at for places where few rows are negative.
//
// Rows a_i of a space of `dimension`, of length 1 at most, weigh whole numbers. The weights w with a_i . w > 0 for a
// set of rows form open cones; a smallest sum of rows with a_i . w <= 0 is found next to a ray where dimension - 1
// independent rows vanish. Each choice of dimension - 2 rows leaves a circle of directions, on which every further row
// has two such rays. Sectors of the circle count the rows that are negative all over them: where that is already as
// much as the best known, no ray matters. What is left is reported, for exact arithmetic to decide.
//
// Before circles are walked, clashes are looked for in the space that one row leaves, and two rows, and so on: sets of
// rows of which none has all positive. If clashes that share no row weigh as much as the best known, no ray there
// matters.
//
// Floats here never decide against a ray: `error` bounds how far a row, seen in the coordinates of a circle, is off.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rosenblatt {

// Rows that vanish on a ray, to be looked at exactly. If there are fewer than dimension - 1 of them, or if `unclear`,
// floats cannot tell whether they are independent. `near` are all rows that may vanish there.
struct Ray {
  std::vector<std::int32_t> chosen, near;
  bool unclear = false;
};

class Circles {
 public:
  // `rows` is row-major, count x dimension, dimension >= 2; `guide` is a direction in which few rows are negative.
  Circles(const double* rows, const std::int32_t* weights, std::size_t count, std::size_t dimension,
          const double* guide, double error);

  // Looks for rays with less than `best` surely negative. The budget is of rows looked at on circles; it ends sooner if
  // there is much to report.
  std::vector<Ray> advance(std::int64_t best, std::int64_t budget);

  // No other ray where just these rows may vanish will be reported.
  void settle(const std::vector<std::int32_t>& near);

  bool done() const { return done_; }
  double share() const;  // of the work, roughly

 private:
  struct Level {
    std::vector<double> columns;  // of the rows in the space that is left, one after the other
    std::vector<double> guide;
    double error = 0.0;
  };

  void descend(std::size_t level, std::int64_t best, std::int64_t& budget, std::vector<Ray>& found);
  std::size_t step(std::size_t level);
  bool project(std::size_t level);
  void test_row(std::int64_t best, std::int64_t& budget);
  void test_pair(std::int64_t best, std::int64_t& budget);
  double circles_below(std::size_t level) const;
  std::vector<std::int32_t> rows_chosen(std::size_t level) const;
  bool goes_with_others(std::size_t level) const;
  bool hopeless(std::size_t level, double at_stake, std::int64_t best, std::int64_t& budget);
  void look(std::int64_t best, std::vector<Ray>& found);
  void examine(std::int64_t best, std::int32_t row, std::vector<Ray>& found);
  std::uint64_t hash(const std::vector<std::int32_t>& near) const;

  std::size_t count_, dimension_, choices_, sectors_;
  std::vector<std::int32_t> weights_;
  std::vector<std::uint64_t> keys_;
  std::vector<Level> levels_;
  std::vector<std::int32_t> candidates_;  // rows that may vanish on a ray that matters
  std::vector<std::uint8_t> apart_;       // pairs of candidates that cannot vanish together on one
  std::vector<std::size_t> chosen_;       // places among the candidates
  std::vector<double> along_, place_;
  std::vector<std::int32_t> first_sector_;
  std::vector<std::int64_t> begins_, sums_, left_;
  std::unordered_multimap<std::uint64_t, std::vector<std::int32_t>> settled_;
  enum class Stage { rows, pairs, circles } stage_ = Stage::rows;
  std::size_t first_ = 0, second_ = 1;  // what is tested next
  double seen_ = 0.0;                   // circles, also those passed over
  bool done_ = false;
};

}  // namespace rosenblatt
