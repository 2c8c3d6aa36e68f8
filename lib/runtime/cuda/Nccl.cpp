//! NCCL, loaded at run time. Declarations and numbers follow the ABI of nccl.h of NCCL 2.
#include "lib/runtime/cuda/CollectiveLibrary.h"
#include "lib/runtime/cuda/SharedLibrary.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace proa::cuda {
namespace {

using Status = int;
using Handle = void *;

/// ncclUniqueId, which is passed by value.
struct UniqueId {
  char bytes[128];
};

struct Api {
  Status (*version)(int *version) = nullptr;
  Status (*uniqueId)(UniqueId *id) = nullptr;
  Status (*join)(Handle *group, int size, UniqueId id, int member) = nullptr;
  Status (*destroy)(Handle group) = nullptr;
  Status (*abort)(Handle group) = nullptr;
  Status (*asyncError)(Handle group, Status *status) = nullptr;
  const char *(*errorString)(Status status) = nullptr;
  const char *(*lastError)(Handle group) = nullptr;
  Status (*allReduce)(DeviceAddress from, DeviceAddress to, size_t count, int type, int operation,
                      Handle group, void *stream) = nullptr;
  Status (*reduce)(DeviceAddress from, DeviceAddress to, size_t count, int type, int operation, int root,
                   Handle group, void *stream) = nullptr;
  Status (*reduceScatter)(DeviceAddress from, DeviceAddress to, size_t count, int type, int operation,
                          Handle group, void *stream) = nullptr;
  Status (*allGather)(DeviceAddress from, DeviceAddress to, size_t count, int type, Handle group,
                      void *stream) = nullptr;
  Status (*send)(DeviceAddress from, size_t count, int type, int member, Handle group,
                 void *stream) = nullptr;
  Status (*receive)(DeviceAddress to, size_t count, int type, int member, Handle group,
                    void *stream) = nullptr;
  Status (*begin)() = nullptr;
  Status (*end)() = nullptr;

  Result<void> result(const char *function, Status status, Handle group = nullptr) const {
    if (status == 0)
      return {};
    const char *detail = lastError(group);
    return errorAt("", fmt::format("{}: {}{}{}", function, errorString(status), detail && *detail ? ": " : "",
                                   detail ? detail : ""));
  }
};

/// ncclDataType_t; nothing where NCCL lacks the type.
std::optional<int> typeOf(DType dtype) {
  switch (dtype) {
  case DType::Int8:
    return 0;
  case DType::Bool: // 0 or 1
  case DType::UInt8:
    return 1;
  case DType::Int32:
    return 2;
  case DType::UInt32:
    return 3;
  case DType::Int64:
    return 4;
  case DType::UInt64:
    return 5;
  case DType::Float16:
    return 6;
  case DType::Float32:
    return 7;
  case DType::Float64:
    return 8;
  case DType::BFloat16:
    return 9;
  default:
    return std::nullopt;
  }
}

/// ncclRedOp_t
int operationOf(spmd::Reduction reduction) {
  switch (reduction) {
  case spmd::Reduction::Sum:
    return 0;
  case spmd::Reduction::Prod:
    return 1;
  case spmd::Reduction::Max:
  case spmd::Reduction::Any:
    return 2;
  case spmd::Reduction::Min:
  case spmd::Reduction::All:
    return 3;
  case spmd::Reduction::Avg:
    return 4;
  }
  return 0;
}

class NcclGroup final : public CollectiveGroup {
public:
  NcclGroup(const Api &api, std::shared_ptr<Driver> driver, Handle group)
      : api(api), driver(std::move(driver)), group(group) {}
  ~NcclGroup() override {
    if (group && driver->makeCurrent())
      api.destroy(group);
  }

  Result<void> allReduce(spmd::Reduction reduction, DType dtype, DeviceAddress from, DeviceAddress to,
                         int64_t count, StreamHandle stream) override {
    return request("ncclAllReduce", [&] {
      return api.allReduce(from, to, static_cast<size_t>(count), *typeOf(dtype), operationOf(reduction),
                           group, stream.value);
    });
  }
  Result<void> reduce(spmd::Reduction reduction, DType dtype, DeviceAddress from, DeviceAddress to,
                      int64_t count, int root, StreamHandle stream) override {
    return request("ncclReduce", [&] {
      return api.reduce(from, to, static_cast<size_t>(count), *typeOf(dtype), operationOf(reduction), root,
                        group, stream.value);
    });
  }
  Result<void> reduceScatter(spmd::Reduction reduction, DType dtype, DeviceAddress from, DeviceAddress to,
                             int64_t count, StreamHandle stream) override {
    return request("ncclReduceScatter", [&] {
      return api.reduceScatter(from, to, static_cast<size_t>(count), *typeOf(dtype), operationOf(reduction),
                               group, stream.value);
    });
  }
  Result<void> allGather(DeviceAddress from, DeviceAddress to, size_t bytes, StreamHandle stream) override {
    constexpr int byte = 0;
    return request("ncclAllGather",
                   [&] { return api.allGather(from, to, bytes, byte, group, stream.value); });
  }
  Result<void> send(DeviceAddress from, size_t bytes, int member, StreamHandle stream) override {
    constexpr int byte = 0;
    return request("ncclSend", [&] { return api.send(from, bytes, byte, member, group, stream.value); });
  }
  Result<void> receive(DeviceAddress to, size_t bytes, int member, StreamHandle stream) override {
    constexpr int byte = 0;
    return request("ncclRecv", [&] { return api.receive(to, bytes, byte, member, group, stream.value); });
  }
  Result<void> begin() override { return api.result("ncclGroupStart", api.begin(), group); }
  Result<void> end() override { return api.result("ncclGroupEnd", api.end(), group); }

  Result<void> check() override {
    if (!group)
      return errorAt("", "the group of devices has been ended");
    Status state = 0;
    if (Result<void> done = api.result("ncclCommGetAsyncError", api.asyncError(group, &state), group); !done)
      return done;
    return api.result("NCCL", state, group);
  }
  void abort() override {
    if (group)
      api.abort(std::exchange(group, nullptr));
  }

private:
  const Api api;
  std::shared_ptr<Driver> driver;
  Handle group;

  template <class Body> Result<void> request(const char *function, Body body) {
    if (!group)
      return errorAt("", "the group of devices has been ended");
    if (Result<void> current = driver->makeCurrent(); !current)
      return current;
    return api.result(function, body(), group);
  }
};

class Nccl final : public CollectiveLibrary {
public:
  Nccl(const Api &api, std::shared_ptr<Driver> driver) : api(api), driver(std::move(driver)) {}

  Result<Id> newId() override {
    UniqueId id{};
    if (Result<void> done = api.result("ncclGetUniqueId", api.uniqueId(&id)); !done)
      return done.diagnostics();
    Id bytes;
    static_assert(sizeof(id) == sizeof(bytes));
    std::memcpy(bytes.data(), &id, sizeof(id));
    return bytes;
  }

  Result<std::shared_ptr<CollectiveGroup>> join(const Id &bytes, int size, int member) override {
    if (Result<void> current = driver->makeCurrent(); !current)
      return current.diagnostics();
    UniqueId id{};
    std::memcpy(&id, bytes.data(), sizeof(id));
    Handle group = nullptr;
    if (Result<void> done = api.result("ncclCommInitRank", api.join(&group, size, id, member)); !done)
      return done.diagnostics();
    return std::shared_ptr<CollectiveGroup>(std::make_shared<NcclGroup>(api, driver, group));
  }

private:
  const Api api;
  std::shared_ptr<Driver> driver;
};

} // namespace

bool hasReduction(spmd::Reduction reduction, DType dtype) {
  if (reduction == spmd::Reduction::Any || reduction == spmd::Reduction::All)
    return dtype == DType::Bool;
  bool isFloat = dtype == DType::Float16 || dtype == DType::BFloat16 || dtype == DType::Float32 ||
                 dtype == DType::Float64;
  // A mean of integers is rounded in other ways.
  return typeOf(dtype).has_value() && dtype != DType::Bool && (reduction != spmd::Reduction::Avg || isFloat);
}

Result<std::shared_ptr<CollectiveLibrary>> openNccl(std::shared_ptr<Driver> driver, const std::string &file) {
  Result<SharedLibrary> library = SharedLibrary::open({"NCCL", {"libnccl.so.2"}, "NCCL 2.13 or later"}, file);
  if (!library)
    return library.diagnostics();
  Api api;
  library->load(api.version, "ncclGetVersion");
  library->load(api.uniqueId, "ncclGetUniqueId");
  library->load(api.join, "ncclCommInitRank");
  library->load(api.destroy, "ncclCommDestroy");
  library->load(api.abort, "ncclCommAbort");
  library->load(api.asyncError, "ncclCommGetAsyncError");
  library->load(api.errorString, "ncclGetErrorString");
  library->load(api.lastError, "ncclGetLastError");
  library->load(api.allReduce, "ncclAllReduce");
  library->load(api.reduce, "ncclReduce");
  library->load(api.reduceScatter, "ncclReduceScatter");
  library->load(api.allGather, "ncclAllGather");
  library->load(api.send, "ncclSend");
  library->load(api.receive, "ncclRecv");
  library->load(api.begin, "ncclGroupStart");
  library->load(api.end, "ncclGroupEnd");
  if (Result<void> complete = library->complete(); !complete)
    return complete.diagnostics();
  // The first version with ncclGetLastError.
  constexpr int leastVersion = 21300;
  int version = 0;
  if (Status status = api.version(&version); status != 0 || version < leastVersion)
    return errorAt("", fmt::format("NCCL has the version {}, expected {} or later", version, leastVersion));
  return std::shared_ptr<CollectiveLibrary>(std::make_shared<Nccl>(api, std::move(driver)));
}

} // namespace proa::cuda
