// Files mapped into memory, read only. The system loads a page when it is first touched. Passes over rows reserve pages
// before each step; where the budget is exhausted, pages touched before are released. So the memory in use depends on
// the pass and not on the load of the machine. Results do not depend on it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace rosenblatt {

class MappedFile {
 public:
  // Throws std::system_error. `memory_limit`: bytes of memory that the whole process may hold.
  MappedFile(const char* path, std::size_t memory_limit);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t memory_limit() const noexcept { return memory_limit_; }
  void release_pages() const noexcept;

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0, memory_limit_;
};

// Bytes that may be touched before the memory in use must be measured again; unlimited while no file is mapped.
inline constexpr std::int64_t unlimited = std::int64_t{1} << 62;
inline std::atomic<std::int64_t> page_budget{unlimited};
void refresh_page_budget() noexcept;

// Call before touching this many bytes.
inline void reserve_pages(const std::size_t bytes) noexcept {
  if (page_budget.load(std::memory_order_relaxed) > unlimited / 2)
    return;  // a load alone, which threads can do in parallel
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (page_budget.fetch_sub(wanted, std::memory_order_relaxed) < wanted) refresh_page_budget();
}

// The estimated bytes that one visit of a scattered row loads: from one page to a large folio. update_budget measures
// it.
inline constexpr std::size_t page_bytes = 4096, max_visit_bytes = std::size_t{1} << 21;
inline std::atomic<std::size_t> visit_bytes{max_visit_bytes}, mapped_visits{0};

// How many of the next visits fit into the budget; at least 16.
inline std::size_t visits_within_budget(const std::size_t wanted) noexcept {
  constexpr std::size_t least = 16;
  if (page_budget.load(std::memory_order_relaxed) > unlimited / 2) return wanted;
  if (page_budget.load(std::memory_order_relaxed) <= 0) refresh_page_budget();
  const std::size_t each = visit_bytes.load(std::memory_order_relaxed);
  const auto room = static_cast<std::size_t>(std::max<std::int64_t>(page_budget.load(std::memory_order_relaxed), 0));
  const std::size_t visits = std::min(wanted, std::max(room / each, least));
  mapped_visits.fetch_add(visits, std::memory_order_relaxed);
  page_budget.fetch_sub(static_cast<std::int64_t>(visits * each), std::memory_order_relaxed);
  return visits;
}

// Memory that the process holds now, in bytes, and the part of it that is pages of files, which the system can load
// again. 0 where the system does not report it.
struct Resident {
  std::size_t all = 0, files = 0;
};
Resident resident_bytes() noexcept;

// Writes a range of a file to disk and waits for it. Does nothing where the system has no such call.
void send_to_disk(int descriptor, std::size_t start, std::size_t bytes) noexcept;

}  // namespace rosenblatt
