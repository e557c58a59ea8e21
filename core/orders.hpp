// Which row is visited next. A pure function of (seed, pass, position), so a run resumes anywhere; the list is a cache.
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
  // The rows of the coming visits: at least `count` of them, and a few more to prefetch where they are known.
  std::span<const std::uint32_t> next(const State& s, const Order order, const std::size_t rows,
                                      const std::size_t count) {
    const auto position = static_cast<std::size_t>(s.position);
    switch (order) {
      case Order::random_mistake: return draw(s, rows, count + ahead);
      default: break;
    }
    const bool shuffled = order == Order::shuffle || order == Order::shuffle_once;
    const std::size_t end = std::min(rows, position + count + ahead);
    shuffle_until(end, rows, s.seed, order == Order::shuffle ? s.pass : 0, shuffled);
    return {rows_.data() + position, end - position};
  }

 private:
  static constexpr std::size_t ahead = 16;  // as far as a visit looks

  // Fisher and Yates, from the front and only as far as needed: a swap an index, hidden behind the visits' memory
  // reads.
  void shuffle_until(const std::size_t end, const std::size_t rows, const std::uint64_t seed, const std::uint64_t pass,
                     const bool shuffled) {
    if (rows_.size() != rows || seed_ != seed || pass_ != pass || !listed_) {
      rows_.resize(rows);
      std::iota(rows_.begin(), rows_.end(), 0u);
      seed_ = seed;
      pass_ = pass;
      filled_ = 0;
      listed_ = true;
    }
    if (!shuffled) return;
    const std::uint64_t key = random_bits(seed, pass);
    constexpr std::size_t far = 64;  // the list of 2,000,000 rows is larger than the second-level cache
    const auto partner = [&](const std::size_t k) { return k + random_below(random_bits(key, k), rows - k); };
    for (; filled_ < end; ++filled_) {
      if (filled_ + far < rows) __builtin_prefetch(rows_.data() + partner(filled_ + far), 1);
      std::swap(rows_[filled_], rows_[partner(filled_)]);
    }
  }

  std::span<const std::uint32_t> draw(const State& s, const std::size_t rows, const std::size_t count) {
    listed_ = false;
    rows_.resize(count);
    for (std::size_t k = 0; k < count; ++k) rows_[k] = random_below(random_bits(s.seed, s.position + k), rows);
    return rows_;
  }

  std::vector<std::uint32_t> rows_;
  std::uint64_t seed_ = 0, pass_ = 0;
  std::size_t filled_ = 0;
  bool listed_ = false;
};

}  // namespace rosenblatt
