//! NVIDIA's driver API, loaded at run time. Declarations follow the ABI of CUDA 12 (libcuda.so.1), which
//! later drivers keep.
#include "lib/runtime/cuda/Driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace proa::cuda {
namespace {

using Code = int; ///< CUresult
constexpr Code success = 0;

/// CUdevice_attribute
enum Attribute : int {
  clockRate = 13,
  multiprocessorCount = 16,
  memoryClockRate = 36,
  memoryBusWidth = 37,
  l2CacheSize = 38,
  majorVersion = 75,
  minorVersion = 76,
  sharedPerBlockOptin = 97
};
enum JitOption : int { errorLogBuffer = 5, errorLogBytes = 6 }; ///< CUjit_option
constexpr Code notReady = 600;                                  ///< CUDA_ERROR_NOT_READY

/// CUDA_MEMCPY2D_v2
struct Memcpy2D {
  size_t fromX = 0, fromY = 0;
  int fromType = 2; ///< CU_MEMORYTYPE_DEVICE
  const void *fromHost = nullptr;
  DeviceAddress from = 0;
  void *fromArray = nullptr;
  size_t fromPitch = 0, toX = 0, toY = 0;
  int toType = 2;
  void *toHost = nullptr;
  DeviceAddress to = 0;
  void *toArray = nullptr;
  size_t toPitch = 0, widthBytes = 0, height = 0;
};
constexpr int maxDynamicSharedSize = 8; ///< CUfunction_attribute
constexpr int apiVersion = 12000;       ///< the ABI of the declarations below

/// The functions that are used; named as in CUDA without "cu".
struct Api {
  Code (*init)(unsigned flags) = nullptr;
  Code (*getErrorName)(Code error, const char **name) = nullptr;
  Code (*getErrorString)(Code error, const char **text) = nullptr;
  Code (*driverGetVersion)(int *version) = nullptr;
  Code (*deviceGetCount)(int *count) = nullptr;
  Code (*deviceGet)(int *device, int ordinal) = nullptr;
  Code (*deviceGetName)(char *name, int length, int device) = nullptr;
  Code (*deviceGetAttribute)(int *value, int attribute, int device) = nullptr;
  Code (*deviceTotalMem)(size_t *bytes, int device) = nullptr;
  Code (*devicePrimaryCtxRetain)(void **context, int device) = nullptr;
  Code (*devicePrimaryCtxRelease)(int device) = nullptr;
  Code (*ctxSetCurrent)(void *context) = nullptr;
  Code (*memGetInfo)(size_t *free, size_t *total) = nullptr;
  Code (*memAlloc)(DeviceAddress *memory, size_t bytes) = nullptr;
  Code (*memFree)(DeviceAddress memory) = nullptr;
  Code (*memHostAlloc)(void **memory, size_t bytes, unsigned flags) = nullptr;
  Code (*memFreeHost)(void *memory) = nullptr;
  Code (*memcpyHtoDAsync)(DeviceAddress to, const void *from, size_t bytes, void *stream) = nullptr;
  Code (*memcpyDtoHAsync)(void *to, DeviceAddress from, size_t bytes, void *stream) = nullptr;
  Code (*memcpyDtoDAsync)(DeviceAddress to, DeviceAddress from, size_t bytes, void *stream) = nullptr;
  Code (*memcpy2DAsync)(const Memcpy2D *copy, void *stream) = nullptr;
  Code (*memsetD8Async)(DeviceAddress to, unsigned char byte, size_t bytes, void *stream) = nullptr;
  Code (*streamCreate)(void **stream, unsigned flags) = nullptr;
  Code (*streamDestroy)(void *stream) = nullptr;
  Code (*streamSynchronize)(void *stream) = nullptr;
  Code (*streamQuery)(void *stream) = nullptr;
  Code (*eventCreate)(void **event, unsigned flags) = nullptr;
  Code (*eventDestroy)(void *event) = nullptr;
  Code (*eventRecord)(void *event, void *stream) = nullptr;
  Code (*eventSynchronize)(void *event) = nullptr;
  Code (*streamWaitEvent)(void *stream, void *event, unsigned flags) = nullptr;
  Code (*eventElapsedTime)(float *milliseconds, void *begin, void *end) = nullptr;
  Code (*moduleLoadDataEx)(void **module, const void *image, unsigned count, int *options,
                           void **values) = nullptr;
  Code (*moduleUnload)(void *module) = nullptr;
  Code (*moduleGetFunction)(void **function, void *module, const char *name) = nullptr;
  Code (*funcSetAttribute)(void *function, int attribute, int value) = nullptr;
  Code (*launchKernel)(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                       unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *stream,
                       void **parameters, void **extra) = nullptr;
  Code (*tensorMapEncodeTiled)(TensorMap *map, int dataType, uint32_t rank, void *address,
                               const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                               const uint32_t *elementStrides, int interleave, int swizzle, int promotion,
                               int outOfBounds) = nullptr;
  Code (*streamBeginCapture)(void *stream, int mode) = nullptr;
  Code (*streamEndCapture)(void *stream, void **graph) = nullptr;
  Code (*graphInstantiate)(void **executable, void *graph, unsigned long long flags) = nullptr;
  Code (*graphLaunch)(void *executable, void *stream) = nullptr;
  Code (*graphDestroy)(void *graph) = nullptr;
  Code (*graphExecDestroy)(void *executable) = nullptr;
};

Diagnostics noDevice(const std::string &reason) { return errorAt("", "no CUDA device: " + reason); }

Diagnostics failure(const Api &api, const char *function, Code code) {
  const char *name = nullptr, *text = nullptr;
  if (api.getErrorName(code, &name) != success || !name)
    return errorAt("", fmt::format("{}: CUDA error {}", function, code));
  if (api.getErrorString(code, &text) != success || !text)
    return errorAt("", fmt::format("{}: {}", function, name));
  return errorAt("", fmt::format("{}: {} ({})", function, name, text));
}

/// Finds each function in the version that `Api` declares.
class Loader {
public:
  explicit Loader(void *library) {
    void *symbol = dlsym(library, "cuGetProcAddress_v2");
    std::memcpy(&getProcAddress, &symbol, sizeof(symbol));
    if (!getProcAddress)
      missing = "cuGetProcAddress_v2";
  }

  template <class Function> void load(Function *&target, const char *name) {
    if (!getProcAddress)
      return;
    void *symbol = nullptr;
    int status = 0;
    if (getProcAddress(name, &symbol, apiVersion, 0, &status) != success || !symbol)
      missing = name;
    std::memcpy(&target, &symbol, sizeof(symbol));
  }

  std::string missing; ///< a function that the library lacks

private:
  Code (*getProcAddress)(const char *name, void **function, int version, uint64_t flags,
                         int *status) = nullptr;
};

Result<Api> loadApi(const std::string &name) {
  // Never unloaded: the driver has threads of its own.
  void *library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return noDevice(std::string("the driver is not installed: ") + dlerror());
  Api api;
  Loader loader(library);
  loader.load(api.init, "cuInit");
  loader.load(api.getErrorName, "cuGetErrorName");
  loader.load(api.getErrorString, "cuGetErrorString");
  loader.load(api.driverGetVersion, "cuDriverGetVersion");
  loader.load(api.deviceGetCount, "cuDeviceGetCount");
  loader.load(api.deviceGet, "cuDeviceGet");
  loader.load(api.deviceGetName, "cuDeviceGetName");
  loader.load(api.deviceGetAttribute, "cuDeviceGetAttribute");
  loader.load(api.deviceTotalMem, "cuDeviceTotalMem");
  loader.load(api.devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  loader.load(api.devicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease");
  loader.load(api.ctxSetCurrent, "cuCtxSetCurrent");
  loader.load(api.memGetInfo, "cuMemGetInfo");
  loader.load(api.memAlloc, "cuMemAlloc");
  loader.load(api.memFree, "cuMemFree");
  loader.load(api.memHostAlloc, "cuMemHostAlloc");
  loader.load(api.memFreeHost, "cuMemFreeHost");
  loader.load(api.memcpyHtoDAsync, "cuMemcpyHtoDAsync");
  loader.load(api.memcpyDtoHAsync, "cuMemcpyDtoHAsync");
  loader.load(api.memcpyDtoDAsync, "cuMemcpyDtoDAsync");
  loader.load(api.memcpy2DAsync, "cuMemcpy2DAsync");
  loader.load(api.memsetD8Async, "cuMemsetD8Async");
  loader.load(api.streamCreate, "cuStreamCreate");
  loader.load(api.streamDestroy, "cuStreamDestroy");
  loader.load(api.streamSynchronize, "cuStreamSynchronize");
  loader.load(api.streamQuery, "cuStreamQuery");
  loader.load(api.eventCreate, "cuEventCreate");
  loader.load(api.eventDestroy, "cuEventDestroy");
  loader.load(api.eventRecord, "cuEventRecord");
  loader.load(api.eventSynchronize, "cuEventSynchronize");
  loader.load(api.eventElapsedTime, "cuEventElapsedTime");
  loader.load(api.streamWaitEvent, "cuStreamWaitEvent");
  loader.load(api.moduleLoadDataEx, "cuModuleLoadDataEx");
  loader.load(api.moduleUnload, "cuModuleUnload");
  loader.load(api.moduleGetFunction, "cuModuleGetFunction");
  loader.load(api.funcSetAttribute, "cuFuncSetAttribute");
  loader.load(api.launchKernel, "cuLaunchKernel");
  loader.load(api.tensorMapEncodeTiled, "cuTensorMapEncodeTiled");
  loader.load(api.streamBeginCapture, "cuStreamBeginCapture");
  loader.load(api.streamEndCapture, "cuStreamEndCapture");
  // "cuGraphInstantiate" names an older function with five parameters; cuda.h maps the name to this one.
  loader.load(api.graphInstantiate, "cuGraphInstantiateWithFlags");
  loader.load(api.graphLaunch, "cuGraphLaunch");
  loader.load(api.graphDestroy, "cuGraphDestroy");
  loader.load(api.graphExecDestroy, "cuGraphExecDestroy");
  if (!loader.missing.empty())
    return noDevice("the driver has no function " + loader.missing +
                    ", expected a driver of CUDA 12 or later");
  return api;
}

/// The started driver; loaded once per library.
Result<Api> startedApi(const std::string &library) {
  static std::mutex mutex;
  static std::map<std::string, Api> started;
  std::lock_guard lock(mutex);
  if (auto found = started.find(library); found != started.end())
    return found->second;
  Result<Api> api = loadApi(library);
  if (!api)
    return api.diagnostics();
  if (Code code = api->init(0); code != success)
    return noDevice(failure(*api, "cuInit", code)[0].message);
  started.emplace(library, *api);
  return api;
}

Result<int> countOf(const Api &api) {
  int count = 0;
  if (Code code = api.deviceGetCount(&count); code != success)
    return noDevice(failure(api, "cuDeviceGetCount", code)[0].message);
  if (count == 0)
    return noDevice("the driver reports 0 devices");
  return count;
}

class NvidiaDriver final : public Driver {
public:
  explicit NvidiaDriver(const Api &api) : api(api) {}
  ~NvidiaDriver() override {
    if (context)
      api.devicePrimaryCtxRelease(device);
  }

  Result<void> open(int ordinal) {
    if (Code code = api.deviceGet(&device, ordinal); code != success)
      return noDevice(failure(api, "cuDeviceGet", code)[0].message);
    std::array<char, 256> name{};
    size_t bytes = 0;
    api.deviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
    api.deviceTotalMem(&bytes, device);
    described.name = name.data();
    described.memoryBytes = static_cast<int64_t>(bytes);
    described.major = attribute(majorVersion);
    described.minor = attribute(minorVersion);
    described.multiprocessors = attribute(multiprocessorCount);
    described.sharedBytesPerBlock = attribute(sharedPerBlockOptin);
    described.clockKilohertz = attribute(clockRate);
    described.memoryClockKilohertz = attribute(memoryClockRate);
    described.memoryBusBits = attribute(memoryBusWidth);
    described.l2Bytes = attribute(l2CacheSize);
    api.driverGetVersion(&described.driverVersion);
    if (Code code = api.devicePrimaryCtxRetain(&context, device); code != success)
      return noDevice(failure(api, "cuDevicePrimaryCtxRetain", code)[0].message);
    return {};
  }

  const DeviceProperties &properties() const override { return described; }

  Result<MemoryInfo> memoryInfo() override {
    size_t available = 0, total = 0;
    if (Result<void> done = check("cuMemGetInfo", api.memGetInfo, &available, &total); !done)
      return done.diagnostics();
    return MemoryInfo{static_cast<int64_t>(available), static_cast<int64_t>(total)};
  }
  Result<void> makeCurrent() override { return check("cuCtxSetCurrent", api.ctxSetCurrent, context); }
  Result<DeviceAddress> allocate(size_t bytes) override {
    return created<DeviceAddress>("cuMemAlloc", api.memAlloc, bytes);
  }
  Result<void> free(DeviceAddress memory) override { return check("cuMemFree", api.memFree, memory); }
  Result<void *> allocatePinned(size_t bytes) override {
    return created<void *>("cuMemHostAlloc", api.memHostAlloc, bytes, 0U);
  }
  Result<void> freePinned(void *memory) override { return check("cuMemFreeHost", api.memFreeHost, memory); }

  Result<StreamHandle> createStream() override {
    constexpr unsigned nonBlocking = 1;
    return created<StreamHandle>("cuStreamCreate", api.streamCreate, nonBlocking);
  }
  Result<void> destroyStream(StreamHandle stream) override {
    return check("cuStreamDestroy", api.streamDestroy, stream.value);
  }
  Result<void> synchronize(StreamHandle stream) override {
    return check("cuStreamSynchronize", api.streamSynchronize, stream.value);
  }

  Result<bool> isDone(StreamHandle stream) override {
    if (Result<void> current = makeCurrent(); !current)
      return current.diagnostics();
    Code code = api.streamQuery(stream.value);
    if (code == success || code == notReady)
      return code == success;
    return failure(api, "cuStreamQuery", code);
  }

  Result<void> copyToDevice(DeviceAddress to, const void *from, size_t bytes, StreamHandle stream) override {
    return check("cuMemcpyHtoDAsync", api.memcpyHtoDAsync, to, from, bytes, stream.value);
  }
  Result<void> copyToHost(void *to, DeviceAddress from, size_t bytes, StreamHandle stream) override {
    return check("cuMemcpyDtoHAsync", api.memcpyDtoHAsync, to, from, bytes, stream.value);
  }
  Result<void> copyOnDevice(DeviceAddress to, DeviceAddress from, size_t bytes,
                            StreamHandle stream) override {
    return check("cuMemcpyDtoDAsync", api.memcpyDtoDAsync, to, from, bytes, stream.value);
  }
  Result<void> copyRowsOnDevice(const RowCopy &rows, StreamHandle stream) override {
    Memcpy2D copy;
    copy.from = rows.from;
    copy.fromPitch = rows.fromPitch;
    copy.to = rows.to;
    copy.toPitch = rows.toPitch;
    copy.widthBytes = rows.rowBytes;
    copy.height = rows.rows;
    return check("cuMemcpy2DAsync", api.memcpy2DAsync, &copy, stream.value);
  }
  Result<void> fill(DeviceAddress to, uint8_t byte, size_t bytes, StreamHandle stream) override {
    return check("cuMemsetD8Async", api.memsetD8Async, to, byte, bytes, stream.value);
  }

  Result<EventHandle> createEvent() override {
    return created<EventHandle>("cuEventCreate", api.eventCreate, 0U);
  }
  Result<void> destroyEvent(EventHandle event) override {
    return check("cuEventDestroy", api.eventDestroy, event.value);
  }
  Result<void> record(EventHandle event, StreamHandle stream) override {
    return check("cuEventRecord", api.eventRecord, event.value, stream.value);
  }
  Result<void> synchronize(EventHandle event) override {
    return check("cuEventSynchronize", api.eventSynchronize, event.value);
  }
  Result<void> wait(StreamHandle stream, EventHandle event) override {
    return check("cuStreamWaitEvent", api.streamWaitEvent, stream.value, event.value, 0U);
  }
  Result<float> elapsed(EventHandle begin, EventHandle end) override {
    return created<float>("cuEventElapsedTime", api.eventElapsedTime, begin.value, end.value);
  }

  Result<ModuleHandle> loadModule(const std::string &image) override {
    std::array<char, 4096> log{};
    int options[] = {errorLogBuffer, errorLogBytes};
    void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
    Result<ModuleHandle> module =
        created<ModuleHandle>("cuModuleLoadDataEx", api.moduleLoadDataEx, image.c_str(), 2U, options, values);
    if (module || log[0] == 0)
      return module;
    return errorAt("", module.diagnostics()[0].message + ": " + log.data());
  }
  Result<void> unloadModule(ModuleHandle module) override {
    return check("cuModuleUnload", api.moduleUnload, module.value);
  }
  Result<FunctionHandle> function(ModuleHandle module, const std::string &name) override {
    return created<FunctionHandle>("cuModuleGetFunction", api.moduleGetFunction, module.value, name.c_str());
  }
  Result<void> allowSharedBytes(FunctionHandle function, size_t bytes) override {
    return check("cuFuncSetAttribute", api.funcSetAttribute, function.value, maxDynamicSharedSize,
                 static_cast<int>(bytes));
  }
  Result<TensorMap> encode(const TensorLayout &layout) override {
    // CUtensorMapDataType of unsigned integers, CUtensorMapSwizzle, CUtensorMapL2promotion of 128 bytes
    int dataType = layout.elementBytes == 8 ? 4 : layout.elementBytes == 4 ? 2 : layout.elementBytes - 1;
    int swizzle = layout.swizzle == 128 ? 3 : layout.swizzle / 32, promotion = 2;
    size_t rank = layout.dims.size();
    std::vector<uint64_t> dims(layout.dims.rbegin(), layout.dims.rend()), strides;
    std::vector<uint32_t> box(layout.box.rbegin(), layout.box.rend()), steps(rank, 1);
    auto bytes = static_cast<uint64_t>(layout.elementBytes);
    for (size_t i = 0; i + 1 < rank; ++i)
      strides.push_back(bytes *= dims[i]);
    return created<TensorMap>("cuTensorMapEncodeTiled", api.tensorMapEncodeTiled, dataType,
                              static_cast<uint32_t>(rank), reinterpret_cast<void *>(layout.address),
                              dims.data(), strides.data(), box.data(), steps.data(), 0, swizzle, promotion,
                              0);
  }
  Result<void> launch(FunctionHandle function, const LaunchShape &shape, std::span<const uint64_t> parameters,
                      StreamHandle stream, std::span<const TensorMap> tensorMaps) override {
    std::vector<uint64_t> values(parameters.begin(), parameters.end());
    std::vector<void *> addresses;
    addresses.reserve(values.size() + tensorMaps.size());
    for (uint64_t &value : values)
      addresses.push_back(&value);
    for (const TensorMap &map : tensorMaps)
      addresses.push_back(const_cast<TensorMap *>(&map));
    return check("cuLaunchKernel", api.launchKernel, function.value, shape.blocks, 1U, 1U, shape.threads, 1U,
                 1U, shape.sharedBytes, stream.value, addresses.data(), nullptr);
  }

  Result<void> beginCapture(StreamHandle stream) override {
    constexpr int threadLocal = 1; // other threads may allocate meanwhile
    return check("cuStreamBeginCapture", api.streamBeginCapture, stream.value, threadLocal);
  }
  Result<GraphHandle> endCapture(StreamHandle stream) override {
    void *graph = nullptr, *executable = nullptr;
    if (Result<void> done = check("cuStreamEndCapture", api.streamEndCapture, stream.value, &graph); !done)
      return done.diagnostics();
    Result<void> done = check("cuGraphInstantiateWithFlags", api.graphInstantiate, &executable, graph, 0ULL);
    api.graphDestroy(graph);
    return done ? Result<GraphHandle>(GraphHandle{executable}) : Result<GraphHandle>(done.diagnostics());
  }
  Result<void> launch(GraphHandle graph, StreamHandle stream) override {
    return check("cuGraphLaunch", api.graphLaunch, graph.value, stream.value);
  }
  Result<void> destroyGraph(GraphHandle graph) override {
    return check("cuGraphExecDestroy", api.graphExecDestroy, graph.value);
  }

private:
  const Api api;
  int device = 0;
  void *context = nullptr;
  DeviceProperties described;

  int attribute(Attribute attribute) const {
    int value = 0;
    api.deviceGetAttribute(&value, attribute, device);
    return value;
  }

  /// Calls a function in the context of this device.
  template <class Function, class... Args>
  Result<void> check(const char *name, Function *function, Args... args) const {
    if (Code code = api.ctxSetCurrent(context); code != success)
      return failure(api, "cuCtxSetCurrent", code);
    if (Code code = function(args...); code != success)
      return failure(api, name, code);
    return {};
  }

  /// The value that a function writes to its first parameter.
  template <class T, class Function, class... Args>
  Result<T> created(const char *name, Function *function, Args... args) const {
    T value{};
    Result<void> done;
    if constexpr (requires { value.value; })
      done = check(name, function, &value.value, args...);
    else
      done = check(name, function, &value, args...);
    return done ? Result<T>(value) : Result<T>(done.diagnostics());
  }
};

} // namespace

Result<int> countDevices(const std::string &library) {
  Result<Api> api = startedApi(library);
  return api ? countOf(*api) : Result<int>(api.diagnostics());
}

Result<std::shared_ptr<Driver>> openDriver(int device, const std::string &library) {
  Result<Api> api = startedApi(library);
  if (!api)
    return api.diagnostics();
  Result<int> count = countOf(*api);
  if (!count)
    return count.diagnostics();
  if (device < 0 || device >= *count)
    return noDevice(fmt::format("device {} is requested, but the driver reports {} device{}", device, *count,
                                *count == 1 ? "" : "s"));
  auto driver = std::make_shared<NvidiaDriver>(*api);
  if (Result<void> opened = driver->open(device); !opened)
    return opened.diagnostics();
  return std::shared_ptr<Driver>(std::move(driver));
}

} // namespace proa::cuda
