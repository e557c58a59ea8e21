// Files seen as memory, in Python; data/cache.py says what is in them.
#include <cerrno>
#include <system_error>

#include "bindings/bindings.hpp"
#include "system/mapped_file.hpp"

namespace nb = nanobind;

namespace rosenblatt {
namespace {

nb::ndarray<nb::numpy, const std::uint8_t> mapped(const char* path, const std::size_t most) {
  Mapped* file = nullptr;
  try {
    file = new Mapped(path, most);
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    throw nb::python_error();
  }
  const nb::capsule owner(file, [](void* p) noexcept { delete static_cast<Mapped*>(p); });
  static constexpr std::uint8_t nothing = 0;
  const auto* data = file->size() ? reinterpret_cast<const std::uint8_t*>(file->data()) : &nothing;
  return nb::ndarray<nb::numpy, const std::uint8_t>(data, {file->size()}, owner);
}

}  // namespace

void bind_mapped(nb::module_& m) {
  m.def("mapped", mapped, nb::arg("path"), nb::arg("most"));
  m.def("resident_bytes", [] {
    const Resident now = resident_bytes();
    return nb::make_tuple(now.all, now.files);
  });
  m.def("send_to_disk", send_to_disk, nb::arg("descriptor"), nb::arg("start"), nb::arg("bytes"),
        nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace rosenblatt
