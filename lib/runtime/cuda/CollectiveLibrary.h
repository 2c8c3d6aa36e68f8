/// Communication between devices: NCCL, or a recording double for tests.
#pragma once

#include "lib/base/spmd/Placement.h"
#include "lib/runtime/cuda/Driver.h"

#include "proa/Tensor.h"

#include <array>
#include <memory>
#include <span>
#include <string>

namespace proa::cuda {

class RecordingDriver;

/// Devices that communicate, seen from one of them. One thread at a time makes requests; all members
/// make the same requests in the same order.
class CollectiveGroup {
public:
  virtual ~CollectiveGroup() = default;

  /// Reductions: sum, prod, max, min, avg; of bool also any and all. `to` may be `from`.
  virtual Result<void> allReduce(spmd::Reduction reduction, DType dtype, DeviceAddress from, DeviceAddress to,
                                 int64_t count, StreamHandle stream) = 0;
  /// The reduction of `from` of all members, at member `root`.
  virtual Result<void> reduce(spmd::Reduction reduction, DType dtype, DeviceAddress from, DeviceAddress to,
                              int64_t count, int root, StreamHandle stream) = 0;
  /// The reduction of element `member * count + i` of `from` of all members, at element i of `to`.
  virtual Result<void> reduceScatter(spmd::Reduction reduction, DType dtype, DeviceAddress from,
                                     DeviceAddress to, int64_t count, StreamHandle stream) = 0;
  /// The `bytes` of each member, by members.
  virtual Result<void> allGather(DeviceAddress from, DeviceAddress to, size_t bytes, StreamHandle stream) = 0;
  virtual Result<void> send(DeviceAddress from, size_t bytes, int member, StreamHandle stream) = 0;
  virtual Result<void> receive(DeviceAddress to, size_t bytes, int member, StreamHandle stream) = 0;
  /// Requests between begin() and end() are one operation: their order does not matter.
  virtual Result<void> begin() = 0;
  virtual Result<void> end() = 0;

  /// Error: a request that has not ended failed.
  virtual Result<void> check() = 0;
  /// Ends all requests that have not ended.
  virtual void abort() = 0;
};

/// Thread-safe.
class CollectiveLibrary {
public:
  using Id = std::array<char, 128>;

  virtual ~CollectiveLibrary() = default;
  /// A name for a new group, created by one member and sent to the others.
  virtual Result<Id> newId() = 0;
  /// Joins a group as member `member` of `size`; returns when all have joined.
  virtual Result<std::shared_ptr<CollectiveGroup>> join(const Id &id, int size, int member) = 0;
};

/// Whether the library combines elements of this type so.
bool hasReduction(spmd::Reduction reduction, DType dtype);

/// Loads NCCL 2. `file` replaces the search. Error: it is not found.
Result<std::shared_ptr<CollectiveLibrary>> openNccl(std::shared_ptr<Driver> driver,
                                                    const std::string &file = "");

/// The members are threads of this process, which meet when the host waits for their streams; a member that
/// is alone for `seconds` gets an error. The driver's log has a line for each request: "all_reduce sum
/// float32 8".
std::shared_ptr<CollectiveLibrary> recordingCollectives(std::shared_ptr<RecordingDriver> driver,
                                                        double seconds = 5);

} // namespace proa::cuda
