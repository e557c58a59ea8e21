#include "text/term_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#define ROSENBLATT_TARGET baseline
#include "numerics/elementary.hpp"

namespace rosenblatt {

double natural_log(const double x) noexcept {
  int exponent;
  const double half = std::frexp(x, &exponent);
  constexpr double log_two_high = 6.93147180369123816490e-01, log_two_low = 1.90821492927058770002e-10;
  return (exponent - 1) * log_two_high + ((exponent - 1) * log_two_low + baseline::log1p(2.0 * half - 1.0));
}

std::vector<double> inverse_row_frequency(const std::span<const std::int64_t> rows, const std::int64_t n) {
  std::vector<double> out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[i] = natural_log((1.0 + static_cast<double>(n)) / (1.0 + static_cast<double>(rows[i]))) + 1.0;
  return out;
}

// Radix sort by byte; short rows are sorted by comparison.
void sort_words(std::vector<WordCount>& words, std::vector<WordCount>& buffer, const std::uint32_t max_column) {
  if (words.size() < 24) {
    std::sort(words.begin(), words.end(), [](const auto& p, const auto& q) { return p.word < q.word; });
    return;
  }
  buffer.resize(words.size());
  for (unsigned shift = 0; shift < 32 && max_column >> shift != 0; shift += 8) {
    std::array<std::uint32_t, 257> begins{};
    for (const auto& w : words) ++begins[(w.word >> shift & 0xff) + 1];
    for (std::size_t i = 1; i < 257; ++i) begins[i] += begins[i - 1];
    for (const auto& w : words) buffer[begins[w.word >> shift & 0xff]++] = w;
    words.swap(buffer);
  }
}

namespace {

double count_value(const std::uint32_t count, const bool sublinear) noexcept {
  static const auto logs = [] {
    std::array<double, 256> l{};
    for (std::size_t i = 1; i < l.size(); ++i) l[i] = 1.0 + natural_log(static_cast<double>(i));
    return l;
  }();
  if (!sublinear) return count;
  return count < logs.size() ? logs[count] : 1.0 + natural_log(count);
}

}  // namespace

template <class Value>
void write_term_weights(const std::vector<WordCount>& words, const TermWeighting& weighting, std::int32_t* columns,
                        Value* values, std::vector<double>& exact) {
  exact.resize(words.size());
  double squares = 0.0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [column, count] = words[i];
    const double value =
        count_value(count, weighting.sublinear) * (weighting.weights.empty() ? 1.0 : weighting.weights[column]);
    columns[i] = static_cast<std::int32_t>(column);
    exact[i] = value;
    squares += value * value;
  }
  const double length = weighting.unit && squares > 0.0 ? std::sqrt(squares) : 1.0;
  for (std::size_t i = 0; i < words.size(); ++i) values[i] = static_cast<Value>(exact[i] / length);
}

template void write_term_weights(const std::vector<WordCount>&, const TermWeighting&, std::int32_t*, float*,
                                 std::vector<double>&);
template void write_term_weights(const std::vector<WordCount>&, const TermWeighting&, std::int32_t*, double*,
                                 std::vector<double>&);

}  // namespace rosenblatt
