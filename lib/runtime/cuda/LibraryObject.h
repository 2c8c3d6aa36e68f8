/// Objects of the C interfaces of CUDA's libraries.
#pragma once

#include <utility>

namespace proa::cuda {

/// An object that a library creates and destroys.
class LibraryObject {
public:
  using Handle = void *;

  LibraryObject() = default;
  LibraryObject(Handle handle, int (*destroy)(Handle)) : handle(handle), destroy(destroy) {}
  LibraryObject(LibraryObject &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)), destroy(other.destroy) {}
  LibraryObject &operator=(LibraryObject &&other) noexcept {
    std::swap(handle, other.handle);
    std::swap(destroy, other.destroy);
    return *this;
  }
  ~LibraryObject() {
    if (handle)
      destroy(handle);
  }
  Handle get() const { return handle; }

private:
  Handle handle = nullptr;
  int (*destroy)(Handle) = nullptr;
};

} // namespace proa::cuda
