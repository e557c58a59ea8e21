// Which row is visited next. A pure function of (seed, pass, position), so a run resumes anywhere; the lists are a
// cache.
//
// Many rows are shuffled in two steps: chunks of neighbouring rows in random order, then the rows of each window of
// chunks among themselves. Memory, and a file even more, give neighbours sooner than strangers: rows of 800 bytes come
// nearly twice as fast. A window has chunks from all over the data, so sorted data are mixed as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "loop/state.hpp"
#include "numerics/random.hpp"
#include "parts/recipe.hpp"

namespace rosenblatt {

struct Windows {
  std::size_t chunk, window;  // rows

  explicit constexpr Windows(const std::size_t rows) noexcept
      : chunk(std::clamp<std::size_t>(rows / 4096, 64, 512)), window(rows > few ? 64 * chunk : few) {}

 private:
  static constexpr std::size_t few = 16384;
};

class OrderList {
 public:
  // The rows of the coming visits: `count` of them, and a few more to prefetch where they are known; fewer where the
  // pass or the list ends before.
  std::span<const std::uint32_t> next(const State& s, const Order order, const std::size_t rows,
                                      const std::size_t count) {
    if (order == Order::random_mistake) return draw(s, rows, count + ahead);
    const bool shuffled = order == Order::shuffle || order == Order::shuffle_once;
    const auto position = static_cast<std::size_t>(s.position);
    const std::size_t end = std::min(rows, position + std::min(count, longest) + ahead);
    list({s.seed, order == Order::shuffle ? s.pass : 0, rows, shuffled}, position, end);
    return {rows_.data() + (position - begin_), end - position};
  }

 private:
  static constexpr std::size_t ahead = 16;                        // as far as a visit looks
  static constexpr std::size_t longest = std::size_t{1} << 20;    // visits that are listed at once, about

  struct Pass {
    std::uint64_t seed = 0, number = 0;
    std::size_t rows = 0;  // 0: nothing is listed
    bool shuffled = false;
    bool operator==(const Pass&) const = default;
  };

  // The windows that hold these positions.
  void list(const Pass& wanted, const std::size_t first, const std::size_t end) {
    if (wanted == pass_ && begin_ <= first && end <= begin_ + rows_.size()) return;
    const Windows windows(wanted.rows);
    const std::size_t chunk = windows.chunk, window = windows.window;
    if (wanted != pass_) chunks_.clear();
    pass_ = wanted;
    begin_ = first / window * window;
    rows_.resize(std::min((end + window - 1) / window * window, wanted.rows) - begin_);
    std::iota(rows_.begin(), rows_.end(), static_cast<std::uint32_t>(begin_));
    if (!wanted.shuffled) return;
    const std::uint64_t key = random_bits(wanted.seed, wanted.number);
    if (wanted.rows > window) take_chunks(key, chunk);
    for (std::size_t at = 0; at < rows_.size(); at += window)
      shuffle(std::span(rows_).subspan(at, std::min(window, rows_.size() - at)), key, begin_ + at);
  }

  // What is left of the last chunk stays at the end, so that all windows but the last are equally long.
  void take_chunks(const std::uint64_t key, const std::size_t chunk) {
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

  // Fisher and Yates, from the front; the random numbers are those from `counter` on.
  static void shuffle(const std::span<std::uint32_t> cards, const std::uint64_t key, const std::uint64_t counter) {
    for (std::size_t k = 0; k < cards.size(); ++k)
      std::swap(cards[k], cards[k + random_below(random_bits(key, counter + k), cards.size() - k)]);
  }

  std::span<const std::uint32_t> draw(const State& s, const std::size_t rows, const std::size_t count) {
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
