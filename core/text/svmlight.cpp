#include "text/svmlight.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "system/parallel.hpp"

namespace rosenblatt {
namespace {

struct ParseError {
  std::string what;
  const char* where;
};

bool is_blank(const char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_digit(const char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }

// A word of the text for a message: up to the next blank, at most 40 characters, unprintable ones as '?'.
std::string quote_word(const char* begin, const char* end) {
  const char* stop = begin;
  while (stop < end && !is_blank(*stop) && *stop != '\n') ++stop;
  std::string word(begin, static_cast<std::size_t>(std::min<std::ptrdiff_t>(stop - begin, 40)));
  for (char& c : word)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return "'" + word + (stop - begin > 40 ? "...'" : "'");
}

constexpr auto powers_of_ten = [] {
  std::array<double, 23> p{};
  double power = 1.0;
  for (double& each : p) {
    each = power;
    power *= 10.0;
  }
  return p;
}();

constexpr std::array<std::uint64_t, 9> tens{1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

// Eight bytes, the first in the lowest one, in which digits are 0 to 9.
std::uint64_t load_digits(const char* p) noexcept {
  std::uint64_t x;
  std::memcpy(&x, p, 8);
  if constexpr (std::endian::native == std::endian::big) x = __builtin_bswap64(x);
  return x ^ 0x3030303030303030;
}

// Appends the digits at p to `number` and returns where they end. Reads up to eight digits without a branch, because
// their number is hard to predict. The caller checks for overflow.
const char* read_digits(const char* p, const char* const end, std::uint64_t& number) noexcept {
  while (end - p >= 8) {
    std::uint64_t x = load_digits(p);
    const std::uint64_t others = (((x & 0x7f7f7f7f7f7f7f7f) + 0x7676767676767676) | x) & 0x8080808080808080;
    const auto count = static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (count == 0) return p;
    x <<= 64 - 8 * count;                     // the digits, with leading zeros
    x = 10 * x + (x >> 8);                    // pairs of digits, in every other byte
    x = ((x & 0xff000000ff) * (1'000'000ull << 32 | 100) + (x >> 16 & 0xff000000ff) * (10'000ull << 32 | 1)) >> 32;
    number = tens[count] * number + static_cast<std::uint32_t>(x);
    p += count;
    if (count < 8) return p;
  }
  while (p < end && is_digit(*p)) number = 10 * number + static_cast<std::uint64_t>(*p++ - '0');
  return p;
}

// A decimal number without its sign, in the text from `begin` to `end`.
struct Decimal {
  const char *begin, *exponent_mark, *end;  // the mark is where an exponent stands, or would
  std::uint64_t digits = 0;
  std::ptrdiff_t count = 0, after_point = 0;  // of digits
  int exponent = 0;

  std::ptrdiff_t power() const noexcept { return exponent - after_point; }
};

bool is_sign(const char c) noexcept { return c == '-' || c == '+'; }

// Reads the digits before and after a point. Returns whether there is one at all.
[[gnu::always_inline]] inline bool read_mantissa(const char* const end, Decimal& d) noexcept {
  const char* p = read_digits(d.begin, end, d.digits);
  d.count = p - d.begin;
  if (p < end && *p == '.') {
    const char* const point = ++p;
    p = read_digits(p, end, d.digits);
    d.after_point = p - point;
    d.count += d.after_point;
  }
  d.exponent_mark = d.end = p;
  return d.count != 0;
}

// Reads an exponent where one stands. Returns false for a mark without digits.
[[gnu::always_inline]] inline bool read_exponent(const char* const end, Decimal& d) noexcept {
  const char* p = d.exponent_mark;
  if (p == end || (*p != 'e' && *p != 'E')) return true;
  ++p;
  const bool down = p < end && *p == '-';
  p += p < end && is_sign(*p);
  if (p == end || !is_digit(*p)) return false;
  while (p < end && is_digit(*p)) d.exponent = std::min(10 * d.exponent + (*p++ - '0'), 100'000);
  if (down) d.exponent = -d.exponent;
  d.end = p;
  return true;
}

// The value of a number that std::from_chars calls out of range: infinity, or 0. The first nonzero digit shows which.
double beyond_range(const Decimal& d) noexcept {
  const char* first = d.begin;
  while (first < d.exponent_mark && (*first == '0' || *first == '.')) ++first;
  const char* const point = std::find(d.begin, d.exponent_mark, '.');
  const std::ptrdiff_t magnitude = d.exponent + (point - first);
  return first < d.exponent_mark && magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

// Correctly rounded. Up to 15 digits and small powers of ten take one exact operation; std::from_chars reads the
// others.
[[gnu::always_inline]] inline double value_of(const Decimal& d) noexcept {
  const std::ptrdiff_t power = d.power();
  if (d.count <= 15 && power >= -22 && power <= 22) {
    const double value = static_cast<double>(d.digits);
    const double ten = powers_of_ten[static_cast<std::size_t>(power < 0 ? -power : power)];
    return power < 0 ? value / ten : value * ten;
  }
  double value;
  return std::from_chars(d.begin, d.end, value).ec == std::errc::result_out_of_range ? beyond_range(d) : value;
}

// Reads a decimal number and returns where it ends; null if there is none. Numbers that are too large become infinite.
const char* read_number(const char* const begin, const char* const end, double& out) noexcept {
  const bool negative = begin < end && *begin == '-';
  Decimal d{};
  d.begin = begin + (begin < end && is_sign(*begin));
  if (!read_mantissa(end, d) || !read_exponent(end, d)) return nullptr;
  const double value = value_of(d);
  out = negative ? -value : value;
  return d.end;
}

// Reads an integer up to `most` and moves p behind it; -1 for anything else.
std::int64_t read_whole(const char*& p, const char* const end, const std::int64_t most) noexcept {
  const char* begin = p;
  while (p < end && *p == '0') ++p;
  const char* const first = p;
  std::uint64_t number = 0;
  p = read_digits(p, end, number);
  return p == begin || p - first > 18 || number > static_cast<std::uint64_t>(most) ? -1
                                                                                   : static_cast<std::int64_t>(number);
}

// Parses a block of complete lines.
class Block {
 public:
  // An entry takes at least four bytes. Reserved memory that is never written costs nothing.
  Block(const char* begin, const char* end, const std::int32_t limit) : p_(begin), end_(end), limit_(limit) {
    rows.indices.reserve(static_cast<std::size_t>(end - begin) / 4 + 1);
    rows.values.reserve(static_cast<std::size_t>(end - begin) / 4 + 1);
    while (p_ < end_) read_line();
  }
  SvmlightRows rows;

 private:
  void read_line() {
    ++rows.lines;
    skip_blanks();
    if (!line_ends()) {
      read_label();
      read_query();
      std::int32_t last = -1;
      for (skip_blanks(); !line_ends(); skip_blanks()) last = read_entry(last);
      if (last > rows.most) rows.most = last;
      rows.starts.push_back(static_cast<std::int64_t>(rows.indices.size()));
    }
    const void* newline = std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_));
    p_ = newline ? static_cast<const char*>(newline) + 1 : end_;
  }

  void read_label() {
    double value;
    const char* const after = read_number(p_, end_, value);
    if (!after || !word_ends(after))
      throw ParseError{"the label " + quote_word(p_, end_) + " is not a number" +
                           (after && *after == ',' ? "; give each row one label" : ""),
                       p_};
    if (std::isinf(value)) throw ParseError{"the label " + quote_word(p_, end_) + " is too large", p_};
    rows.labels.push_back(value);
    p_ = after;
    skip_blanks();
  }

  void read_query() {
    if (end_ - p_ < 4 || std::memcmp(p_, "qid:", 4) != 0) {
      if (!rows.queries.empty()) rows.queries.push_back(no_query);
      return;
    }
    const char* const begin = p_;
    p_ += 4;
    const std::int64_t number = read_whole(p_, end_, std::numeric_limits<std::int64_t>::max() / 16);
    if (number < 0 || !word_ends(p_)) throw ParseError{quote_word(begin, end_) + " is not qid:number", begin};
    if (rows.queries.empty()) rows.queries.assign(rows.labels.size() - 1, no_query);
    rows.queries.push_back(number);
  }

  std::int32_t read_entry(const std::int32_t last) {
    const char* const begin = p_;
    const std::int64_t index = read_whole(p_, end_, std::numeric_limits<std::int32_t>::max() - 1);
    if (p_ == begin || p_ == end_ || *p_ != ':')
      throw ParseError{quote_word(begin, end_) + " is not index:value", begin};
    if (index < 0 || index > limit_ || index <= last) refuse_index(index, last, begin);
    double value;
    const char* const after = read_number(p_ + 1, end_, value);
    if (!after || !word_ends(after))
      throw ParseError{"the value of " + quote_word(begin, end_) + " is not a number", begin};
    if (std::isinf(value)) throw ParseError{"the value of " + quote_word(begin, end_) + " is too large", begin};
    if (last < 0) rows.least = std::min(rows.least, static_cast<std::int32_t>(index));
    rows.indices.push_back(static_cast<std::int32_t>(index));
    rows.values.push_back(value);
    p_ = after;
    return static_cast<std::int32_t>(index);
  }

  [[noreturn]] void refuse_index(const std::int64_t index, const std::int32_t last, const char* const begin) const {
    if (index < 0) throw ParseError{"the index of " + quote_word(begin, end_) + " is too large", begin};
    const std::string what = "index " + std::to_string(index);
    if (index > limit_) throw ParseError{what + " where at most " + std::to_string(limit_) + " is expected", begin};
    throw ParseError{what + " after " + std::to_string(last) + "; indices must rise", begin};
  }

  void skip_blanks() noexcept {
    while (p_ < end_ && is_blank(*p_)) ++p_;
  }
  bool line_ends() const noexcept { return p_ == end_ || *p_ == '\n' || *p_ == '#'; }
  bool word_ends(const char* p) const noexcept { return p == end_ || is_blank(*p) || *p == '\n' || *p == '#'; }

  const char *p_, *const end_;
  const std::int32_t limit_;
};

// The boundaries of blocks: the first line end after each block_bytes bytes.
std::vector<const char*> block_edges(const std::string_view text, const std::size_t block_bytes) {
  const char *const begin = text.data(), *const end = begin + text.size();
  std::vector<const char*> edges{begin};
  for (const char* at = begin; static_cast<std::size_t>(end - at) > block_bytes;) {
    const void* newline = std::memchr(at + block_bytes, '\n', static_cast<std::size_t>(end - at) - block_bytes);
    if (!newline) break;
    edges.push_back(at = static_cast<const char*>(newline) + 1);
  }
  edges.push_back(end);
  return edges;
}

// Where the rows and the entries of each part begin among all, and at the end their totals.
struct Places {
  std::vector<std::size_t> row{0}, entry{0};
};

// Rows with room for all parts. `places` receives where each goes.
SvmlightRows reserve_rows(const std::vector<SvmlightRows>& parts, Places& places) {
  SvmlightRows all;
  bool queries = false;
  for (const auto& part : parts) {
    places.row.push_back(places.row.back() + part.labels.size());
    places.entry.push_back(places.entry.back() + part.indices.size());
    all.least = std::min(all.least, part.least);
    all.most = std::max(all.most, part.most);
    all.lines += part.lines;
    queries |= !part.queries.empty();
  }
  all.labels.resize(places.row.back());
  all.starts.resize(places.row.back() + 1);
  all.indices.resize(places.entry.back());
  all.values.resize(places.entry.back());
  if (queries) all.queries.assign(places.row.back(), no_query);
  return all;
}

template <class From, class To>
void copy_to(const From& from, To& to, const std::size_t at) {
  std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(at));
}

SvmlightRows join(const std::vector<SvmlightRows>& parts, const std::size_t threads) {
  Places places;
  SvmlightRows all = reserve_rows(parts, places);
  parallel_rethrow(threads, parts.size(), [&](const std::size_t b) {
    const SvmlightRows& part = parts[b];
    const std::size_t row = places.row[b], entry = places.entry[b];
    copy_to(part.labels, all.labels, row);
    if (!part.queries.empty()) copy_to(part.queries, all.queries, row);
    copy_to(part.indices, all.indices, entry);
    copy_to(part.values, all.values, entry);
    for (std::size_t i = 1; i < part.starts.size(); ++i)
      all.starts[row + i] = part.starts[i] + static_cast<std::int64_t>(entry);
  });
  return all;
}

}  // namespace

SvmlightRows read_svmlight(const std::string_view text, const std::int32_t limit, const std::size_t threads,
                           const std::size_t block_bytes) {
  const auto edges = block_edges(text, block_bytes);
  std::vector<SvmlightRows> parts(edges.size() - 1);
  try {
    parallel_rethrow(threads, parts.size(),
                     [&](const std::size_t b) { parts[b] = std::move(Block(edges[b], edges[b + 1], limit).rows); });
  } catch (const ParseError& error) {
    const auto before = std::count(text.data(), error.where, '\n');
    throw SvmlightError(error.what, static_cast<std::size_t>(before));
  }
  return parts.size() == 1 ? std::move(parts[0]) : join(parts, threads);
}

}  // namespace rosenblatt
