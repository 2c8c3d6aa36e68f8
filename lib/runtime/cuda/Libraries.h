/// The libraries of one device.
#pragma once

#include "lib/runtime/cuda/Blas.h"
#include "lib/runtime/cuda/CollectiveLibrary.h"
#include "lib/runtime/cuda/Dnn.h"
#include "lib/runtime/cuda/Driver.h"
#include "lib/runtime/cuda/Fft.h"
#include "lib/runtime/cuda/Solver.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace proa::runtime {
class Communicator;
}

namespace proa::cuda {

/// Names of libraries: DeviceLaunch::library of a step, and the field `cudaLibrary` of op records.
inline constexpr const char *cublasLt = "cublaslt", *cudnn = "cudnn", *cufft = "cufft",
                            *cusolver = "cusolver", *nccl = "nccl";

/// All of them.
inline constexpr std::array<const char *, 5> libraryNames = {cublasLt, cudnn, cufft, cusolver, nccl};

/// A library that is opened when it is used first. Thread-safe.
template <class Library> class LazyLibrary {
public:
  using Open = std::function<Result<std::shared_ptr<Library>>()>;
  explicit LazyLibrary(Open open) : open(std::move(open)) {}

  /// Error: the first attempt failed.
  Result<std::shared_ptr<Library>> get() {
    std::lock_guard lock(mutex);
    if (!opened)
      opened = open();
    return *opened;
  }
  void set(std::shared_ptr<Library> library) { opened = std::move(library); }

private:
  Open open;
  std::mutex mutex;
  std::optional<Result<std::shared_ptr<Library>>> opened;
};

/// The libraries of the device of a driver: NVIDIA's, or those that a test sets. If $PROA_CUDA_LIBRARIES is
/// set (names separated by commas, or "none"), no others are used.
class Libraries {
public:
  explicit Libraries(const std::shared_ptr<Driver> &driver);

  LazyLibrary<Blas> blas;
  LazyLibrary<Dnn> dnn;
  LazyLibrary<Fft> fft;
  LazyLibrary<Solver> solver;
  LazyLibrary<CollectiveLibrary> collectives;

  /// Error: why the library of that name cannot be used.
  Result<void> check(const std::string &name);

  /// The group of the devices of these ranks, ascending. All of them call it at the same point: the first
  /// call joins them by the communicator. `what` is for messages.
  Result<std::shared_ptr<CollectiveGroup>>
  groupOf(runtime::Communicator &communicator, const std::vector<int64_t> &ranks, const std::string &what);

  /// No library can be used, except those that are set later. `reason` is the error of all others.
  static std::shared_ptr<Libraries> none(const std::string &reason);

private:
  explicit Libraries(const std::string &reason);

  std::mutex groupsMutex;
  std::map<std::pair<const void *, std::vector<int64_t>>, std::shared_ptr<CollectiveGroup>> groups;
};

} // namespace proa::cuda
