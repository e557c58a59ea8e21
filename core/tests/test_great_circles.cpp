// GreatCircles reports every relevant ray, compared with a check of all pairs of rows in three dimensions.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "prove/great_circles.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

namespace {

using Rows = std::vector<std::array<double, 3>>;

Rows random_rows(const std::size_t count) {
  const std::vector<double> values = numbers(3 * count, count);
  Rows rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto& row = rows[i];
    for (std::size_t j = 0; j < 3; ++j) row[j] = values[3 * i + j];
    const double length = std::sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
    for (double& value : row) value /= length;
  }
  return rows;
}

// The pairs of rows that vanish on a ray where fewer than `best` other rows are negative, in one direction or the
// other.
std::set<std::pair<std::size_t, std::size_t>> find_all_pairs(const Rows& rows, const int best) {
  std::set<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const auto &a = rows[i], &b = rows[j];
      const std::array v{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
      int negative = 0, positive = 0;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        if (k == i || k == j) continue;
        const double margin = rows[k][0] * v[0] + rows[k][1] * v[1] + rows[k][2] * v[2];
        negative += margin < 0;
        positive += margin > 0;
      }
      if (std::min(negative, positive) < best) found.insert({i, j});
    }
  return found;
}

}  // namespace

int main() {
  for (const std::size_t count : {2u, 3u, 7u, 40u, 130u}) {
    const Rows rows = random_rows(count);
    const std::vector<std::int32_t> weights(count, 1);
    const std::array guide{1.0, 0.0, 0.0};
    for (const int best : {1, static_cast<int>(count) / 4, static_cast<int>(count)}) {
      GreatCircles circles(rows[0].data(), weights.data(), count, 3, guide.data(), 1e-15);
      std::set<std::pair<std::size_t, std::size_t>> found;
      while (!circles.done())
        for (const Ray& ray : circles.advance(best, 1000)) {
          CHECK(!ray.unclear && ray.near == ray.chosen);
          found.insert({ray.chosen[0], ray.chosen[1]});
        }
      CHECK(found == find_all_pairs(rows, best));
      CHECK(circles.progress() == 1.0);
    }
  }
  return report();
}
