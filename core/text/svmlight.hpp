// LIBSVM text: one row per line, "label index:value index:value ... # comment", indices ascending, with an optional
// "qid:number" after the label. Threads share the lines in blocks; the result is in the order of the lines.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rosenblatt {

struct SvmlightRows {
  std::vector<double> labels;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> indices;          // as written
  std::vector<double> values;
  std::vector<std::int64_t> queries;          // no_query for a row without one; empty if no row has one
  std::int32_t least = INT32_MAX, most = -1;  // the smallest and the largest index
  std::size_t lines = 0;
};

inline constexpr std::int64_t no_query = -1;

// The message, and the line of the error, counted from 0.
struct SvmlightError : std::invalid_argument {
  SvmlightError(const std::string& what, const std::size_t at) : std::invalid_argument(what), line(at) {}
  std::size_t line;
};

// Reads complete lines; the last may lack its line feed. Refuses indices above `limit`. Threads share the text in
// blocks of about `block_bytes`; neither rows nor errors depend on them.
SvmlightRows read_svmlight(std::string_view text, std::int32_t limit, std::size_t threads,
                           std::size_t block_bytes = std::size_t{1} << 19);

}  // namespace rosenblatt
