// Prints a hash of the weights that each loss learns in each of three orders, to compare machines: `make test-arm64`.
#include <bit>
#include <cinttypes>

#include "loop/advance.hpp"
#include "loop/state_memory.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

constexpr std::size_t row_count = 500, column_count = 37;
constexpr std::uint64_t visit_count = 5 * row_count;

static std::uint64_t hash_bits(const std::vector<double>& values) {
  std::uint64_t hash = 0;
  for (const double value : values) hash = random_bits(hash, std::bit_cast<std::uint64_t>(value));
  return hash;
}

static std::vector<double> learn(const Loss loss, const Order order) {
  const auto x = numbers(row_count * column_count, 1), noise = numbers(row_count, 2);
  std::vector<std::int8_t> signs;
  for (std::size_t i = 0; i < row_count; ++i) signs.push_back(x[i * column_count] + noise[i] > 0 ? 1 : -1);
  Problem p;
  p.rows.count = row_count;
  p.rows.columns = p.rows.stored_columns = p.rows.stride = column_count;
  p.rows.values = x.data();
  p.rows.stored_values = x.size();
  p.labels.signs = signs.data();
  p.recipe.loss = loss;
  p.recipe.order = order;
  p.recipe.keep = Keep::average;
  p.recipe.eta0 = 0.1;
  p.recipe.penalty = 0.001;
  p.functions = choose_functions();
  p.threads = 2;
  StateMemory s(1, column_count, Keep::average);
  Workspace work;
  Trace trace;
  while (!s.clean && s.visits < visit_count) advance(s, p, work, trace, 1000, visit_count);
  std::vector<double> w(s.size() + 1);
  s.copy_kept_weights(w.data(), &w.back());
  return w;
}

int main() {
  for (std::size_t loss = 0; loss < loss_count; ++loss)
    for (const Order order : {Order::cyclic, Order::shuffle, Order::batch}) {
      const std::vector<double> w = learn(static_cast<Loss>(loss), order);
      std::printf("%s %s: first weight %.17g, all %016" PRIx64 "\n", loss_names[loss],
                  order_names[static_cast<std::size_t>(order)], w.front(), hash_bits(w));
    }
}
