#include "solvers/l1_descent.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/newton.hpp"

namespace rosenblatt {
namespace {

constexpr std::size_t sweeps_per_round = 7;  // over the support, after one over all coordinates
constexpr double min_pivot = 1e-13;  // relative to the diagonal
constexpr double ridge = 1e-9;       // relative to the diagonal

void move(const L1Quadratic& f, const std::size_t j, const double by, double* u, double* gradient) {
  const double* row = f.hessian + j * f.size;
  u[j] += by;
  for (std::size_t k = 0; k < f.size; ++k) gradient[k] += by * row[k];
}

// The minimum of bend u^2 / 2 - pull u + penalty |u|.
double best_value(const double pull, const double bend, const double penalty) {
  const double left = std::abs(pull) - penalty;
  return left > 0.0 ? std::copysign(left, pull) / bend : 0.0;
}

// One sweep over all coordinates. Returns about the largest fall of a single move.
double sweep(const L1Quadratic& f, double* u, double* gradient) {
  double largest = 0.0;
  for (std::size_t j = 0; j < f.size; ++j) {
    const double bend = f.hessian[j * f.size + j];
    if (!(bend > 0.0)) continue;
    const double value = best_value(bend * u[j] - gradient[j], bend, f.penalty[j]), by = value - u[j];
    if (by == 0.0) continue;
    move(f, j, by, u, gradient);
    u[j] = value;
    largest = std::max(largest, 0.5 * bend * by * by);
  }
  return largest;
}

// The coordinates with curvature that are not 0, or that have no penalty.
std::vector<std::size_t> support_of(const L1Quadratic& f, const double* u) {
  std::vector<std::size_t> support;
  for (std::size_t j = 0; j < f.size; ++j)
    if (f.hessian[j * f.size + j] > 0.0 && (u[j] != 0.0 || f.penalty[j] == 0.0)) support.push_back(j);
  return support;
}

// The way to the minimum over the support while all signs stay: H step = -(gradient + penalty sign(u)). Where columns
// depend on each other, the penalty alone tells how to share a weight among them: the ridge makes that a long step.
std::vector<double> step_on(const FunctionTable& functions, const L1Quadratic& f,
                            const std::vector<std::size_t>& support, const double* u, const double* gradient) {
  const std::size_t size = support.size();
  std::vector<double> scale(size), matrix(size * size), step(size);
  for (std::size_t a = 0; a < size; ++a) scale[a] = 1.0 / std::sqrt(f.hessian[support[a] * f.size + support[a]]);
  for (std::size_t a = 0; a < size; ++a) {
    const std::size_t j = support[a];
    for (std::size_t b = 0; b <= a; ++b)
      matrix[a * size + b] = f.hessian[j * f.size + support[b]] * scale[a] * scale[b];
    matrix[a * size + a] += ridge;
    const double pushed = u[j] == 0.0 ? 0.0 : std::copysign(f.penalty[j], u[j]);
    step[a] = -(gradient[j] + pushed) * scale[a];
  }
  functions.cholesky_factor(matrix.data(), size, min_pivot);
  cholesky_solve(matrix.data(), size, step.data());
  for (std::size_t a = 0; a < size; ++a) step[a] *= scale[a];
  return step;
}

// The largest share of the step, at most all of it, that leaves every sign as it is, and the coordinate that becomes 0.
struct Reach {
  double share = 1.0;
  std::size_t first = 0;
  bool ends_at_zero = false;
};

Reach reach_of(const L1Quadratic& f, const std::vector<std::size_t>& support, const std::vector<double>& step,
               const double* u) {
  Reach reach;
  for (std::size_t a = 0; a < support.size(); ++a) {
    const std::size_t j = support[a];
    if (f.penalty[j] == 0.0 || !(u[j] * (u[j] + reach.share * step[a]) < 0.0)) continue;
    reach = {-u[j] / step[a], j, true};
  }
  return reach;
}

// Takes the step as far as it reaches. Nearly dependent coordinates make it long and wrong: if the function does not
// fall, u and the gradient stay as they are.
void take(const L1Quadratic& f, const std::vector<std::size_t>& support, const std::vector<double>& step, double* u,
          double* gradient) {
  const std::vector<double> u_before(u, u + f.size), gradient_before(gradient, gradient + f.size);
  const Reach reach = reach_of(f, support, step, u);
  for (std::size_t a = 0; a < support.size(); ++a)
    if (step[a] != 0.0) move(f, support[a], reach.share * step[a], u, gradient);
  if (reach.ends_at_zero) {
    move(f, reach.first, -u[reach.first], u, gradient);
    u[reach.first] = 0.0;
  }
  double change = 0.0;
  for (std::size_t j = 0; j < f.size; ++j)
    change += 0.5 * (gradient_before[j] + gradient[j]) * (u[j] - u_before[j]) +
              f.penalty[j] * (std::abs(u[j]) - std::abs(u_before[j]));
  if (change <= 0.0) return;  // not so for NaN
  std::copy(u_before.begin(), u_before.end(), u);
  std::copy(gradient_before.begin(), gradient_before.end(), gradient);
}

// The function over the support alone, copied so that a sweep reads no other coordinates.
struct Part {
  std::vector<double> hessian, penalty, u, gradient;

  Part(const L1Quadratic& f, const std::vector<std::size_t>& support, const double* values, const double* slopes)
      : hessian(support.size() * support.size()) {
    for (std::size_t a = 0; a < support.size(); ++a) {
      const double* row = f.hessian + support[a] * f.size;
      for (std::size_t b = 0; b < support.size(); ++b) hessian[a * support.size() + b] = row[support[b]];
      penalty.push_back(f.penalty[support[a]]);
      u.push_back(values[support[a]]);
      gradient.push_back(slopes[support[a]]);
    }
  }

  L1Quadratic function() const { return {hessian.data(), penalty.data(), u.size()}; }
};

// Sweeps over the support, and where they do not end a step to the minimum there.
void descend_on_support(const FunctionTable& functions, const L1Quadratic& f, const double accuracy, double* u,
                        double* gradient) {
  const std::vector<std::size_t> support = support_of(f, u);
  Part part(f, support, u, gradient);
  const L1Quadratic g = part.function();
  double largest = accuracy + 1.0;
  for (std::size_t k = 0; k < sweeps_per_round && largest > accuracy; ++k)
    largest = sweep(g, part.u.data(), part.gradient.data());
  if (!(largest <= accuracy)) {
    const std::vector<std::size_t> inside = support_of(g, part.u.data());
    take(g, inside, step_on(functions, g, inside, part.u.data(), part.gradient.data()), part.u.data(),
         part.gradient.data());
  }
  for (std::size_t a = 0; a < support.size(); ++a) {
    if (part.u[a] == u[support[a]]) continue;
    move(f, support[a], part.u[a] - u[support[a]], u, gradient);
    u[support[a]] = part.u[a];
  }
}

}  // namespace

bool minimise_l1(const FunctionTable& functions, const L1Quadratic& f, const double accuracy, const std::size_t rounds,
                 double* u, double* gradient) {
  for (std::size_t round = 0; round < rounds; ++round) {
    if (sweep(f, u, gradient) <= accuracy) return true;
    descend_on_support(functions, f, accuracy, u, gradient);
  }
  return false;
}

void fill_upper_triangle(double* matrix, const std::size_t size) {
  constexpr std::size_t block = 32;
  for (std::size_t top = 0; top < size; top += block)
    for (std::size_t left = 0; left <= top; left += block)
      for (std::size_t j = top; j < std::min(top + block, size); ++j)
        for (std::size_t k = left; k < std::min(left + block, j); ++k) matrix[k * size + j] = matrix[j * size + k];
}

}  // namespace rosenblatt
