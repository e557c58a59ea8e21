#include "mapped.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>

namespace rosenblatt {
namespace {

using namespace std::chrono_literals;
constexpr auto between_looks = 1ms;  // in which a core touches some 10 MB of pages

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

Mapped::Mapped(const char* path, const std::size_t most) {
  const File file(path);
  struct stat about{};
  if (fstat(file, &about) != 0) fail(path);
  size_ = static_cast<std::size_t>(about.st_size);
  if (size_ == 0) return;
  void* const at = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) fail(path);
  data_ = static_cast<std::byte*>(at);
  try {
    watcher_ = std::jthread([this, most](const std::stop_token& stop) { watch(stop, most); });
  } catch (...) {
    munmap(data_, size_);
    throw;
  }
}

Mapped::~Mapped() {
  watcher_.request_stop();
  if (watcher_.joinable()) watcher_.join();
  if (data_) munmap(data_, size_);
}

void Mapped::watch(const std::stop_token& stop, const std::size_t most) const noexcept {
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(between_looks);
    const std::size_t now = resident_bytes().all;
    if (now == 0 || now > most) madvise(data_, size_, MADV_DONTNEED);
  }
}

}  // namespace rosenblatt
