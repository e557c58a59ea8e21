// Rows that are read before their visits: which ones, and no other memory. Every row fills two pages of its own, so
// that the system knows which rows were read.
#include <sys/mman.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <span>
#include <thread>

#define ROSENBLATT_TARGET common
#include "loop/read_ahead.hpp"
#include "loop/visit.hpp"
#include "tests/check.hpp"

using namespace rosenblatt;

#if defined(__linux__)

constexpr std::size_t page = 4096, row_bytes = 2 * page, columns = row_bytes / sizeof(double);

// Rows that were never read, between pages that must not be read.
class UnreadRows {
 public:
  explicit UnreadRows(const std::size_t count) : bytes_(count * row_bytes + 2 * page) {
    memory_ = static_cast<char*>(
        ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    ::madvise(memory_, bytes_, MADV_NOHUGEPAGE);
    ::mprotect(memory_, page, PROT_NONE);
    ::mprotect(memory_ + bytes_ - page, page, PROT_NONE);
    view.count = count;
    view.columns = view.stored_columns = view.stride = columns;
    view.values = memory_ + page;
    view.stored_values = count * columns;
  }
  UnreadRows(const UnreadRows&) = delete;
  UnreadRows& operator=(const UnreadRows&) = delete;
  ~UnreadRows() { ::munmap(memory_, bytes_); }

  bool was_read(const std::size_t row) const {
    unsigned char resident[2] = {};
    ::mincore(memory_ + page + row * row_bytes, row_bytes, resident);
    CHECK((resident[0] & 1) >= (resident[1] & 1));  // from its beginning
    return resident[1] & 1;
  }
  void wait_until_read(const std::size_t row) const {
    while (!was_read(row)) std::this_thread::yield();
  }
  bool any_was_read(const std::size_t begin, const std::size_t end) const {
    for (std::size_t row = begin; row < end; ++row)
      if (was_read(row)) return true;
    return false;
  }
  bool all_were_read(const std::size_t begin, const std::size_t end) const {
    for (std::size_t row = begin; row < end; ++row)
      if (!was_read(row)) return false;
    return true;
  }

  RowsView view;

 private:
  std::size_t bytes_;
  char* memory_;
};

static std::vector<std::uint32_t> rising_order(const std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

// Visits prefetch 10 rows themselves, and the other thread reads rows of 100 KiB in all.
static void upcoming_rows_are_read_and_no_others() {
  const std::size_t count = 550, least = 10, far = 12;
  const UnreadRows rows(count);
  const std::vector<std::uint32_t> order = rising_order(count);
  std::uint64_t visits = 7;  // whatever it is at the start
  const ReadAhead reading(rows.view, order, visits, 2);
  const auto make_visits = [&](const std::uint64_t made) { std::atomic_ref(visits).store(7 + made); };
  rows.wait_until_read(far - 1);
  CHECK(rows.all_were_read(least, far));
  CHECK(!rows.any_was_read(0, least) && !rows.any_was_read(far, count));
  make_visits(1);
  rows.wait_until_read(far);
  CHECK(rows.all_were_read(least, far + 1) && !rows.any_was_read(far + 1, count));
  make_visits(100);  // visits were faster: rows that they have passed are not read
  rows.wait_until_read(100 + far - 1);
  CHECK(rows.all_were_read(100 + least, 100 + far));
  CHECK(!rows.any_was_read(far + 1, 100 + least) && !rows.any_was_read(100 + far, count));
  make_visits(count - 11);
  rows.wait_until_read(count - 1);
  CHECK(!rows.any_was_read(100 + far, count - 1));
}

static void rows_are_read_in_the_order_of_visits() {
  const UnreadRows rows(550);
  std::vector<std::uint32_t> order = rising_order(550);
  std::swap(order[10], order[500]);
  std::uint64_t visits = 0;
  const ReadAhead reading(rows.view, order, visits, 2);
  rows.wait_until_read(11);
  CHECK(rows.was_read(500) && !rows.was_read(10) && !rows.any_was_read(12, 500));
}

static std::size_t threads_of_process() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

static const std::size_t usual = threads_of_process();  // a sanitizer may have its own

static bool starts_a_thread(const RowsView& view, const std::size_t visits_to_come, const std::size_t threads) {
  while (threads_of_process() > usual) std::this_thread::yield();  // one that was joined may still be listed
  const std::vector<std::uint32_t> order = rising_order(visits_to_come);
  std::uint64_t visits = 0;
  const ReadAhead reading(view, order, visits, threads);
  return threads_of_process() > usual;
}

// 4 MiB of rows, 1 MiB of visits and rows of 512 bytes are worth a thread.
static void only_long_dense_rows_of_large_tables_are_read() {
  const UnreadRows rows(550);
  const RowsView& all = rows.view;
  CHECK(starts_a_thread(all, 550, 2) && !starts_a_thread(all, 550, 1));
  CHECK(starts_a_thread(all, 128, 2) && !starts_a_thread(all, 127, 2));
  RowsView few = all;
  few.count = 512;
  CHECK(starts_a_thread(few, 512, 2));
  few.count = 511;
  CHECK(!starts_a_thread(few, 511, 2));
  RowsView narrow = all;
  narrow.count = 8192;
  narrow.stored_columns = narrow.stride = 64;
  CHECK(starts_a_thread(narrow, 8192, 2));
  narrow.stored_columns = narrow.stride = 63;
  narrow.count = 8500;
  CHECK(!starts_a_thread(narrow, 8500, 2));
  RowsView sparse = all, lifted = all;
  sparse.indices = all.values;
  lifted.lift = static_cast<const Lift*>(all.values);
  CHECK(!starts_a_thread(sparse, 550, 2) && !starts_a_thread(lifted, 550, 2));
}

#endif

// The row that Prefetcher names, as its place in the order of visits.
static std::size_t next_place(common::Prefetcher& window, const std::vector<std::uint32_t>& order,
                              const std::size_t visit) {
  const auto found = std::find(order.begin(), order.end(), window.next(visit));
  CHECK(found != order.end());
  return static_cast<std::size_t>(found - order.begin());
}

static void rows_are_prefetched_once_and_in_time() {
  const std::vector<std::uint32_t> order = {5, 3, 8, 1, 9, 2, 7};
  const std::size_t last = order.size() - 1;
  for (const std::size_t ahead : {std::size_t{1}, std::size_t{3}, std::size_t{20}}) {
    common::Prefetcher without_moves{order.data(), order.size(), ahead};
    for (std::size_t v = 0; v <= last; ++v)
      CHECK(next_place(without_moves, order, v) == (v + ahead <= last ? v + ahead : v));
    common::Prefetcher with_moves{order.data(), order.size(), ahead};
    std::size_t asked = ahead;  // rows before this place are in the cache, or were prefetched
    for (std::size_t v = 0; v <= last; ++v)
      for (const std::size_t visit : {v, v + 1}) {  // a dot product, then a move
        const std::size_t expected = asked <= last && asked <= visit + ahead ? asked++ : std::min(visit, last);
        CHECK(next_place(with_moves, order, visit) == expected);
      }
    CHECK(asked == std::max(order.size(), ahead));
  }
}

int main() {
#if defined(__linux__)
  upcoming_rows_are_read_and_no_others();
  rows_are_read_in_the_order_of_visits();
  only_long_dense_rows_of_large_tables_are_read();
#endif
  rows_are_prefetched_once_and_in_time();
  return report();
}
