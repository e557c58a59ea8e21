#include "system/mapped_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rosenblatt {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t min_visits_between_releases = 4096;
constexpr auto watch_interval = 2ms;  // how often to measure code that touches pages without reserving them

[[noreturn]] void fail(const char* path) { throw std::system_error(errno, std::generic_category(), path); }

class File {
 public:
  explicit File(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail(path);
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  operator int() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

Resident resident_bytes() noexcept {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[128] = {};
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return {};
  char* after = nullptr;
  std::strtoull(text, &after, 10);  // total size; resident pages follow, then resident pages of files
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t all = std::strtoull(after, &after, 10) * page, files = std::strtoull(after, nullptr, 10) * page;
  return {all, files};
}

void send_to_disk([[maybe_unused]] const int descriptor, [[maybe_unused]] const std::size_t start,
                  [[maybe_unused]] const std::size_t bytes) noexcept {
#ifdef SYNC_FILE_RANGE_WRITE
  sync_file_range(descriptor, static_cast<off_t>(start), static_cast<off_t>(bytes),
                  SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
#endif
}

namespace {

// All mapped files. They share one memory budget.
class MappedFiles {
 public:
  void add(const MappedFile* file) {
    const std::lock_guard lock(mutex_);
    files_.push_back(file);
    page_budget = 0;
    start_watcher();
  }

  void remove(const MappedFile* file) {
    const std::lock_guard lock(mutex_);
    std::erase(files_, file);
    page_budget = 0;
  }

  void refresh() noexcept {
    const std::lock_guard lock(mutex_);
    start_watcher();
    if (page_budget.load(std::memory_order_relaxed) <= 0)
      update_budget(resident_bytes().all);  // no other thread refreshed it meanwhile
  }

  // A fork copies the mutex in whatever state it is, but no threads. So it must be free, and the child has no watcher.
  void before_fork() { mutex_.lock(); }
  void in_parent() { mutex_.unlock(); }
  void in_child() {
    has_watcher_ = false;
    mutex_.unlock();
  }

 private:
  void start_watcher() noexcept {
    if (has_watcher_ || files_.empty()) return;
    try {
      std::thread([this] { watch(); }).detach();
      has_watcher_ = true;
    } catch (const std::system_error&) {
      // the system has no more threads: passes release pages themselves
    }
  }
  // Passes may touch half of the free memory before the next update. The estimate for one visit is what visits loaded
  // since the last update, but at least half the previous estimate: a shuffle loads many pages at the start of a window
  // and then none for a while.
  void update_budget(std::size_t now) noexcept {
    if (files_.empty()) {
      page_budget = unlimited;
      return;
    }
    const std::size_t grown = now - std::min(now, resident_before_), limit = memory_limit();
    const std::size_t visits = mapped_visits.exchange(0);
    if (visits) {
      visits_since_release_ += visits;
      const std::size_t each = std::clamp(std::max(visit_bytes / 2, grown / visits), page_bytes, max_visit_bytes);
      visit_bytes = each;
      costliest_visit_ = std::max(costliest_visit_, each);
    }
    const bool released_recently =
        visits && visits_since_release_ < min_visits_between_releases;  // released pages would be touched again at once
    if (now == 0 || now + limit / 16 > limit + (released_recently ? limit / 8 : 0)) {
      visits_since_release_ = 0;
      for (const MappedFile* file : files_) file->release_pages();
      now = resident_bytes().all;
      if (costliest_visit_ != 0)
        visit_bytes = std::exchange(costliest_visit_, 0);  // no page of the next visits is in memory any more
    }
    resident_before_ = now;
    page_budget = static_cast<std::int64_t>(std::max((limit - std::min(now, limit)) / 2, limit / 32));
  }
  std::size_t memory_limit() const noexcept {
    std::size_t least = files_.front()->memory_limit();
    for (const MappedFile* file : files_) least = std::min(least, file->memory_limit());
    return least;
  }
  void watch() noexcept {
    while (true) {
      std::this_thread::sleep_for(watch_interval);
      const std::lock_guard lock(mutex_);
      has_watcher_ = !files_.empty();
      if (!has_watcher_) return;
      const std::size_t now = resident_bytes().all;
      if (now == 0 || now > memory_limit()) update_budget(now);
    }
  }

  std::mutex mutex_;
  std::vector<const MappedFile*> files_;
  bool has_watcher_ = false;
  std::size_t visits_since_release_ = 0;
  std::size_t resident_before_ = 0;  // bytes in use after the last update
  std::size_t costliest_visit_ = 0;  // largest estimate since pages were released
};

MappedFiles& files() {
  static MappedFiles& all = []() -> MappedFiles& {
    pthread_atfork([] { files().before_fork(); }, [] { files().in_parent(); }, [] { files().in_child(); });
    return *new MappedFiles;  // never destroyed: the process may end while its thread sleeps
  }();
  return all;
}

}  // namespace

void refresh_page_budget() noexcept { files().refresh(); }

MappedFile::MappedFile(const char* path, const std::size_t memory_limit) : memory_limit_(memory_limit) {
  const File file(path);
  struct stat status{};
  if (fstat(file, &status) != 0) fail(path);
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* const at = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) fail(path);
  data_ = static_cast<std::byte*>(at);
  files().add(this);
}

MappedFile::~MappedFile() {
  if (!data_) return;
  files().remove(this);
  munmap(data_, size_);
}

void MappedFile::release_pages() const noexcept { madvise(data_, size_, MADV_DONTNEED); }

}  // namespace rosenblatt
