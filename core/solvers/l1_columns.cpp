#include "solvers/l1_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace rosenblatt {
namespace {

constexpr std::size_t memory = 5;  // sweeps that an extrapolation looks back
constexpr double support_share = 0.3;  // of `share`: a sweep over the support that gains less ends them

// sqrt(bend_i) x_ij, column by column, the offset's last.
struct ScaledColumns {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> rows;
  std::vector<double> values, squares;  // squares: the sum of each column's, the ridge included

  std::size_t size() const { return squares.size(); }
};

template <class T, class Index>
ScaledColumns columns_of(const L1Model& f) {
  const RowsView& v = f.rows;
  const auto* values = static_cast<const T*>(v.values);
  const auto *indices = static_cast<const Index*>(v.indices), *starts = static_cast<const Index*>(v.starts);
  ScaledColumns out;
  out.starts.assign(v.columns + 3, 0);
  for (std::size_t i = 0; i < v.count; ++i) {
    if (!(f.bend[i] > 0.0)) continue;
    for (Index at = starts[i]; at < starts[i + 1]; ++at) ++out.starts[static_cast<std::size_t>(indices[at]) + 2];
    ++out.starts[v.columns + 2];
  }
  for (std::size_t j = 2; j < out.starts.size(); ++j) out.starts[j] += out.starts[j - 1];
  out.rows.resize(out.starts.back());
  out.values.resize(out.starts.back());
  const auto put = [&](const std::size_t column, const std::size_t i, const double x) {
    const std::size_t to = out.starts[column + 1]++;
    out.rows[to] = static_cast<std::uint32_t>(i);
    out.values[to] = x;
  };
  for (std::size_t i = 0; i < v.count; ++i) {
    if (!(f.bend[i] > 0.0)) continue;
    const double root = std::sqrt(f.bend[i]);
    for (Index at = starts[i]; at < starts[i + 1]; ++at)
      put(static_cast<std::size_t>(indices[at]), i, root * static_cast<double>(values[at]));
    put(v.columns, i, root * f.offset_value);
  }
  out.starts.pop_back();
  return out;
}

ScaledColumns columns_of(const L1Model& f) {
  if (f.rows.lift) throw std::invalid_argument("columns are those of stored rows");
  switch (f.rows.kind) {
#define ROSENBLATT_CASE(kind, T, Index) \
  case RowKind::kind: return columns_of<T, Index>(f);
    ROSENBLATT_CSR_KINDS(ROSENBLATT_CASE)
#undef ROSENBLATT_CASE
    default: throw std::invalid_argument("columns are those of sparse rows");
  }
}

// u and what it moves: for each row sqrt(bend_i) x_i.(u - z).
struct Point {
  std::vector<double> u, moved;
};

class Descent {
 public:
  Descent(const L1Model& f, const double* z)
      : f_(f),
        columns_(columns_of(f)),
        z_(z, z + f.rows.columns + 1),
        now_{z_, std::vector<double>(f.rows.count, 0.0)} {
    columns_.squares.resize(z_.size());
    for (std::size_t j = 0; j < z_.size(); ++j) {
      double sum = f.ridge[j];
      for (std::size_t k = columns_.starts[j]; k < columns_.starts[j + 1]; ++k)
        sum += columns_.values[k] * columns_.values[k];
      columns_.squares[j] = sum;
    }
  }

  const std::vector<double>& u() const { return now_.u; }

  // One sweep over some coordinates. Returns how far the function falls.
  double sweep(const std::vector<std::uint32_t>& list) {
    double fall = 0.0;
    for (const std::uint32_t j : list) fall += visit(j);
    return fall;
  }

  std::vector<std::uint32_t> everything() const {
    std::vector<std::uint32_t> list;
    for (std::size_t j = 0; j < z_.size(); ++j)
      if (columns_.squares[j] > 0.0) list.push_back(static_cast<std::uint32_t>(j));
    return list;
  }

  // The coordinates with curvature that are not 0, or that have no penalty.
  std::vector<std::uint32_t> support() const {
    std::vector<std::uint32_t> list;
    for (const std::uint32_t j : everything())
      if (now_.u[j] != 0.0 || f_.penalty[j] == 0.0) list.push_back(j);
    return list;
  }

  // Sweeps over the support until one gains at most `enough` of `total`, which counts what they gain.
  void sweep_support(const double enough, std::size_t& sweeps, double& total) {
    const std::vector<std::uint32_t> list = support();
    last_.clear();
    last_.push_back(now_);
    while (sweeps > 0) {
      --sweeps;
      const double fall = sweep(list);
      total += fall;
      if (!(fall > enough * total)) return;
      last_.push_back(now_);
      if (last_.size() == memory + 1) total += extrapolate(list);
    }
  }

 private:
  // Moves one coordinate to its best value. Returns how far the function falls.
  double visit(const std::size_t j) {
    const std::size_t begin = columns_.starts[j], end = columns_.starts[j + 1];
    double& u = now_.u[j];
    double slope = f_.gradient[j] + f_.ridge[j] * (u - z_[j]);
    for (std::size_t k = begin; k < end; ++k) slope += columns_.values[k] * now_.moved[columns_.rows[k]];
    const double bend = columns_.squares[j], pull = bend * u - slope, left = std::abs(pull) - f_.penalty[j];
    const double value = left > 0.0 ? std::copysign(left, pull) / bend : 0.0, by = value - u;
    if (by == 0.0) return 0.0;
    for (std::size_t k = begin; k < end; ++k) now_.moved[columns_.rows[k]] += by * columns_.values[k];
    const double fall = -by * (slope + 0.5 * bend * by) - f_.penalty[j] * (std::abs(value) - std::abs(u));
    u = value;
    return fall;
  }

  double function(const Point& p, const std::vector<std::uint32_t>& list) const {
    double sum = 0.0;
    for (const double m : p.moved) sum += 0.5 * m * m;
    for (const std::uint32_t j : list) {
      const double by = p.u[j] - z_[j];
      sum += by * (f_.gradient[j] + 0.5 * f_.ridge[j] * by) + f_.penalty[j] * std::abs(p.u[j]);
    }
    return sum;
  }

  // Anderson's extrapolation: the mean of the last sweeps whose weighted moves cancel best. It is taken where the
  // function is lower there. Returns how far it falls.
  double extrapolate(const std::vector<std::uint32_t>& list) {
    const std::array<double, memory> shares = cancelling(list);
    Point mixed{now_.u, std::vector<double>(now_.moved.size(), 0.0)};
    for (const std::uint32_t j : list) mixed.u[j] = 0.0;
    for (std::size_t k = 0; k < memory; ++k) {
      const Point& p = last_[k + 1];
      for (const std::uint32_t j : list) mixed.u[j] += shares[k] * p.u[j];
      for (std::size_t i = 0; i < mixed.moved.size(); ++i) mixed.moved[i] += shares[k] * p.moved[i];
    }
    const double fall = function(now_, list) - function(mixed, list);
    const bool lower = fall > 0.0;  // not so for NaN
    if (lower) now_ = mixed;
    last_.clear();
    last_.push_back(now_);
    return lower ? fall : 0.0;
  }

  // Shares of 1 whose mean of the sweeps' moves is shortest.
  std::array<double, memory> cancelling(const std::vector<std::uint32_t>& list) const {
    std::array<double, memory * memory> products{};
    for (std::size_t a = 0; a < memory; ++a)
      for (std::size_t b = 0; b <= a; ++b)
        for (const std::uint32_t j : list)
          products[a * memory + b] +=
              columns_.squares[j] * (last_[a + 1].u[j] - last_[a].u[j]) * (last_[b + 1].u[j] - last_[b].u[j]);
    std::array<double, memory> shares;
    shares.fill(1.0);
    solve(products, shares);
    double sum = 0.0;
    for (const double share : shares) sum += share;
    for (double& share : shares) share /= sum;
    return shares;
  }

  // Gauss's elimination without pivots: the matrix is positive definite, or the shares are no use.
  static void solve(std::array<double, memory * memory>& a, std::array<double, memory>& x) {
    for (std::size_t r = 0; r < memory; ++r)
      for (std::size_t c = r + 1; c < memory; ++c) a[r * memory + c] = a[c * memory + r];
    for (std::size_t r = 0; r < memory; ++r)
      for (std::size_t s = r + 1; s < memory; ++s) {
        const double times = a[s * memory + r] / a[r * memory + r];
        for (std::size_t c = r; c < memory; ++c) a[s * memory + c] -= times * a[r * memory + c];
        x[s] -= times * x[r];
      }
    for (std::size_t r = memory; r-- > 0;) {
      for (std::size_t c = r + 1; c < memory; ++c) x[r] -= a[r * memory + c] * x[c];
      x[r] /= a[r * memory + r];
    }
  }

  L1Model f_;
  ScaledColumns columns_;
  std::vector<double> z_;
  Point now_;
  std::vector<Point> last_;
};

}  // namespace

bool minimise_l1_by_columns(const L1Model& f, const double share, std::size_t sweeps, double* u) {
  Descent descent(f, u);
  const std::vector<std::uint32_t> all = descent.everything();
  double total = 0.0;
  bool done = false;
  while (!done && sweeps > 0) {
    --sweeps;
    const double fall = descent.sweep(all);
    total += fall;
    done = !(fall > share * total);
    if (!done) descent.sweep_support(support_share * share, sweeps, total);
  }
  std::copy(descent.u().begin(), descent.u().end(), u);
  return done;
}

}  // namespace rosenblatt
