/// Objects of the C interfaces of CUDA's libraries.
#pragma once

#include "lib/runtime/cuda/Driver.h"

#include <memory>
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

/// Opens a library whose calls need a handle of the device: `Library` gets the functions, the driver and the
/// handle that `Api::create` returns. `create` is the name of this function in errors.
template <class Library, class Interface, class Api>
Result<std::shared_ptr<Interface>> openWithHandle(const Result<Api> &api, std::shared_ptr<Driver> driver,
                                                  const char *create) {
  if (!api)
    return api.diagnostics();
  if (Result<void> current = driver->makeCurrent(); !current)
    return current.diagnostics();
  LibraryObject::Handle handle = nullptr;
  if (int status = api->create(&handle); status != 0)
    return failure(*api, create, status);
  return std::shared_ptr<Interface>(std::make_shared<Library>(*api, std::move(driver), handle));
}

} // namespace proa::cuda
