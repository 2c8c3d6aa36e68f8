/// Memory and threads of the caller.
#pragma once

#include "proa/Result.h"
#include "proa/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

struct DLManagedTensor; // of dlpack/dlpack.h

namespace proa {

/// Elements in memory of the caller, at any strides.
struct StridedView {
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;
  /// Distance of elements along each dim, in elements; may be negative. Empty: row-major without gaps.
  std::vector<int64_t> strides = {};
  void *data = nullptr; ///< the element at index 0, 0, ...

  /// Whether the elements are row-major without gaps.
  bool isDense() const;
};

/// The elements as a tensor: a view that holds `owner` if they are dense, else a copy. Error: negative dims,
/// a size that does not fit, another number of strides than dims, no data.
Result<Tensor> tensorOf(const StridedView &view, std::shared_ptr<const void> owner = nullptr);
/// Copies a tensor to memory. Error: another dtype, other dims, and the errors of tensorOf.
Result<void> copyTensor(const Tensor &from, const StridedView &to);

/// Takes a tensor of DLPack over, whose deleter is called when the result and its copies are gone, or at once
/// if the elements are copied, because they are not dense. Error: null, memory of a device, an element type
/// that proa lacks; the tensor is then left to the caller.
Result<Tensor> fromDLPack(DLManagedTensor *managed);
/// The tensor for another library, which shares its memory and must call the deleter. Error: an element type
/// that DLPack lacks.
Result<DLManagedTensor *> toDLPack(const Tensor &tensor);

/// Where the memory of runs comes from: arena, values with dynamic dims, results. One thread at a time calls
/// the functions of the allocator of a session, but results may be freed by any thread.
class Allocator {
public:
  virtual ~Allocator() = default;
  /// `bytes` bytes at a multiple of `alignment`. The run fails with null, or if the memory is not aligned.
  virtual void *allocate(size_t bytes, size_t alignment) = 0;
  virtual void deallocate(void *memory, size_t bytes) = 0;
};

/// Threads of the caller, which run tasks of kernels.
class ThreadPool {
public:
  virtual ~ThreadPool() = default;
  /// Calls body(i) for each i in [0, count), on any threads and in any order, and returns when all calls are
  /// done. The calling thread may make some of them. `body` does not throw.
  virtual void run(int64_t count, const std::function<void(int64_t)> &body) = 0;
};

} // namespace proa
