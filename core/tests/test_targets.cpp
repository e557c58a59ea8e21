// The functions of every instruction set of this CPU against loops of five lines.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "rows/lift_terms.hpp"
#include "targets/function_table.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

static std::vector<const FunctionTable*> available() {
  std::vector<const FunctionTable*> found;
  for (const char* name : {"baseline", "avx2", "avx512"})
    if (const FunctionTable* k = find_functions(name)) found.push_back(k);
  return found;
}

static RowsView dense(const std::vector<double>& x, const std::size_t rows, const std::size_t columns) {
  RowsView v;
  v.count = rows;
  v.columns = v.stored_columns = v.stride = columns;
  v.values = x.data();
  v.stored_values = x.size();
  return v;
}

static double score(const FunctionTable& k, const RowsView& v, const std::vector<double>& w, const double offset) {
  double out = NAN;
  std::vector<double> scratch(v.scratch_size());
  k.scores[static_cast<std::size_t>(v.kind)](v, {0, 1}, w.data(), 1, 1.0, &offset, 1.0, scratch.data(), &out);
  return out;
}

static void dense_dot_products_are_equal_on_every_target() {
  for (std::size_t d = 0; d < 70; ++d) {
    const auto x = numbers(d, d), w = numbers(d, 100 + d);
    long double slow = 0.25;
    for (std::size_t i = 0; i < d; ++i) slow += static_cast<long double>(x[i]) * w[i];
    const double first = score(baseline_functions, dense(x, 1, d), w, 0.25);
    CHECK(std::abs(first - static_cast<double>(slow)) < 1e-13);
    for (const FunctionTable* k : available()) CHECK(score(*k, dense(x, 1, d), w, 0.25) == first);
  }
}

static void narrow_rows_are_widened() {
  for (const std::size_t d : {1u, 15u, 16u, 33u}) {
    const auto w = numbers(d, 5);
    const auto wide = numbers(d, 6);
    std::vector<float> x(wide.begin(), wide.end());
    const std::vector<double> again(x.begin(), x.end());
    RowsView v = dense(again, 1, d);
    const double expected = score(baseline_functions, v, w, 0.0);
    v.kind = RowKind::dense_f32;
    v.values = x.data();
    for (const FunctionTable* k : available()) CHECK(score(*k, v, w, 0.0) == expected);
  }
}

template <class Index>
static void sparse_rows_of(const RowKind kind) {
  const std::vector<double> x = numbers(9, 3), w = numbers(100, 4);
  const std::vector<Index> at = {0, 7, 8, 20, 41, 42, 63, 98, 99}, starts = {0, 9};
  RowsView v;
  v.kind = kind;
  v.count = 1;
  v.columns = v.stored_columns = 100;
  v.values = x.data();
  v.indices = at.data();
  v.starts = starts.data();
  v.stored_values = 18;
  double slow = 0.0;
  for (std::size_t i = 0; i < 9; ++i) slow += x[i] * w[static_cast<std::size_t>(at[i])];
  const double first = score(baseline_functions, v, w, 0.0);
  CHECK(std::abs(first - slow) < 1e-14);
  for (const FunctionTable* k : available()) {
    CHECK(score(*k, v, w, 0.0) == first);
    std::vector<double> sum(100, 0.0);
    const double change = 2.0;
    k->accumulate[static_cast<std::size_t>(kind)](v, {0, 1}, &change, 1, nullptr, sum.data());
    for (std::size_t i = 0; i < 9; ++i) CHECK(sum[static_cast<std::size_t>(at[i])] == 2.0 * x[i]);
  }
}

// Nineteen rows of up to 70 columns, with a list that skips some. Processing eight rows at once, or one column of all
// rows, gives the bits of one row after the other.
template <class T>
static void batches_of_rows_equal_single_rows(const RowKind kind) {
  const std::vector<std::uint32_t> list = {0, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18};
  for (std::size_t d = 1; d < 70; ++d) {
    const auto wide_x = numbers(19 * d, d), w = numbers(d, 100 + d), change = numbers(list.size(), 200 + d);
    const std::vector<T> x(wide_x.begin(), wide_x.end());
    RowsView v = dense(wide_x, 19, d);
    v.kind = kind;
    v.values = x.data();
    const Selection all{0, list.size(), list.data()};
    const double offset = 0.25;
    std::vector<double> slow_scores(list.size()), slow_sum(d, 0.5);
    for (std::size_t k = 0; k < list.size(); ++k) {
      RowsView one = v;
      one.values = x.data() + list[k] * d;
      one.count = 1;
      slow_scores[k] = score(baseline_functions, one, w, offset);
      for (std::size_t c = 0; c < d; ++c) slow_sum[c] += change[k] * static_cast<double>(x[list[k] * d + c]);
    }
    for (const FunctionTable* k : available()) {
      std::vector<double> scores(list.size()), sum(d, 0.5);
      const auto at = static_cast<std::size_t>(kind);
      k->scores[at](v, all, w.data(), 1, 1.0, &offset, 1.0, nullptr, scores.data());
      k->accumulate[at](v, all, change.data(), 1, nullptr, sum.data());
      CHECK(scores == slow_scores);
      CHECK(sum == slow_sum);
    }
  }
}

static void lifted_rows_contain_all_monomials() {
  const OwnedLift lift = OwnedLift::polynomial(3, 3);
  const std::vector<double> x = {2.0, 3.0, 5.0};
  const std::vector<std::int32_t> at = {0, 1, 2}, backwards = {2, 1, 0}, starts = {0, 3};
  RowsView v = dense(x, 1, 3);
  v.lift = &lift;
  v.columns = lift.columns;
  v.longest_generated = lift.expanded_size(3);
  const std::vector<double> expected = {2, 3, 5, 4, 6, 10, 9, 15, 25, 8, 12, 20, 18, 30, 50, 27, 45, 75, 125};
  CHECK(lift.columns == expected.size() && v.longest_generated == expected.size());
  const auto check = [&](const std::vector<double>& products) {
    for (const FunctionTable* k : available())
      for (std::size_t j = 0; j < products.size(); ++j) {
        std::vector<double> unit(products.size(), 0.0);
        unit[j] = 1.0;
        CHECK(score(*k, v, unit, 0.0) == products[j]);
      }
  };
  v.kind = RowKind::lifted_dense;
  check(expected);
  v.kind = RowKind::lifted_sparse;
  v.base = RowKind::csr_f64_i32;
  v.starts = starts.data();
  v.indices = at.data();
  check(expected);
  v.indices = backwards.data();       // the row (5, 3, 2)
  check({5, 3, 2, 25, 15, 10, 9, 6, 4, 125, 75, 50, 45, 30, 20, 27, 18, 12, 8});
}

static void nonfinite_rows_are_found() {
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)})
    for (std::size_t where = 0; where < 3 * 37; ++where) {
      auto x = numbers(3 * 37, 9);
      x[where] = bad;
      for (const FunctionTable* k : available()) {
        CHECK(k->first_nonfinite[0](dense(x, 3, 37), 0, 3) == where / 37);
        CHECK(k->first_nonfinite[0](dense(x, 3, 37), where / 37 + 1, 3) == 3);
      }
    }
}

static void column_maxima_are_found() {
  const std::vector<double> x = {1, -5, 0, 0, 2, 3, -3, -0.0, -4, 1e-320, 0, 0};
  const auto bits = [](const double value) { return std::bit_cast<std::int64_t>(value); };
  for (const FunctionTable* k : available()) {
    std::vector<std::int64_t> most(4, 0);
    k->column_maxima[0](dense(x, 3, 4), 0, 3, nullptr, most.data());
    CHECK(most == std::vector<std::int64_t>({bits(4), bits(5), bits(3), 0}));
  }
  for (const double bad : {static_cast<double>(NAN), -static_cast<double>(INFINITY)}) {
    const std::vector<double> column = {1e308, bad, 1e308};
    for (const FunctionTable* k : available()) {
      std::vector<std::int64_t> most(1, 0);
      k->column_maxima[0](dense(column, 3, 1), 0, 3, nullptr, most.data());
      CHECK(!std::isfinite(std::bit_cast<double>(most[0])));
    }
  }
}

int main() {
  dense_dot_products_are_equal_on_every_target();
  narrow_rows_are_widened();
  sparse_rows_of<std::int32_t>(RowKind::csr_f64_i32);
  sparse_rows_of<std::int64_t>(RowKind::csr_f64_i64);
  batches_of_rows_equal_single_rows<double>(RowKind::dense_f64);
  batches_of_rows_equal_single_rows<float>(RowKind::dense_f32);
  lifted_rows_contain_all_monomials();
  nonfinite_rows_are_found();
  column_maxima_are_found();
  CHECK(find_functions("no such set") == nullptr);
  CHECK(find_functions(nullptr) != nullptr);
  return report();
}
