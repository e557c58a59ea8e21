// A column of texts as Arrow stores it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rosenblatt {

struct Texts {
  std::string_view data;
  const std::int32_t* offsets = nullptr;       // count + 1 of them; either these or the wide ones are set
  const std::int64_t* wide_offsets = nullptr;  // count + 1 of them
  std::size_t count = 0;
  const std::uint8_t* valid = nullptr;  // a bit per row; null means that every row has a text
  std::size_t first_bit = 0;

  // Throws std::invalid_argument where offsets point outside the data. `row` trusts them.
  void check() const;
  std::string_view row(std::size_t i) const noexcept;
};

}  // namespace rosenblatt
