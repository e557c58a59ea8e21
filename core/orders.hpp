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

#include "random.hpp"
#include "recipe.hpp"
#include "state.hpp"

namespace rosenblatt {

class OrderList {
 public:
  static constexpr std::size_t chunk = 512, window = 64 * chunk;  // rows

  // The rows of the coming visits, up to the end of their window: `count` of them, and a few more to prefetch where
  // they are known.
  std::span<const std::uint32_t> next(const State& s, const Order order, const std::size_t rows,
                                      const std::size_t count) {
    if (order == Order::random_mistake) return draw(s, rows, count + ahead);
    const bool shuffled = order == Order::shuffle || order == Order::shuffle_once;
    const std::size_t position = s.position % window, begin = s.position - position;
    list({s.seed, order == Order::shuffle ? s.pass : 0, begin, rows, shuffled});
    const std::size_t end = std::min(rows_.size(), position + count + ahead);
    if (shuffled) shuffle_until(end);
    return {rows_.data() + position, end - position};
  }

 private:
  static constexpr std::size_t ahead = 16;  // as far as a visit looks

  struct Listed {
    std::uint64_t seed = 0, pass = 0;
    std::size_t begin = 0, rows = 0;  // the window's first position; 0 rows: nothing is listed
    bool shuffled = false;
    bool operator==(const Listed&) const = default;
  };

  // The rows of a window, chunk by chunk. What is left of the last chunk stays at the end, so that all windows are
  // equally long.
  void list(const Listed& wanted) {
    if (wanted == listed_) return;
    listed_ = wanted;
    key_ = random_bits(wanted.seed, wanted.pass);
    filled_ = 0;
    rows_.resize(std::min(window, wanted.rows - wanted.begin));
    std::iota(rows_.begin(), rows_.end(), static_cast<std::uint32_t>(wanted.begin));
    if (!wanted.shuffled || wanted.rows <= window) return;
    shuffle_chunks(wanted.rows);
    for (std::size_t k = 0; k < rows_.size() / chunk; ++k)
      std::iota(rows_.data() + k * chunk, rows_.data() + (k + 1) * chunk,
                chunks_[wanted.begin / chunk + k] * std::uint32_t{chunk});
  }

  void shuffle_chunks(const std::size_t rows) {
    const std::size_t whole = rows / chunk;
    if (chunks_.size() == whole && chunks_key_ == key_) return;
    chunks_.resize(whole);
    chunks_key_ = key_;
    std::iota(chunks_.begin(), chunks_.end(), 0u);
    for (std::size_t k = 0; k < whole; ++k)
      std::swap(chunks_[k], chunks_[k + random_below(random_bits(key_, rows + k), whole - k)]);
  }

  // Fisher and Yates, from the front and only as far as needed.
  void shuffle_until(const std::size_t end) {
    const std::size_t size = rows_.size();
    for (; filled_ < end; ++filled_)
      std::swap(rows_[filled_],
                rows_[filled_ + random_below(random_bits(key_, listed_.begin + filled_), size - filled_)]);
  }

  std::span<const std::uint32_t> draw(const State& s, const std::size_t rows, const std::size_t count) {
    listed_ = {};
    rows_.resize(count);
    for (std::size_t k = 0; k < count; ++k) rows_[k] = random_below(random_bits(s.seed, s.position + k), rows);
    return rows_;
  }

  std::vector<std::uint32_t> rows_, chunks_;
  Listed listed_;
  std::uint64_t key_ = 0, chunks_key_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace rosenblatt
