// A library with the functions of the CUDA driver that DriverTest calls, on host memory. $PROA_FAKE_CUDA
// holds the code of cuInit and the number of devices: "0,2".
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

using Code = int;

int initCode() { return std::atoi(std::getenv("PROA_FAKE_CUDA") ? std::getenv("PROA_FAKE_CUDA") : "0"); }

Code init(unsigned) { return initCode(); }
Code getErrorName(Code code, const char **name) {
  *name = code == 34 ? "CUDA_ERROR_STUB_LIBRARY" : code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : nullptr;
  return *name ? 0 : 1;
}
Code getErrorString(Code code, const char **text) {
  *text = code == 34 ? "CUDA driver is a stub library" : "out of memory";
  return 0;
}
Code deviceGetCount(int *count) {
  const char *comma = std::strchr(std::getenv("PROA_FAKE_CUDA"), ',');
  *count = comma ? std::atoi(comma + 1) : 1;
  return 0;
}
Code deviceGet(int *device, int ordinal) {
  *device = ordinal + 100;
  return 0;
}
Code deviceGetName(char *name, int length, int device) {
  std::snprintf(name, static_cast<size_t>(length), "fake device %d", device);
  return 0;
}
Code deviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 132 : 232448;
  return 0;
}
Code deviceTotalMem(size_t *bytes, int) {
  *bytes = 1 << 20;
  return 0;
}
Code primaryRetain(void **context, int) {
  static int primary;
  *context = &primary;
  return 0;
}
Code nothing() { return 0; }
Code memAlloc(uint64_t *memory, size_t bytes) {
  if (bytes > (1 << 20))
    return 2;
  *memory = reinterpret_cast<uint64_t>(std::malloc(bytes));
  return 0;
}
Code memFree(uint64_t memory) {
  std::free(reinterpret_cast<void *>(memory));
  return 0;
}
Code toDevice(uint64_t to, const void *from, size_t bytes, void *) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
Code toHost(void *to, uint64_t from, size_t bytes, void *) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
Code create(void **handle, unsigned) {
  static int object;
  *handle = &object;
  return 0;
}
Code loadData(void **module, const void *image, unsigned, int *, void **) {
  *module = const_cast<void *>(image);
  return 0;
}
/// A "kernel" is the place where launch writes what it got.
int64_t launched[16];
Code getFunction(void **function, void *, const char *) {
  *function = launched;
  return 0;
}
Code launchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                  unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *, void **parameters,
                  void **) {
  auto *record = static_cast<int64_t *>(function);
  int64_t values[] = {gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes};
  std::memcpy(record, values, sizeof values);
  // The first parameter is an address, the second one a number to write there.
  **static_cast<int64_t **>(parameters[0]) = *static_cast<int64_t *>(parameters[1]) + gridX * 1000 + blockX;
  return 0;
}

/// cuGraphInstantiate up to CUDA 11: it writes to the log that it is given.
Code instantiateWithLog(void **executable, void *, void *errorNode, char *log, size_t bytes) {
  *executable = nullptr;
  if (errorNode || (log && bytes > 0))
    return 1;
  return 0;
}
Code instantiateWithFlags(void **executable, void *, unsigned long long flags) {
  static int object;
  *executable = &object;
  return flags == 0 ? 0 : 1;
}

struct Version {
  int since; ///< the first version of CUDA that has it
  void *function;
};

template <class Function> void *pointer(Function *function) { return reinterpret_cast<void *>(function); }

/// The versions of each function, as cudaTypedefs.h lists them.
const std::map<std::string, std::vector<Version>> &versions() {
  static const std::map<std::string, std::vector<Version>> table = {
      {"cuInit", {{2000, pointer(init)}}},
      {"cuGetErrorName", {{6000, pointer(getErrorName)}}},
      {"cuGetErrorString", {{6000, pointer(getErrorString)}}},
      {"cuDriverGetVersion", {{2020, pointer(nothing)}}},
      {"cuDeviceGetCount", {{2000, pointer(deviceGetCount)}}},
      {"cuDeviceGet", {{2000, pointer(deviceGet)}}},
      {"cuDeviceGetName", {{2000, pointer(deviceGetName)}}},
      {"cuDeviceGetAttribute", {{2000, pointer(deviceGetAttribute)}}},
      {"cuDeviceTotalMem", {{3020, pointer(deviceTotalMem)}}},
      {"cuDevicePrimaryCtxRetain", {{7000, pointer(primaryRetain)}}},
      {"cuDevicePrimaryCtxRelease", {{11000, pointer(nothing)}}},
      {"cuCtxSetCurrent", {{4000, pointer(nothing)}}},
      {"cuMemGetInfo", {{3020, pointer(nothing)}}},
      {"cuMemAlloc", {{3020, pointer(memAlloc)}}},
      {"cuMemFree", {{3020, pointer(memFree)}}},
      {"cuMemHostAlloc", {{2020, pointer(nothing)}}},
      {"cuMemFreeHost", {{2000, pointer(nothing)}}},
      {"cuMemcpyHtoDAsync", {{3020, pointer(toDevice)}}},
      {"cuMemcpyDtoHAsync", {{3020, pointer(toHost)}}},
      {"cuMemcpyDtoDAsync", {{3020, pointer(nothing)}}},
      {"cuMemcpy2DAsync", {{3020, pointer(nothing)}}},
      {"cuMemsetD8Async", {{3020, pointer(nothing)}}},
      {"cuStreamCreate", {{2000, pointer(create)}}},
      {"cuStreamDestroy", {{4000, pointer(nothing)}}},
      {"cuStreamSynchronize", {{2000, pointer(nothing)}}},
      {"cuStreamQuery", {{2000, pointer(nothing)}}},
      {"cuEventCreate", {{2000, pointer(create)}}},
      {"cuEventDestroy", {{4000, pointer(nothing)}}},
      {"cuEventRecord", {{2000, pointer(nothing)}}},
      {"cuEventSynchronize", {{2000, pointer(nothing)}}},
      {"cuEventElapsedTime", {{2000, pointer(nothing)}}},
      {"cuStreamWaitEvent", {{3020, pointer(nothing)}}},
      {"cuModuleLoadDataEx", {{2010, pointer(loadData)}}},
      {"cuModuleUnload", {{2000, pointer(nothing)}}},
      {"cuModuleGetFunction", {{2000, pointer(getFunction)}}},
      {"cuFuncSetAttribute", {{9000, pointer(nothing)}}},
      {"cuLaunchKernel", {{4000, pointer(launchKernel)}}},
      {"cuTensorMapEncodeTiled", {{12000, pointer(nothing)}}},
      {"cuStreamBeginCapture", {{10000, pointer(nothing)}, {10010, pointer(nothing)}}},
      {"cuStreamEndCapture", {{10000, pointer(nothing)}}},
      {"cuGraphInstantiate", {{10000, pointer(instantiateWithLog)}, {11000, pointer(instantiateWithLog)}}},
      {"cuGraphInstantiateWithFlags", {{11040, pointer(instantiateWithFlags)}}},
      {"cuGraphLaunch", {{10000, pointer(nothing)}}},
      {"cuGraphDestroy", {{10000, pointer(nothing)}}},
      {"cuGraphExecDestroy", {{10000, pointer(nothing)}}}};
  return table;
}

} // namespace

/// As the driver: the newest version of that name that is not newer than `version`.
extern "C" __attribute__((visibility("default"))) Code cuGetProcAddress_v2(const char *name, void **function,
                                                                           int version, uint64_t, int *) {
  *function = nullptr;
  if (auto found = versions().find(name); found != versions().end())
    for (const Version &candidate : found->second)
      if (candidate.since <= version)
        *function = candidate.function;
  return *function ? 0 : 500; // CUDA_ERROR_NOT_FOUND
}
