// Searches great circles of weights for directions in which few rows are negative.
//
// Rows a_i, of length at most 1 in a space of `dimension`, have integer weights. The weights w with a_i . w > 0 for a
// set of rows form open cones. A minimum of the total weight of rows with a_i . w <= 0 lies next to a ray where
// dimension - 1 independent rows vanish. Each choice of dimension - 2 rows leaves a circle of directions, on which
// every further row has two such rays. For each sector of a circle the search counts the rows that are negative all
// over it; where their weight is at least the best known, no ray can be better. The other rays are reported for exact
// arithmetic to decide.
//
// Before a circle is searched, clashes are searched in the space that one chosen row leaves, then two rows, and so on.
// A clash is a set of rows that no w has all positive. If clashes without common rows weigh at least the best known, no
// ray in that space can be better.
//
// Floats never rule out a ray wrongly: `error` bounds how far a row is off in the coordinates of a circle.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "prove/circle_sectors.hpp"

namespace rosenblatt {

// The chosen rows vanish on this ray. `near` lists all rows that may vanish there. If `unclear`, or with fewer than
// dimension - 1 chosen rows, floats cannot tell whether the chosen rows are independent.
struct Ray {
  std::vector<std::uint32_t> chosen, near;
  bool unclear = false;
};

class GreatCircles {
 public:
  // `rows` is row-major, count x dimension, with dimension >= 2. `guide` is a direction in which few rows are negative.
  GreatCircles(const double* rows, const std::int32_t* weights, std::size_t count, std::size_t dimension,
               const double* guide, double error);

  // Finds rays where rows of total weight below `best` are certainly negative. The budget counts rows per circle. The
  // call returns early if there is much to report.
  std::vector<Ray> advance(std::int64_t best, std::int64_t budget);

  // No further ray with exactly these near rows will be reported.
  void settle(const std::vector<std::uint32_t>& near);

  bool done() const { return done_; }
  double progress() const;  // the fraction of work done, roughly

 private:
  struct Level {
    std::vector<double> columns;  // of the rows in the remaining space, one after the other
    std::vector<double> guide;
    double error = 0.0;
  };

  void reserve_levels();
  void fill_first_level(const double* rows, const double* guide, double error);
  void descend(std::size_t level, std::int64_t best, std::int64_t& budget, std::vector<Ray>& found);
  std::size_t step(std::size_t level);
  bool project_out(std::size_t level);
  void reflect(const Level& from, const std::vector<double>& u, Level& to);
  void test_row(std::int64_t best, std::int64_t& budget);
  void test_pair(std::int64_t best, std::int64_t& budget);
  double circles_below(std::size_t level) const;
  std::vector<std::uint32_t> rows_chosen(std::size_t level) const;
  bool is_compatible(std::size_t level) const;
  std::vector<std::uint32_t> rows_against_guide(const Level& space, std::size_t size);
  bool is_pruned(std::size_t level, double circles_saved, std::int64_t best, std::int64_t& budget);
  void scan_circle(std::int64_t best, std::vector<Ray>& found);
  void examine_ray(std::int64_t best, std::uint32_t row, std::vector<Ray>& found);
  void project_on_ray(double c, double s);
  std::int64_t least_mistakes_on_ray(double error) const;
  bool is_settled(const std::vector<std::uint32_t>& near) const;
  std::uint64_t hash(const std::vector<std::uint32_t>& near) const;

  std::size_t count_, dimension_, choices_;
  std::vector<std::int32_t> weights_;
  std::vector<std::uint64_t> keys_;
  std::vector<Level> levels_;
  std::vector<std::uint32_t> candidates_;  // rows that may vanish on a ray better than the best known
  std::vector<std::uint8_t> apart_;  // pairs of candidates that cannot vanish together on such a ray
  std::vector<std::size_t> chosen_;  // indices into candidates_
  std::vector<double> along_;  // each row times a direction
  CircleSectors sectors_;
  std::unordered_multimap<std::uint64_t, std::vector<std::uint32_t>> settled_;
  enum class Stage { rows, pairs, circles } stage_ = Stage::rows;
  std::size_t first_ = 0, second_ = 1;  // the next row or pair to test
  double seen_ = 0.0;  // circles done or skipped
  bool done_ = false;
};

}  // namespace rosenblatt
