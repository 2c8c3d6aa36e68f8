/// The calling convention of compiled kernels, and the hook that replaces plain calls of them.
#pragma once

#include "proa/Result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace proa::runtime {

/// Plan.h describes the arguments.
using KernelFunction = void (*)(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end);

/// The code of a kernel, which another thread may replace by better code while sessions run.
class KernelPointer {
public:
  KernelPointer(KernelFunction function = nullptr) : address(function) {}
  KernelPointer(const KernelPointer &other) : address(other.get()) {}
  KernelPointer &operator=(const KernelPointer &other) {
    set(other.get());
    return *this;
  }
  KernelFunction get() const { return address.load(std::memory_order_acquire); }
  void set(KernelFunction function) { address.store(function, std::memory_order_release); }

private:
  std::atomic<KernelFunction> address;
};

/// A call of a compiled kernel for the rows [begin, end).
struct KernelCall {
  std::string_view name;
  KernelFunction function = nullptr;
  std::span<void *const> buffers; ///< inputs, then outputs
  std::span<const size_t> bytes;  ///< the size of each buffer
  const int64_t *dims = nullptr;
  int64_t begin = 0, end = 0;
};

/// Makes the calls of a program whose kernels need more than a plain call, such as emulated GPU kernels.
/// Several threads may use it at once. Error: why the kernel failed.
using KernelInvoker = std::function<Result<void>(const KernelCall &)>;

} // namespace proa::runtime
