// Mapped files, memory in use, and writing to disk.
#include <cerrno>
#include <system_error>

#include "bindings/arrays.hpp"
#include "bindings/module.hpp"
#include "system/mapped_file.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

nb::ndarray<nb::numpy, const std::uint8_t> map_file(const char* path, const std::size_t memory_limit) {
  MappedFile* file = nullptr;
  try {
    file = new MappedFile(path, memory_limit);
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    throw nb::python_error();
  }
  const nb::capsule owner(file, [](void* p) noexcept { delete static_cast<MappedFile*>(p); });
  static constexpr std::uint8_t nothing = 0;
  const auto* data = file->size() ? reinterpret_cast<const std::uint8_t*>(file->data()) : &nothing;
  return nb::ndarray<nb::numpy, const std::uint8_t>(data, {file->size()}, owner);
}

}  // namespace

void bind_files(nb::module_& m) {
  m.def("mapped", &map_file, nb::arg("path"), nb::arg("most"));
  m.def("resident_bytes", [] {
    const Resident now = resident_bytes();
    return nb::make_tuple(now.all, now.files);
  });
  m.def("send_to_disk", &send_to_disk, nb::arg("descriptor"), nb::arg("start"), nb::arg("bytes"),
        nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace rosenblatt
