// Files seen as memory, to be read only. The system brings their pages when they are touched. Who walks over rows asks
// for room before each step, and what was touched before is let go where the step would have none: so the memory held
// depends on the walk and not on how busy the machine is. What is read does not depend on it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "rows/views.hpp"

namespace rosenblatt {

class Mapped {
 public:
  // Throws std::system_error. `most` are bytes of memory that the process may hold, all of it counted.
  Mapped(const char* path, std::size_t most);
  ~Mapped();
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t most() const noexcept { return most_; }
  void let_go() const noexcept;

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0, most_;
};

// Bytes that may be touched before somebody must look at what is held; no end of them where nothing is mapped.
inline constexpr std::int64_t endless = std::int64_t{1} << 62;
inline std::atomic<std::int64_t> room_on_files{endless};
void look_for_room() noexcept;

// Before so many bytes are touched.
inline void make_room(const std::size_t bytes) noexcept {
  if (room_on_files.load(std::memory_order_relaxed) > endless / 2) return;  // which threads can read side by side
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (room_on_files.fetch_sub(wanted, std::memory_order_relaxed) < wanted) look_for_room();
}

// What a row brings that is visited by itself: a page at least, at most all of a large folio. The looks find out.
inline constexpr std::size_t page_bytes = 4096, most_brought = std::size_t{1} << 21;
inline std::atomic<std::size_t> visit_bytes{most_brought}, visits_on_files{0};

// How many of the coming visits there is room for, some at least.
inline std::size_t visits_with_room(const std::size_t wanted) noexcept {
  constexpr std::size_t least = 16;
  if (room_on_files.load(std::memory_order_relaxed) > endless / 2) return wanted;
  if (room_on_files.load(std::memory_order_relaxed) <= 0) look_for_room();
  const std::size_t each = visit_bytes.load(std::memory_order_relaxed);
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(room_on_files.load(std::memory_order_relaxed), 0));
  const std::size_t visits = std::min(wanted, std::max(room / each, least));
  visits_on_files.fetch_add(visits, std::memory_order_relaxed);
  room_on_files.fetch_sub(static_cast<std::int64_t>(visits * each), std::memory_order_relaxed);
  return visits;
}

// Before so many rows are read, neighbours or not.
inline void make_room_for(const RowsView& rows, const std::size_t count, const bool neighbours) noexcept {
  const std::size_t number = rows.value_bytes() + (rows.indices ? 8 : 0);
  const std::size_t each = rows.stored_columns && !rows.indices
                               ? rows.stored_columns * number
                               : rows.stored_values / (rows.count ? rows.count : 1) * number;
  make_room(count * (neighbours || each > page_bytes ? each : page_bytes));
}

// Bytes of memory that the process holds now, and those of them that are pages of files, which the system can bring
// again; 0 where it does not say.
struct Resident {
  std::size_t all = 0, files = 0;
};
Resident resident_bytes() noexcept;

// Bytes of a file that were written go to the disk now. Returns when they are there; where a system has no such call,
// at once.
void send_to_disk(int descriptor, std::size_t start, std::size_t bytes) noexcept;

}  // namespace rosenblatt
