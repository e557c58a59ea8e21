#define ROSENBLATT_TARGET common
#include "numerics/elementary.hpp"
#include "parts/losses.hpp"
#include "tests/check.hpp"

using namespace rosenblatt::common;

static double ulps(const double got, const double expected) {
  return std::abs(got - expected) / (std::nextafter(std::abs(expected), INFINITY) - std::abs(expected));
}

static void cosines_are_right_whatever_their_size() {
  CHECK(rosenblatt::common::cos_of_turns(0.25) == 0.0);
  for (const double whole : {0.0, 1.0, 0x1p51, 1e300})
    CHECK(std::abs(rosenblatt::common::cos_of_turns(whole) - 1.0) <= 0x1p-52);
  CHECK(std::abs(rosenblatt::common::cos_of_turns(0x1p51 + 0.5) + 1.0) <= 0x1p-52);
  for (double t = -3.0; t < 3.0; t += 0.00137)
    CHECK(std::abs(rosenblatt::common::cos_of_turns(t) - std::cos(6.283185307179586477 * t)) < 4e-15);
  CHECK(std::isnan(rosenblatt::common::cos_of_turns(INFINITY)));
}

int main() {
  double worst_exp = 0.0, worst_log = 0.0;
  for (const double u : numbers(200'000, 1)) {
    worst_exp = std::max(worst_exp, ulps(rosenblatt::common::exp(700.0 * u), std::exp(700.0 * u)));
    worst_exp = std::max(worst_exp, ulps(rosenblatt::common::exp(u), std::exp(u)));
    const double z = (u + 1.0) / 2.0;
    worst_log = std::max(worst_log, ulps(rosenblatt::common::log1p(z), std::log1p(z)));
    worst_log = std::max(worst_log, ulps(rosenblatt::common::log1p(z * 1e-12), std::log1p(z * 1e-12)));
  }
  std::printf("exp within %.2f units in the last place, log1p within %.2f\n", worst_exp, worst_log);
  CHECK(worst_exp <= 2.0);
  CHECK(worst_log <= 2.0);
  CHECK(rosenblatt::common::exp(0.0) == 1.0);
  CHECK(rosenblatt::common::exp(-1e4) == 0.0);
  CHECK(std::isinf(rosenblatt::common::exp(1e4)));
  CHECK(rosenblatt::common::log1p(0.0) == 0.0);

  const LogisticLoss logistic{};
  CHECK(logistic.push(0.0) == 0.5);
  CHECK(logistic.value(1e4) == 0.0);
  CHECK(logistic.value(-1e4) == 1e4);
  for (const double m : numbers(1000, 2)) CHECK(std::abs(logistic.push(m) + logistic.push(-m) - 1.0) < 1e-15);
  cosines_are_right_whatever_their_size();
  return report();
}
