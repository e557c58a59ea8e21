// A second thread that reads upcoming rows shortly before their visits. Visits depend on each other, and one core
// cannot keep enough loads in flight to hide the latency of memory; another core's cache is nearer. No result depends
// on this thread. Sparse rows do not use it because their visits wait for w, nor do lifted rows, which wait for
// arithmetic.
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
  // `visits` grows by one with every row of `order`.
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
          for (int k = 0; k < pauses; ++k) spin_pause();
        }
      });
    } catch (const std::system_error&) {
      // the system has no more threads: visits read their rows themselves
    }
  }

 private:
  static constexpr std::size_t short_row = 512;  // bytes: visits of shorter rows wait for arithmetic
  static constexpr std::size_t nearby = std::size_t{4} << 20;  // bytes that fit into the caches anyway
  static constexpr std::size_t worth_a_thread = std::size_t{1} << 20;  // bytes to read, at least
  static constexpr std::size_t lead = std::size_t{100} << 10;  // bytes before the visit
  static constexpr std::size_t least = 10;  // rows that the visits prefetch themselves
  static constexpr int pauses =
      48;  // a few microseconds between reads of `visits`: each read costs the visits a cache miss

  // Reads one byte of every cache line. Prefetch hints instead of reads were slower.
  static void touch(const RowsView& rows, const std::size_t row) noexcept {
    const char* const from = static_cast<const char*>(rows.values) + row * rows.stride * rows.value_bytes();
    for (std::size_t at = 0; at < rows.stored_columns * rows.value_bytes(); at += 64)
      static_cast<void>(*static_cast<const volatile char*>(from + at));
  }

  std::jthread thread_;
};

}  // namespace rosenblatt
