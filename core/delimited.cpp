#include "delimited.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace rosenblatt {
namespace {

constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int most_digits = 19;  // that fit into 64 bits
constexpr std::uint64_t exact = std::uint64_t{1} << 53;
// Texts that stand for nothing, as data/delimited.py has them.
constexpr std::string_view gaps[] = {"",         "?",      "NA",      "N/A",     "n/a",     "#N/A", "#NA",
                                     "NaN",      "nan",    "-NaN",    "-nan",    "NULL",    "null", "<NA>",
                                     "#N/A N/A", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"};
constexpr std::size_t longest_gap = 8;

bool is_digit(const char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

// A number from `at` on, and where it ends; null where there is none. Digits that make a whole number below 2^53, times
// or divided by a power of ten that is exact, round once, as they should; the library rounds the others.
const char* number(const char* const begin, const char* const end, double& value) noexcept {
  const char* at = begin;
  const bool negative = at != end && *at == '-';
  at += negative;
  std::uint64_t digits = 0;
  int count = 0, exponent = 0;
  const char* const first = at;
  for (; at != end && is_digit(*at); ++at, ++count) digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
  if (at == first) return nullptr;
  if (at != end && *at == '.') {
    const char* const point = ++at;
    for (; at != end && is_digit(*at); ++at, ++count) digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
    if (at == point) return nullptr;
    exponent = static_cast<int>(point - at);
  }
  const bool plain = at == end || (*at != 'e' && *at != 'E');
  if (plain && count <= most_digits && digits < exact && exponent >= -22) {
    const double size = static_cast<double>(digits) / powers_of_ten[-exponent];
    value = negative ? -size : size;
    return at;
  }
  const auto [after, error] = std::from_chars(begin, end, value);
  return error == std::errc{} ? after : nullptr;
}

bool stands_for_nothing(const std::string_view text) noexcept {
  return text.size() <= longest_gap && std::find(std::begin(gaps), std::end(gaps), text) != std::end(gaps);
}

bool is_ascii(const std::string_view text) noexcept {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

// A field that is no number: what it says, and where it ends; null where it is not plain.
const char* plain_text(const char* const begin, const char* const end, const char delimiter, const bool quotes,
                       std::string_view& field) noexcept {
  const char* at = begin;
  if (quotes && at != end && *at == '"') {
    const auto* const close =
        static_cast<const char*>(std::memchr(at + 1, '"', static_cast<std::size_t>(end - at - 1)));
    if (!close) return nullptr;
    field = {at + 1, static_cast<std::size_t>(close - at - 1)};
    return std::memchr(field.data(), '\n', field.size()) ? nullptr : close + 1;
  }
  bool quote = false;
  for (; at != end && *at != delimiter && *at != '\n' && *at != '\r'; ++at) quote |= *at == '"';
  field = {begin, static_cast<std::size_t>(at - begin)};
  return quotes && quote ? nullptr : at;
}

}  // namespace

std::optional<std::vector<DelimitedColumn>> read_delimited(const std::string_view text, const char delimiter,
                                                           const bool quotes, const std::span<const Field> fields) {
  if (fields.empty() || text.size() > std::numeric_limits<std::int32_t>::max()) return {};
  std::vector<DelimitedColumn> columns(fields.size());
  std::vector<double*> next(fields.size());  // where the next number goes
  const std::size_t most = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  for (std::size_t c = 0; c < fields.size(); ++c) {
    if (fields[c] == Field::number) columns[c].numbers.resize(most), next[c] = columns[c].numbers.data();
    if (fields[c] == Field::text) columns[c].ends.reserve(most + 1), columns[c].ends.push_back(0);
  }
  const char *at = text.data(), *const end = at + text.size();
  std::size_t rows = 0;
  while (at != end) {
    if (*at == '\n' || *at == '\r') {  // a blank line, or the end of the one before
      ++at;
      continue;
    }
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (c > 0) {
        if (at == end || *at != delimiter) return {};
        ++at;
      }
      if (fields[c] == Field::number) {
        const bool gap = at == end || *at == delimiter || *at == '\n' || *at == '\r';
        double value = std::numeric_limits<double>::quiet_NaN();
        if (!gap) at = number(at, end, value);
        *next[c]++ = value;
        if (!at) return {};
        continue;
      }
      std::string_view field;
      at = plain_text(at, end, delimiter, quotes, field);
      if (!at) return {};
      if (fields[c] == Field::passed_over) continue;
      if (stands_for_nothing(field) || !is_ascii(field)) return {};
      auto& bytes = columns[c].bytes;
      bytes.insert(bytes.end(), field.begin(), field.end());
      columns[c].ends.push_back(static_cast<std::int32_t>(bytes.size()));
    }
    if (at != end && *at == '\r' && (at + 1 == end || at[1] != '\n')) return {};
    if (at != end && *at != '\n' && *at != '\r') return {};
    ++rows;
  }
  for (std::size_t c = 0; c < fields.size(); ++c)
    if (fields[c] == Field::number) columns[c].numbers.resize(rows);
  return columns;
}

}  // namespace rosenblatt
