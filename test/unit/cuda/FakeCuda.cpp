// A library with the functions of the CUDA driver that DriverTest calls, on host memory. $PROA_FAKE_CUDA
// holds the code of cuInit and the number of devices: "0,2".
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

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

} // namespace

extern "C" __attribute__((visibility("default"))) Code cuGetProcAddress_v2(const char *name, void **function,
                                                                           int, uint64_t, int *) {
  static const std::map<std::string, void *> functions = {
      {"cuInit", reinterpret_cast<void *>(init)},
      {"cuGetErrorName", reinterpret_cast<void *>(getErrorName)},
      {"cuGetErrorString", reinterpret_cast<void *>(getErrorString)},
      {"cuDeviceGetCount", reinterpret_cast<void *>(deviceGetCount)},
      {"cuDeviceGet", reinterpret_cast<void *>(deviceGet)},
      {"cuDeviceGetName", reinterpret_cast<void *>(deviceGetName)},
      {"cuDeviceGetAttribute", reinterpret_cast<void *>(deviceGetAttribute)},
      {"cuDeviceTotalMem", reinterpret_cast<void *>(deviceTotalMem)},
      {"cuDevicePrimaryCtxRetain", reinterpret_cast<void *>(primaryRetain)},
      {"cuMemAlloc", reinterpret_cast<void *>(memAlloc)},
      {"cuMemFree", reinterpret_cast<void *>(memFree)},
      {"cuMemcpyHtoDAsync", reinterpret_cast<void *>(toDevice)},
      {"cuMemcpyDtoHAsync", reinterpret_cast<void *>(toHost)},
      {"cuStreamCreate", reinterpret_cast<void *>(create)},
      {"cuModuleLoadDataEx", reinterpret_cast<void *>(loadData)},
      {"cuModuleGetFunction", reinterpret_cast<void *>(getFunction)},
      {"cuLaunchKernel", reinterpret_cast<void *>(launchKernel)}};
  auto found = functions.find(name);
  *function = found != functions.end() ? found->second : reinterpret_cast<void *>(nothing);
  return 0;
}
