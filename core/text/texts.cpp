#include "text/texts.hpp"

#include <stdexcept>
#include <string>

namespace rosenblatt {

void Texts::check() const {
  const auto rise = [&](const auto* at) {
    auto last = at[0];
    for (std::size_t i = 1; i <= count; last = at[i++])
      if (at[i] < last || last < 0 || static_cast<std::uint64_t>(at[i]) > data.size())
        throw std::invalid_argument("the text of row " + std::to_string(i - 1) + " lies outside of its column's data");
  };
  offsets ? rise(offsets) : rise(wide_offsets);
}

std::string_view Texts::row(const std::size_t i) const noexcept {
  const std::size_t bit = first_bit + i;
  if (valid && !(valid[bit / 8] >> bit % 8 & 1)) return {};
  const std::int64_t begin = offsets ? offsets[i] : wide_offsets[i];
  const std::int64_t end = offsets ? offsets[i + 1] : wide_offsets[i + 1];
  return {data.data() + begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace rosenblatt
