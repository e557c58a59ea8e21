#include "text/delimited.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "text/lines.hpp"
#include "text/plain_numbers.hpp"
#include "text/word_table.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace rosenblatt {
namespace {

// Texts that mean a missing value; the Python reader has the same list.
constexpr std::string_view gaps[] = {"",         "?",      "NA",      "N/A",     "n/a",     "#N/A", "#NA",
                                     "NaN",      "nan",    "-NaN",    "-nan",    "NULL",    "null", "<NA>",
                                     "#N/A N/A", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"};
constexpr std::size_t longest_gap = 8;

bool is_missing(const std::string_view text) noexcept {
  return text.size() <= longest_gap && std::find(std::begin(gaps), std::end(gaps), text) != std::end(gaps);
}

bool is_ascii(const std::string_view text) noexcept {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

// The field from `begin` to a separator, without a carriage return at the end of the line.
std::string_view field_between(const char* const begin, const char* const mark, const char* const end) noexcept {
  const bool returns = mark != end && *mark == '\n' && mark != begin && mark[-1] == '\r';
  return {begin, static_cast<std::size_t>(mark - begin - returns)};
}

// A bit for each of 64 characters that is one of two separators.
std::uint64_t separator_bits(const char* const letters, const char one, const char other) noexcept {
  std::uint64_t marks = 0;
#if defined(__SSE2__)
  const __m128i first = _mm_set1_epi8(one), second = _mm_set1_epi8(other);
  for (int k = 0; k < 4; ++k) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(letters + 16 * k));
    const __m128i found = _mm_or_si128(_mm_cmpeq_epi8(some, first), _mm_cmpeq_epi8(some, second));
    marks |= static_cast<std::uint64_t>(_mm_movemask_epi8(found)) << (16 * k);
  }
#else
  for (int k = 0; k < 64; ++k) marks |= std::uint64_t{letters[k] == one || letters[k] == other} << k;
#endif
  return marks;
}

// Fields without a delimiter or line feed inside, quoted or not. They end at the next separator. Separators are found
// in batches, so no field waits for the previous one.
class PlainFields {
 public:
  PlainFields(const std::string_view text, const char delimiter, const bool quotes) noexcept
      : text_(text), delimiter_(delimiter), quotes_(quotes) {}

  [[gnu::always_inline]] const char* end_of(const char* const begin, std::string_view& field) noexcept {
    if (next_ == found_) find_more();
    const char* const at = text_.data() + separators_[next_++];
    field = field_between(begin, at, text_.data() + text_.size());
    return !quotes_ || field.empty() || field.front() != '"' || unquote(field) ? at : nullptr;
  }

 private:
  // Finds the next separators; the end of the text counts as one.
  void find_more() noexcept {
    next_ = found_ = 0;
    for (; found_ + 64 < most && seen_ + 64 <= text_.size(); seen_ += 64)
      note(separator_bits(text_.data() + seen_, delimiter_, '\n'));
    if (found_ != 0) return;
    for (; found_ + 1 < most && seen_ < text_.size(); ++seen_)
      if (text_[seen_] == delimiter_ || text_[seen_] == '\n') separators_[found_++] = static_cast<std::uint32_t>(seen_);
    if (seen_ == text_.size()) separators_[found_++] = static_cast<std::uint32_t>(seen_);
  }

  // Writes eight at a time, even where there are fewer: their number is hard to predict.
  void note(std::uint64_t marks) noexcept {
    const std::size_t count = static_cast<std::size_t>(std::popcount(marks));
    for (std::size_t done = 0; done < count; done += 8)
      for (std::size_t k = 0; k < 8; ++k, marks &= marks - 1)
        separators_[found_ + done + k] =
            static_cast<std::uint32_t>(seen_ + static_cast<std::size_t>(std::countr_zero(marks)));
    found_ += count;
  }

  static bool unquote(std::string_view& field) noexcept {
    if (field.size() < 2 || field.back() != '"') return false;
    field = field.substr(1, field.size() - 2);
    return field.find('"') == field.npos;
  }

  static constexpr std::size_t most = 1024;
  std::string_view text_;
  char delimiter_;
  bool quotes_;
  std::size_t seen_ = 0, next_ = 0, found_ = 0;
  std::uint32_t separators_[most + 8];
};

// Quoted fields may contain delimiters, but neither quotes nor line feeds.
class QuotedFields {
 public:
  QuotedFields(const std::string_view text, const char delimiter) noexcept
      : end_(text.data() + text.size()), delimiter_(delimiter) {}

  const char* end_of(const char* const begin, std::string_view& field) const noexcept {
    const char* at = begin;
    if (at != end_ && *at == '"') {
      const auto* const close =
          static_cast<const char*>(std::memchr(at + 1, '"', static_cast<std::size_t>(end_ - at - 1)));
      if (!close) return nullptr;
      field = {at + 1, static_cast<std::size_t>(close - at - 1)};
      if (std::memchr(field.data(), '\n', field.size())) return nullptr;
      return close + 1 + (end_ - close > 2 && close[1] == '\r' && close[2] == '\n');
    }
    while (at != end_ && *at != delimiter_ && *at != '\n') ++at;
    field = field_between(begin, at, end_);
    return at;
  }

 private:
  const char* end_;
  char delimiter_;
};

// The codes of a column's texts. Texts are checked when they first appear: most fields cost one lookup.
class Categories {
 public:
  Categories(DelimitedColumn& column, const bool quotes, const char* const end) noexcept
      : column_(column), next_(column.codes.data()), quotes_(quotes), end_(end) {}

  [[gnu::always_inline]] bool put(const std::string_view field) {
    if (end_ - field.data() < static_cast<std::ptrdiff_t>(field.size() + block)) return put_last(field);
    return put(table_.word(field.data(), field.size()), field);
  }

 private:
  [[gnu::always_inline]] bool put(const WordTable::Word& word, const std::string_view field) {
    const std::uint32_t id = table_.find(word);
    if (id == WordTable::none) return add(word, field);
    *next_++ = codes_[id];
    return true;
  }

  // Near the end of the text a block of bytes is not readable.
  bool put_last(const std::string_view field) {
    std::string copy(field);
    copy.append(block, '\0');
    return put(table_.word(copy.data(), field.size()), field);
  }

  bool add(const WordTable::Word& word, const std::string_view field) {
    const bool plain = field.find('\r') == field.npos && !(quotes_ && field.find('"') != field.npos);
    if (!plain || !is_ascii(field)) return false;
    table_.add(word);
    auto& [numbers, codes, ends, bytes] = column_;
    codes_.push_back(is_missing(field) ? -1 : static_cast<std::int32_t>(ends.size() - 1));
    *next_++ = codes_.back();
    if (codes_.back() < 0) return true;
    bytes.insert(bytes.end(), field.begin(), field.end());
    ends.push_back(static_cast<std::int32_t>(bytes.size()));
    return true;
  }

  static constexpr std::size_t block = 16;  // bytes that a lookup reads at a time
  DelimitedColumn& column_;
  std::int32_t* next_;  // where the next code goes
  bool quotes_;
  const char* end_;
  WordTable table_;
  std::vector<std::int32_t> codes_;  // of each word of the table
};

// The columns read so far.
class Columns {
 public:
  Columns(const std::string_view text, const bool quotes, const std::span<const Field> fields)
      : kinds_(fields),
        quotes_(quotes),
        end_(text.data() + text.size()),
        columns_(fields.size()),
        next_(fields.size()) {
    const std::size_t most = count_letter(text, '\n') + 1;
    categories_.resize(fields.size());
    for (std::size_t c = 0; c < fields.size(); ++c) reserve(c, most);
  }

  // Adds a field. Returns whether it is plain.
  [[gnu::always_inline]] bool put(const std::size_t c, const std::string_view field) {
    if (kinds_[c] == Field::number) return put_number(field, *next_[c]++);
    if (kinds_[c] == Field::category) return categories_[c]->put(field);
    if (field.find('\r') != field.npos || (quotes_ && field.find('"') != field.npos)) return false;
    if (kinds_[c] == Field::skipped) return true;
    if (is_missing(field) || !is_ascii(field)) return false;
    auto& [numbers, codes, ends, bytes] = columns_[c];
    bytes.insert(bytes.end(), field.begin(), field.end());
    ends.push_back(static_cast<std::int32_t>(bytes.size()));
    return true;
  }

  std::vector<DelimitedColumn> take(const std::size_t rows) && {
    for (std::size_t c = 0; c < kinds_.size(); ++c) {
      if (kinds_[c] == Field::number) columns_[c].numbers.resize(rows);
      if (kinds_[c] == Field::category) columns_[c].codes.resize(rows);
    }
    return std::move(columns_);
  }

 private:
  void reserve(const std::size_t c, const std::size_t most) {
    DelimitedColumn& column = columns_[c];
    if (kinds_[c] == Field::number) column.numbers.resize(most), next_[c] = column.numbers.data();
    if (kinds_[c] == Field::text) column.ends.reserve(most + 1);
    if (kinds_[c] == Field::text || kinds_[c] == Field::category) column.ends.push_back(0);
    if (kinds_[c] != Field::category) return;
    column.codes.resize(most);
    categories_[c] = std::make_unique<Categories>(column, quotes_, end_);
  }

  bool put_number(const std::string_view field, double& value) const noexcept {
    value = std::numeric_limits<double>::quiet_NaN();
    if (field.empty()) return true;
    const char *const begin = field.data(), *const end = begin + field.size();
    if ((end_ - begin > 16 && read_short_number(begin, end, value)) || read_number(begin, end, value) == end)
      return true;
    value = std::numeric_limits<double>::quiet_NaN();
    return is_missing(field);
  }

  std::span<const Field> kinds_;
  bool quotes_;
  const char* end_;
  std::vector<DelimitedColumn> columns_;
  std::vector<double*> next_;  // where the next number goes
  std::vector<std::unique_ptr<Categories>> categories_;
};

template <class Fields>
std::optional<std::vector<DelimitedColumn>> read(Fields fields, Columns columns, const std::string_view text,
                                                 const char delimiter, const std::size_t width) {
  const char *at = text.data(), *const end = at + text.size();
  std::size_t rows = 0, c = 0;
  while (at != end || c != 0) {
    std::string_view field;
    const char* const after = fields.end_of(at, field);
    if (!after) return {};
    const bool last = c + 1 == width, ends_line = after == end || *after == '\n';
    const bool blank = c == 0 && ends_line && after - at <= 1 && field.empty();
    if (!blank) {
      if (ends_line ? !last : last || *after != delimiter) return {};
      if (!columns.put(c, field)) return {};
      rows += last;
      c = last ? 0 : c + 1;
    }
    at = after + (after != end);
  }
  return std::move(columns).take(rows);
}

}  // namespace

std::optional<std::vector<DelimitedColumn>> read_delimited(const std::string_view text, const char delimiter,
                                                           const bool quotes, const std::span<const Field> fields) {
  if (fields.empty() || text.size() > std::numeric_limits<std::int32_t>::max()) return {};
  if (text.find('\0') != text.npos) return {};  // a word table takes zeros for the end of a word
  const auto with = [&](auto ends) {
    return read(ends, Columns(text, quotes, fields), text, delimiter, fields.size());
  };
  auto found = with(PlainFields(text, delimiter, quotes));
  if (!found && quotes && text.find('"') != text.npos) found = with(QuotedFields(text, delimiter));
  return found;
}

}  // namespace rosenblatt
