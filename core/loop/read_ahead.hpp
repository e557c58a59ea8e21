// A second thread that reads the rows to come shortly before their visits. Visits are a chain, one row after the
// other, and one core cannot keep enough reads in flight to hide how far memory is; the neighbour's cache is nearer.
// Nothing it does changes a bit. Sparse rows do without: their visits wait for w; so do
// lifted ones, which wait for arithmetic.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <thread>

#include "rows/views.hpp"
#include "system/spin_wait.hpp"

namespace rosenblatt {

class ReadAhead {
 public:
  // `visits` grows by one with every row of `order`, from what it is now.
  ReadAhead(const RowsView& rows, const std::span<const std::uint32_t> order, std::uint64_t& visits,
            const std::size_t threads) {
    const std::size_t each = rows.stored_columns * rows.value_bytes();
    if (threads < 2 || rows.indices || rows.lift || each < short_row) return;
    if (each * rows.count < nearby || each * order.size() < worth_a_thread) return;
    try {
      thread_ = std::jthread([&rows, order, each, &visits, start = visits](const std::stop_token& stop) {
        const std::size_t far = std::max<std::size_t>(lead / each, least);
        for (std::size_t next = least; next < order.size() && !stop.stop_requested();) {
          const std::size_t now = std::atomic_ref(visits).load(std::memory_order_relaxed) - start;
          next = std::max(next, now + least);
          for (const std::size_t end = std::min(now + far, order.size()); next < end; ++next) touch(rows, order[next]);
          for (int k = 0; k < pauses; ++k) breathe();
        }
      });
    } catch (const std::system_error&) {
      // no more threads to be had: the visits wait for their rows themselves
    }
  }

 private:
  static constexpr std::size_t short_row = 512;                         // bytes: shorter rows wait for arithmetic
  static constexpr std::size_t nearby = std::size_t{4} << 20;           // bytes that caches hold anyway
  static constexpr std::size_t worth_a_thread = std::size_t{1} << 20;   // bytes to read
  static constexpr std::size_t lead = std::size_t{100} << 10;           // bytes before the visit
  static constexpr std::size_t least = 10;                              // rows that the visits ask for themselves
  static constexpr int pauses =
      48;  // some microseconds between looks at `visits`: each look costs the visits a cache miss

  // Reads a byte of every line; hints instead of reads were slower.
  static void touch(const RowsView& rows, const std::size_t row) noexcept {
    const char* const from = static_cast<const char*>(rows.values) + row * rows.stride * rows.value_bytes();
    for (std::size_t at = 0; at < rows.stored_columns * rows.value_bytes(); at += 64)
      static_cast<void>(*static_cast<const volatile char*>(from + at));
  }

  std::jthread thread_;
};

}  // namespace rosenblatt
