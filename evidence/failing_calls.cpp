// A library to preload: it makes one call fail, chosen by environment variables.
//
//   FAILING_CALL  allocate, mmap, write, fsync, rename or unlink
//   FAILING_AT    the number of the call that fails, from 1; 0 fails none
//   FAILING_LOG   a file that receives the number of calls counted, when the process ends
//
// Allocations and maps count only where our own module calls them, once for each place in its code. Allocations count
// only after begin_failing_calls() and from 4 KiB on, as those do that grow with the data: nanobind, a part of the
// module, aborts if it has no memory for its types, or for the handles of arguments and objects. Writes count only for
// regular files, so that standard output and error still work.

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr int max_sites = 4096;
constexpr std::size_t min_size = 4096;
const void* sites[max_sites];
int counted = 0;
bool begun = false;
std::mutex guard;

bool is_chosen(const char* call) {
  static const char* wanted = std::getenv("FAILING_CALL");
  return wanted != nullptr && std::strcmp(wanted, call) == 0;
}

bool fails_now() {  // with the guard held
  static const char* text = std::getenv("FAILING_AT");
  static const int at = text == nullptr ? 0 : std::atoi(text);
  return ++counted == at;
}

bool is_ours(const void* place) {
  Dl_info found;
  return dladdr(place, &found) != 0 && found.dli_fname != nullptr && std::strstr(found.dli_fname, "rosenblatt/_core");
}

// The first call from each place in our module counts.
bool site_fails(const char* call, const void* place) {
  if (!begun || !is_chosen(call) || !is_ours(place)) return false;
  const std::lock_guard lock(guard);
  for (int known = 0; known < counted && known < max_sites; ++known)
    if (sites[known] == place) return false;
  if (counted < max_sites) sites[counted] = place;
  return fails_now();
}

bool call_fails(const char* call) {
  if (!is_chosen(call)) return false;
  const std::lock_guard lock(guard);
  return fails_now();
}

bool is_regular(int file) {
  struct stat about;
  return fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

void* allocate(std::size_t size, std::size_t alignment, const void* place) {
  if (size >= min_size && site_fails("allocate", place)) return nullptr;
  if (size == 0) size = 1;
  return alignment == 0 ? std::malloc(size) : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment, const void* place) {
  void* memory = allocate(size, alignment, place);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

struct Report {
  ~Report() {
    const char* path = std::getenv("FAILING_LOG");
    if (path == nullptr) return;
    if (std::FILE* file = std::fopen(path, "w")) {
      std::fprintf(file, "%d\n", counted);
      std::fclose(file);
    }
  }
} report;

}  // namespace

#define CALLER __builtin_return_address(0)

void* operator new(std::size_t size) { return allocate_or_throw(size, 0, CALLER); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 0, CALLER); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0, CALLER); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0, CALLER); }
void* operator new(std::size_t size, std::align_val_t to) {
  return allocate_or_throw(size, static_cast<std::size_t>(to), CALLER);
}
void* operator new[](std::size_t size, std::align_val_t to) {
  return allocate_or_throw(size, static_cast<std::size_t>(to), CALLER);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" {

void begin_failing_calls() { begun = true; }

ssize_t write(int file, const void* bytes, size_t size) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (is_chosen("write") && is_regular(file) && call_fails("write")) {
    errno = ENOSPC;
    return -1;
  }
  return real(file, bytes, size);
}

int fsync(int file) {
  static const auto real = next<int (*)(int)>("fsync");
  if (call_fails("fsync")) {
    errno = EIO;
    return -1;
  }
  return real(file);
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  if (call_fails("rename")) {
    errno = EACCES;
    return -1;
  }
  return real(from, to);
}

int unlink(const char* path) noexcept {
  static const auto real = next<int (*)(const char*)>("unlink");
  if (call_fails("unlink")) {
    errno = EBUSY;
    return -1;
  }
  return real(path);
}

void* mmap(void* at, size_t size, int rights, int flags, int file, off_t offset) noexcept {
  static const auto real = next<void* (*)(void*, size_t, int, int, int, off_t)>("mmap");
  if (site_fails("mmap", CALLER)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return real(at, size, rights, flags, file, offset);
}

}  // extern "C"
