/// GPU kernels for tests: from the text of a device module to emulated runs.
#pragma once

#include "lib/compiler/codegen/LoadedObject.h"
#include "lib/runtime/emulator/Emulator.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace proa::testing {

/// A buffer of a launch: the bytes of a vector.
struct Buffer {
  void *data;
  size_t bytes;
  template <class T> Buffer(std::vector<T> &values) : data(values.data()), bytes(values.size() * sizeof(T)) {}
};

class EmulatedKernel {
public:
  /// Changes a module before it is emulated.
  using Prepare = std::function<void(mlir::ModuleOp)>;

  /// Compiles the kernel @k of `module`, which is in the LLVM and nvvm dialects after `prepare`; fails the
  /// test if that is not possible.
  explicit EmulatedKernel(const std::string &module, const Prepare &prepare = {});

  /// Launches `rows` rows. The result is the error, or empty.
  std::string run(const std::vector<Buffer> &buffers, const std::vector<int64_t> &dims, int64_t rows) const;

  /// The same with all blocks in one schedule.
  std::string run(emulator::Schedule schedule, const std::vector<Buffer> &buffers,
                  const std::vector<int64_t> &dims = {}, int64_t rows = 1) const;

private:
  void build(const std::string &module, const Prepare &prepare);

  LoadedObject loaded;
  runtime::KernelFunction entry = nullptr;
};

inline constexpr emulator::Schedule allSchedules[] = {
    emulator::Schedule::Forward, emulator::Schedule::Reverse, emulator::Schedule::WarpsUp,
    emulator::Schedule::WarpsDown, emulator::Schedule::Random};

/// A kernel of one warp (or `threads` threads) with the buffers %b0, %b1, ...: `body` may use %tid, %lane64
/// (tid as i64), and the i32 constants %c0, %c1, %c31, %full (the mask of all lanes). `globals` precede the
/// function.
std::string warpKernel(int buffers, const std::string &body, int threads = 32,
                       const std::string &globals = "");

/// `name` = buffer[index], and buffer[index] = value.
std::string loadAt(const std::string &name, const std::string &buffer, const std::string &type,
                   const std::string &index = "%lane64");
std::string storeAt(const std::string &value, const std::string &buffer, const std::string &type,
                    const std::string &index = "%lane64");
/// Code of a constant.
std::string constant(const std::string &name, int64_t value, const std::string &type = "i32");

} // namespace proa::testing
