// Which row is visited next. The order is a pure function of (seed, pass, position), so a run resumes anywhere. The
// lists here are only a cache of it.
//
// More than 16,384 rows are shuffled in two steps: first chunks of neighbouring rows, then the rows within each window
// of 64 chunks. Neighbours share pages and cache lines, so rows of 800 bytes arrive nearly twice as fast as in a plain
// shuffle. A window holds chunks from all over the data, so sorted data are mixed as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "numerics/random.hpp"
#include "parts/recipe.hpp"

namespace rosenblatt {

struct ShuffleWindows {
  std::size_t chunk, window;  // rows

  explicit constexpr ShuffleWindows(const std::size_t rows) noexcept
      : chunk(std::clamp<std::size_t>(rows / 4096, 64, 512)), window(rows > unchunked ? 64 * chunk : unchunked) {}

 private:
  static constexpr std::size_t unchunked = 16384;
};

// Where a run stands within its order.
struct OrderPosition {
  std::uint64_t seed = 0, pass = 0, position = 0;
};

class OrderList {
 public:
  // The rows of the next `count` visits, and up to 16 more to prefetch. The span is shorter where the pass or the list
  // ends.
  std::span<const std::uint32_t> next(const OrderPosition& s, const Order order, const std::size_t rows,
                                      const std::size_t count) {
    if (order == Order::random_mistake) return draw(s, rows, count + ahead);
    const bool shuffled = order == Order::shuffle || order == Order::shuffle_once;
    const auto position = static_cast<std::size_t>(s.position);
    const std::size_t end = std::min(rows, position + std::min(count, longest) + ahead);
    list({s.seed, order == Order::shuffle ? s.pass : 0, rows, shuffled}, position, end);
    return {rows_.data() + (position - begin_), end - position};
  }

 private:
  static constexpr std::size_t ahead = 16;                        // rows that a visit prefetches
  static constexpr std::size_t longest = std::size_t{1} << 20;    // about the most visits in one list

  struct Pass {
    std::uint64_t seed = 0, number = 0;
    std::size_t rows = 0;  // 0: the list is empty
    bool shuffled = false;
    bool operator==(const Pass&) const = default;
  };

  // Lists the windows that contain positions first .. end-1.
  void list(const Pass& wanted, const std::size_t first, const std::size_t end) {
    if (wanted == pass_ && begin_ <= first && end <= begin_ + rows_.size()) return;
    const ShuffleWindows windows(wanted.rows);
    const std::size_t chunk = windows.chunk, window = windows.window;
    if (wanted != pass_) chunks_.clear();
    pass_ = wanted;
    begin_ = first / window * window;
    rows_.resize(std::min((end + window - 1) / window * window, wanted.rows) - begin_);
    std::iota(rows_.begin(), rows_.end(), static_cast<std::uint32_t>(begin_));
    if (!wanted.shuffled) return;
    const std::uint64_t key = random_bits(wanted.seed, wanted.number);
    if (wanted.rows > window) place_chunks(key, chunk);
    for (std::size_t at = 0; at < rows_.size(); at += window)
      shuffle(std::span(rows_).subspan(at, std::min(window, rows_.size() - at)), key, begin_ + at);
  }

  // Rows beyond the last full chunk stay at the end, so all windows but the last have the same length.
  void place_chunks(const std::uint64_t key, const std::size_t chunk) {
    if (chunks_.empty()) {
      chunks_.resize(pass_.rows / chunk);
      std::iota(chunks_.begin(), chunks_.end(), 0u);
      shuffle(chunks_, key, pass_.rows);
    }
    for (std::size_t k = 0; k < rows_.size() / chunk; ++k) {
      const std::size_t from = chunks_[begin_ / chunk + k] * chunk;
      std::iota(rows_.data() + k * chunk, rows_.data() + (k + 1) * chunk, static_cast<std::uint32_t>(from));
    }
  }

  // Fisher-Yates shuffle from the front, with the random numbers from `counter` on.
  static void shuffle(const std::span<std::uint32_t> rows, const std::uint64_t key, const std::uint64_t counter) {
    for (std::size_t k = 0; k < rows.size(); ++k)
      std::swap(rows[k], rows[k + random_below(random_bits(key, counter + k), rows.size() - k)]);
  }

  std::span<const std::uint32_t> draw(const OrderPosition& s, const std::size_t rows, const std::size_t count) {
    pass_ = {};
    rows_.resize(count);
    for (std::size_t k = 0; k < count; ++k) rows_[k] = random_below(random_bits(s.seed, s.position + k), rows);
    return rows_;
  }

  std::vector<std::uint32_t> rows_, chunks_;
  Pass pass_;
  std::size_t begin_ = 0;  // the first position listed
};

}  // namespace rosenblatt
