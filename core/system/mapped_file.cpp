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
constexpr std::size_t patience = 4096;  // visits
constexpr auto between_looks = 2ms;     // at what is touched by those who do not ask for room

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
  std::strtoull(text, &after, 10);  // the whole size; the pages in memory follow, and those of them that are files'
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

// All of them, which share the memory that there is.
class Files {
 public:
  void add(const Mapped* file) {
    const std::lock_guard lock(mutex_);
    files_.push_back(file);
    room_on_files = 0;
    be_watched();
  }

  void remove(const Mapped* file) {
    const std::lock_guard lock(mutex_);
    std::erase(files_, file);
    room_on_files = 0;
  }

  void look() noexcept {
    const std::lock_guard lock(mutex_);
    be_watched();
    if (room_on_files.load(std::memory_order_relaxed) <= 0) give(resident_bytes().all);  // nobody else has looked
  }

  // A process that forks takes along whatever its threads were amid, but not the threads.
  void before_fork() { mutex_.lock(); }
  void in_parent() { mutex_.unlock(); }
  void in_child() {
    watched_ = false;
    mutex_.unlock();
  }

 private:
  void be_watched() noexcept {
    if (watched_ || files_.empty()) return;
    try {
      std::thread([this] { watch(); }).detach();
      watched_ = true;
    } catch (const std::system_error&) {
      // no more threads to be had: those who walk make room themselves
    }
  }
  // Walks get half of what is free until the next look. What visits brought since the last, each may bring again; but
  // no less than half of what was thought before, for a shuffle brings much where a window begins, and then nothing
  // for a while.
  void give(std::size_t now) noexcept {
    if (files_.empty()) {
      room_on_files = endless;
      return;
    }
    const std::size_t grown = now - std::min(now, before_), limit = most();
    const std::size_t visits = visits_on_files.exchange(0);
    if (visits) {
      since_ += visits;
      const std::size_t each = std::clamp(std::max(visit_bytes / 2, grown / visits), page_bytes, most_brought);
      visit_bytes = each;
      dearest_ = std::max(dearest_, each);
    }
    const bool soon = visits && since_ < patience;  // what would go is touched again at once
    if (now == 0 || now + limit / 16 > limit + (soon ? limit / 8 : 0)) {
      since_ = 0;
      for (const Mapped* file : files_) file->let_go();
      now = resident_bytes().all;
      if (dearest_ != 0) visit_bytes = std::exchange(dearest_, 0);  // nothing that comes is there any more
    }
    before_ = now;
    room_on_files = static_cast<std::int64_t>(std::max((limit - std::min(now, limit)) / 2, limit / 32));
  }
  std::size_t most() const noexcept {
    std::size_t least = files_.front()->most();
    for (const Mapped* file : files_) least = std::min(least, file->most());
    return least;
  }
  void watch() noexcept {
    while (true) {
      std::this_thread::sleep_for(between_looks);
      const std::lock_guard lock(mutex_);
      watched_ = !files_.empty();
      if (!watched_) return;
      const std::size_t now = resident_bytes().all;
      if (now == 0 || now > most()) give(now);
    }
  }

  std::mutex mutex_;
  std::vector<const Mapped*> files_;
  bool watched_ = false;
  std::size_t since_ = 0;    // visits since pages were let go
  std::size_t before_ = 0;   // bytes held after the last look
  std::size_t dearest_ = 0;  // bytes that a visit brought since pages were let go
};

Files& files() {
  static Files& all = []() -> Files& {
    pthread_atfork([] { files().before_fork(); }, [] { files().in_parent(); }, [] { files().in_child(); });
    return *new Files;  // never destroyed: the process may end while its thread sleeps
  }();
  return all;
}

}  // namespace

void look_for_room() noexcept { files().look(); }

Mapped::Mapped(const char* path, const std::size_t most) : most_(most) {
  const File file(path);
  struct stat about{};
  if (fstat(file, &about) != 0) fail(path);
  size_ = static_cast<std::size_t>(about.st_size);
  if (size_ == 0) return;
  void* const at = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) fail(path);
  data_ = static_cast<std::byte*>(at);
  files().add(this);
}

Mapped::~Mapped() {
  if (!data_) return;
  files().remove(this);
  munmap(data_, size_);
}

void Mapped::let_go() const noexcept { madvise(data_, size_, MADV_DONTNEED); }

}  // namespace rosenblatt
