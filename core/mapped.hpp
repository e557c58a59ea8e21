// A file seen as memory, to be read only. The system brings its pages when they are touched; a thread of its own lets
// them go again whenever the process holds more memory than it may. Who reads them then waits a little, no more: what
// is read does not depend on it.
#pragma once

#include <cstddef>
#include <thread>

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

 private:
  void watch(const std::stop_token& stop, std::size_t most) const noexcept;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::jthread watcher_;
};

// Bytes of memory that the process holds now, and those of them that are pages of files, which the system can bring
// again; 0 where it does not say.
struct Resident {
  std::size_t all = 0, files = 0;
};
Resident resident_bytes() noexcept;

}  // namespace rosenblatt
