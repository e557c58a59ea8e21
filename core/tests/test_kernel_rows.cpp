// Kernel matrices and their rows: every K against a slow loop, on every instruction set, in memory or generated; runs
// with stored activations against runs without; budgets.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/similarity.hpp"
#include "loop/advance.hpp"
#include "loop/state_memory.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

static std::vector<const FunctionTable*> available() {
  std::vector<const FunctionTable*> found;
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const FunctionTable* k = find_functions(name)) found.push_back(k);
  return found;
}

// Small integers, a third of them 0: sums of their products are exact in any type.
struct Table {
  std::size_t rows, columns;
  std::vector<double> wide;
  std::vector<float> narrow;
  std::vector<double> values;
  std::vector<std::int32_t> at, starts = {0};

  Table(const std::size_t n, const std::size_t d, const std::uint64_t seed) : rows(n), columns(d) {
    for (const double number : numbers(n * d, seed))
      wide.push_back(std::abs(number) < 0.34 ? 0.0 : std::round(4 * number));
    narrow.assign(wide.begin(), wide.end());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < d; ++k)
        if (wide[i * d + k] != 0.0) values.push_back(wide[i * d + k]), at.push_back(static_cast<std::int32_t>(k));
      starts.push_back(static_cast<std::int32_t>(values.size()));
    }
  }
  RowsView view(const PackedKind kind) const {
    RowsView v;
    v.count = rows;
    v.columns = v.stored_columns = v.stride = columns;
    v.stored_values = wide.size();
    v.values = wide.data();
    if (kind == PackedKind::dense_f32) v.kind = RowKind::dense_f32, v.values = narrow.data();
    if (kind == PackedKind::sparse) {
      v.kind = RowKind::csr_f64_i32;
      v.values = values.data(), v.indices = at.data(), v.starts = starts.data();
    }
    return v;
  }
  double product(const std::size_t i, const std::size_t j) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < columns; ++k) sum += wide[i * columns + k] * wide[j * columns + k];
    return sum;
  }
  double similar(const Similarity& s, const std::size_t i, const std::size_t j) const {
    const double p = product(i, j);
    if (s.kind == SimilarityKind::linear) return p;
    if (s.kind == SimilarityKind::polynomial) return std::pow(s.gamma * p + s.constant, s.degree);
    return std::exp(-s.gamma * (product(i, i) + product(j, j) - 2 * p));
  }
  std::vector<std::int8_t> signs() const {  // the sign of a product of columns: not linearly separable
    std::vector<std::int8_t> out;
    for (std::size_t i = 0; i < rows; ++i) out.push_back(wide[i * columns] * wide[i * columns + 1] > 0 ? 1 : -1);
    return out;
  }
};

static const Similarity linear{SimilarityKind::linear}, square{SimilarityKind::polynomial, 0.5, 1.0, 2},
    bell{SimilarityKind::gaussian, 0.05};
static const PackedKind kinds[] = {PackedKind::dense_f64, PackedKind::dense_f32, PackedKind::sparse};

static bool close(const double a, const double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b)); }

static void fill_all(KernelMatrix& kernel_matrix, const FunctionTable& functions, const std::size_t threads) {
  while (kernel_matrix.fill(functions, 1, threads)) {
  }
}

// The scores of all rows under one plane of weights.
static std::vector<double> scores(const FunctionTable& k, const RowsView& v, const std::vector<double>& w) {
  std::vector<double> out(v.count), scratch(v.scratch_size());
  const double offset = 0.0;
  k.scores[static_cast<std::size_t>(v.kind)](v, {0, v.count}, w.data(), 1, 1.0, &offset, 0.0, scratch.data(),
                                             out.data());
  return out;
}

static void every_pair_is_correct_on_every_target() {
  for (const std::size_t n : {1u, 2u, 15u, 17u, 64u, 65u, 131u})
    for (const std::size_t d : {1u, 3u, 18u})
      for (const Similarity& s : {linear, square, bell})
        for (const PackedKind kind : kinds) {
          const Table table(n, d, n + d);
          std::vector<float> first;
          for (const FunctionTable* k : available())
            for (const std::size_t threads : {1u, 3u}) {
              const PackedRows packed(*k, table.view(kind), threads);
              KernelMatrix kernel_matrix(s, packed, packed, n, 0, 0);
              fill_all(kernel_matrix, *k, threads);
              const RowsView rows = kernel_matrix.rows();
              std::vector<float> all;
              for (std::size_t i = 0; i < n; ++i) {
                const auto* row = static_cast<const float*>(rows.values) + i * rows.stride;
                all.insert(all.end(), row, row + n);
              }
              if (first.empty()) first = all;
              CHECK(all == first);
              for (std::size_t i = 0; i < n; ++i)
                CHECK(kernel_matrix.diagonal()[i] == static_cast<double>(all[i * n + i]));
            }
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
              CHECK(close(static_cast<double>(first[i * n + j]), table.similar(s, i, j)));
              CHECK(first[i * n + j] == first[j * n + i]);
            }
        }
}

// Generated rows give the same scores as rows in memory.
static void generated_rows_equal_stored_rows() {
  const std::size_t n = 83, old = 20;
  const Table table(n, 7, 3);
  std::vector<double> w = numbers(n, 9);
  std::fill(w.begin() + 16, w.begin() + 48, 0.0);     // two whole panels
  for (const Similarity& s : {linear, square, bell})
    for (const PackedKind kind : kinds)
      for (const FunctionTable* k : available()) {
        const PackedRows packed(*k, table.view(kind), 1);
        KernelMatrix kept(s, packed, packed, n, 0, 0), made(s, packed, packed, 0, 0, 0),
            half(s, packed, packed, n / 2, 0, 0);
        fill_all(kept, *k, 2), fill_all(made, *k, 2), fill_all(half, *k, 2);
        const auto all = scores(*k, kept.rows(), w);
        CHECK(scores(*k, made.rows(), w) == all);
        CHECK(scores(*k, half.rows(), w) == all);
        const double offset = 0.0;
        std::vector<double> out(n);
        CHECK(kernel_scores(*k, s, table.view(kind), packed.view(), {w.data(), &offset, 1, 1.0, 1.0}, 2, out.data()));
        CHECK(out == all);
        // The last rows alone, like a stream whose basis holds the earlier rows.
        Table last = table;
        last.rows = n - old;
        last.wide.erase(last.wide.begin(), last.wide.begin() + static_cast<std::ptrdiff_t>(old * table.columns));
        last.narrow.assign(last.wide.begin(), last.wide.end());
        RowsView tail = last.view(kind);
        if (kind == PackedKind::sparse) tail.starts = table.starts.data() + old, tail.values = table.values.data();
        const PackedRows left(*k, tail, 1);
        KernelMatrix stream(s, left, packed, n, old, 0);
        fill_all(stream, *k, 2);
        CHECK(scores(*k, stream.rows(), w) == std::vector<double>(all.begin() + old, all.end()));
      }
}

struct Result {
  std::vector<double> alpha;
  std::uint64_t visits, updates;
  bool clean;
  bool operator==(const Result&) const = default;
};

static Result run(const FunctionTable& k, const RowsView& rows, const std::vector<std::int8_t>& signs,
                  const Order order, const Keep keep, const bool remember, const std::uint64_t slice) {
  StateMemory s(1, rows.columns, keep);
  s.seed = 5;
  if (remember) s.keep_activations(rows.count);
  s.reserve_working_sets(rows.count);
  Problem p;
  p.rows = rows;
  p.labels.signs = signs.data();
  p.recipe.order = order;
  p.recipe.keep = keep;
  p.functions = &k;
  Workspace work;
  Trace trace;
  while (!s.clean && s.visits < 20'000) advance(s, p, work, trace, slice, 20'000);
  std::vector<double> w(s.size()), b(1);
  s.copy_kept_weights(w.data(), b.data());
  w.insert(w.end(), b.begin(), b.end());
  return {w, s.visits, s.updates, s.clean};
}

// On small integers every sum is exact, so stored activations equal new sums.
static void stored_activations_equal_new_sums() {
  const Table table(90, 4, 6);
  const auto signs = table.signs();
  const Similarity exact{SimilarityKind::polynomial, 1.0, 1.0, 2};
  for (const PackedKind kind : kinds)
    for (const FunctionTable* k : available()) {
      const PackedRows packed(*k, table.view(kind), 1);
      KernelMatrix kept(exact, packed, packed, 90, 0, 0), made(exact, packed, packed, 40, 0, 0);
      fill_all(kept, *k, 1), fill_all(made, *k, 1);
      for (const Order order : {Order::cyclic, Order::shuffle, Order::random_mistake})
        for (const Keep keep : {Keep::last, Keep::average, Keep::best}) {
          const Result first = run(*k, kept.rows(), signs, order, keep, true, 1u << 20);
          CHECK(first.clean && first.updates > 0);
          CHECK(run(*k, kept.rows(), signs, order, keep, true, 7) == first);
          CHECK(run(*k, kept.rows(), signs, order, keep, false, 1000) == first);
          CHECK(run(*k, made.rows(), signs, order, keep, false, 1000) == first);
        }
    }
}

static void the_support_stays_within_the_budget() {
  const Table table(70, 3, 8);
  const auto signs = table.signs();
  for (const FunctionTable* k : available()) {
    const PackedRows packed(*k, table.view(PackedKind::dense_f64), 1);
    for (const std::size_t budget : {1u, 2u, 9u, 70u, 1000u}) {
      KernelMatrix kernel_matrix(square, packed, packed, 70, 0, budget);
      fill_all(kernel_matrix, *k, 1);
      const Result with = run(*k, kernel_matrix.rows(), signs, Order::shuffle, Keep::last, true, 50);
      const auto held = std::count_if(with.alpha.begin(), with.alpha.end() - 1, [](double a) { return a != 0.0; });
      CHECK(held >= 1 && static_cast<std::size_t>(held) <= budget);
      CHECK(run(*k, kernel_matrix.rows(), signs, Order::shuffle, Keep::last, false, 50) == with);
    }
  }
}

static void overflow_is_reported() {
  const std::vector<double> huge = {1e200, 1.0, -1e200, 2.0};
  RowsView v;
  v.count = 2;
  v.columns = v.stored_columns = v.stride = 2;
  v.values = huge.data();
  v.stored_values = 4;
  const double w[] = {1.0, 1.0}, offset = 0.0;
  double out[2];
  for (const FunctionTable* k : available()) {
    const PackedRows packed(*k, v, 1);
    KernelMatrix kernel_matrix(linear, packed, packed, 2, 0, 0);
    fill_all(kernel_matrix, *k, 1);
    CHECK(k->first_nonfinite[static_cast<std::size_t>(RowKind::kernel_f32)](kernel_matrix.rows(), 0, 2) == 0);
    CHECK(!kernel_scores(*k, linear, v, packed.view(), {w, &offset, 1, 1.0, 1.0}, 1, out));
  }
}

// Degenerate matrices: rows of zeros, a sparse matrix without stored values.
static void zero_rows_are_valid() {
  for (const PackedKind kind : kinds)
    for (const FunctionTable* k : available()) {
      Table table(5, 2, 1);
      std::fill(table.wide.begin(), table.wide.end(), 0.0);
      table.narrow.assign(table.wide.begin(), table.wide.end());
      table.values.clear(), table.at.clear();
      table.starts.assign(6, 0);
      const PackedRows packed(*k, table.view(kind), 1);
      KernelMatrix kernel_matrix(bell, packed, packed, 5, 0, 0);
      fill_all(kernel_matrix, *k, 1);
      for (const double own : kernel_matrix.diagonal()) CHECK(own == 1.0);
      CHECK(scores(*k, kernel_matrix.rows(), std::vector<double>(5, 1.0)) == std::vector<double>(5, 5.0));
    }
}

// A matrix that the caller owns, of either type, gives the same scores as a computed one.
static void a_given_matrix_is_used_unchanged() {
  const std::vector<double> K = {2, 1, 0, 1, 3, 1, 0, 1, 4};
  const std::vector<float> narrow(K.begin(), K.end());
  RowsView v;
  v.count = v.columns = v.stored_columns = v.stride = 3;
  v.stored_values = 9;
  for (const FunctionTable* k : available())
    for (const bool wide : {true, false}) {
      v.kind = wide ? RowKind::dense_f64 : RowKind::dense_f32;
      v.values = wide ? static_cast<const void*>(K.data()) : narrow.data();
      const KernelMatrix kernel_matrix(v, {2, 3, 4}, 0, 0);
      CHECK(scores(*k, kernel_matrix.rows(), {1, 0, 2}) == std::vector<double>({2, 3, 8}));
    }
  bool refused = false;
  try {
    KernelMatrix(v, {2, 3, 4}, 1, 0);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

int main() {
  every_pair_is_correct_on_every_target();
  generated_rows_equal_stored_rows();
  stored_activations_equal_new_sums();
  the_support_stays_within_the_budget();
  overflow_is_reported();
  zero_rows_are_valid();
  a_given_matrix_is_used_unchanged();
  return report();
}
