// The fast reader of delimited text, against a loop over single characters and strtod.
#include "text/delimited.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "fuzz/input.hpp"

using namespace rosenblatt;

using Row = std::vector<std::string>;

// The rows of a text, blank lines left out.
static std::vector<Row> slow_rows(const std::string_view text, const char delimiter, const bool quotes) {
  std::vector<Row> rows;
  Row row;
  for (std::size_t at = 0; at < text.size() || !row.empty();) {
    std::string field;
    const bool quoted = quotes && at < text.size() && text[at] == '"';
    if (quoted)
      for (++at; at < text.size() && text[at] != '"'; ++at) field += text[at];
    at += quoted;
    while (at < text.size() && text[at] != delimiter && text[at] != '\n') field += text[at++];
    const bool ends = at >= text.size() || text[at] == '\n';
    if (ends && at < text.size() && !field.empty() && field.back() == '\r') field.pop_back();
    ++at;
    if (ends && row.empty() && field.empty() && !quoted) continue;
    row.push_back(field);
    if (ends) rows.push_back(std::move(row)), row.clear();
  }
  return rows;
}

static bool same_number(const double value, const std::string& field) {
  if (std::isnan(value)) return field.empty() || std::strchr("?Nn#-1<", field[0]);  // a text for a missing value
  const double expected = std::strtod(field.c_str(), nullptr);
  return std::memcmp(&value, &expected, sizeof value) == 0;
}

// The code that a category has, by comparing with all rows before; -1 for a missing value.
static std::int32_t slow_code(const std::vector<Row>& rows, const std::size_t row, const std::size_t c) {
  static const std::vector<std::string> gaps{"",       "?",       "NA",      "N/A",      "n/a",     "#N/A", "#NA",
                                             "NaN",    "nan",     "-NaN",    "-nan",     "NULL",    "null", "<NA>",
                                             "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN", "#N/A N/A"};
  std::vector<std::string> distinct;
  for (std::size_t i = 0; i <= row; ++i) {
    const std::string& text = rows[i][c];
    if (std::find(gaps.begin(), gaps.end(), text) != gaps.end()) continue;
    if (std::find(distinct.begin(), distinct.end(), text) == distinct.end()) distinct.push_back(text);
  }
  const auto found = std::find(distinct.begin(), distinct.end(), rows[row][c]);
  return found == distinct.end() ? -1 : static_cast<std::int32_t>(found - distinct.begin());
}

static void require_same(const std::vector<DelimitedColumn>& columns, const std::vector<Row>& rows,
                         const std::vector<Field>& fields) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    REQUIRE(rows[i].size() == fields.size());
    for (std::size_t c = 0; c < fields.size(); ++c) {
      const auto& [numbers, codes, ends, bytes] = columns[c];
      if (fields[c] == Field::category) {
        REQUIRE(codes.size() == rows.size() && codes[i] == slow_code(rows, i, c));
        if (codes[i] >= 0) {
          const auto code = static_cast<std::size_t>(codes[i]);
          REQUIRE(std::string(bytes.begin() + ends[code], bytes.begin() + ends[code + 1]) == rows[i][c]);
        }
      }
      if (fields[c] == Field::number) REQUIRE(numbers.size() == rows.size() && same_number(numbers[i], rows[i][c]));
      if (fields[c] != Field::text) continue;
      REQUIRE(ends.size() == rows.size() + 1 && static_cast<std::size_t>(ends.back()) == bytes.size());
      REQUIRE(std::string(bytes.begin() + ends[i], bytes.begin() + ends[i + 1]) == rows[i][c]);
    }
  }
}

// An empty field, or up to 15 digits, perhaps after a sign.
static bool is_simple(const std::string_view field) {
  const std::string_view digits = field.substr(field.starts_with('-'));
  return field.empty() || (!digits.empty() && digits.size() <= 15 &&
                           std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

// Whether all fields are simple numbers: the fast reader must accept them.
static bool must_be_read(const std::string_view text, const std::vector<Row>& rows, const std::vector<Field>& fields) {
  return text.find_first_of("\r\"") == text.npos &&
         std::all_of(fields.begin(), fields.end(), [](const Field f) { return f == Field::number; }) &&
         std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
           return row.size() == fields.size() && std::all_of(row.begin(), row.end(), is_simple);
         });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, const std::size_t size) {
  Input input(data, size);
  const char delimiter = ",;\t "[input.below(4)];
  const bool quotes = input.flag();
  std::vector<Field> fields(1 + input.below(6));
  for (Field& field : fields) field = static_cast<Field>(input.below(4));
  const std::size_t cut = input.take<std::uint8_t>();
  const std::string_view text = input.text();

  const auto columns = read_delimited(text, delimiter, quotes, fields);
  const std::vector<Row> rows = slow_rows(text, delimiter, quotes);
  if (!columns) REQUIRE(!must_be_read(text, rows, fields));
  if (!columns) return 0;
  require_same(*columns, rows, fields);
  // Lines that are read together are read alone.
  const std::size_t end = text.find('\n', cut);
  if (end == text.npos) return 0;
  REQUIRE(read_delimited(text.substr(0, end + 1), delimiter, quotes, fields));
  REQUIRE(read_delimited(text.substr(end + 1), delimiter, quotes, fields));
  return 0;
}
