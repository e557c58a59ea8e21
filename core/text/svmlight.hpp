// LIBSVM text: one row a line, "label index:value index:value ... # comment", indices rising, perhaps "qid:number"
// after the label. Lines are shared among threads in blocks; the result is in the order of the lines.
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
  std::vector<std::int64_t> queries;          // no_query where a row has none; empty if no row has one
  std::int32_t least = INT32_MAX, most = -1;  // index
  std::size_t lines = 0;
};

inline constexpr std::int64_t no_query = -1;

// What is wrong, and in which line, counted from 0.
struct SvmlightError : std::invalid_argument {
  SvmlightError(const std::string& what, const std::size_t at) : std::invalid_argument(what), line(at) {}
  std::size_t line;
};

// Whole lines; the last may lack its end. Indices above `limit` are refused.
SvmlightRows read_svmlight(std::string_view text, std::int32_t limit, std::size_t threads);

}  // namespace rosenblatt
