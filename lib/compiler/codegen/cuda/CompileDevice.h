/// Compilation of lowered kernels for a CUDA device.
#pragma once

#include "lib/compiler/codegen/cuda/Assembler.h"
#include "lib/compiler/codegen/cuda/EmitPtx.h"
#include "lib/runtime/plan/Plan.h"
#include "passes/analysis/KernelNeeds.h"

#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace proa::cuda {

struct DeviceCompileOptions {
  std::string chip = "sm_90a";          ///< one of knownChips()
  unsigned threads = 2;                 ///< number of threads that compile
  const ObjectCache *cache = nullptr;   ///< of cubins
  bool assembles = true;                ///< false: PTX only
  std::optional<ResourceBudget> budget; ///< checked by checkResources
  /// Folder for KERNEL.ll, KERNEL.ptx, KERNEL.cubin, KERNEL.txt (the report) and KERNEL.json (launch,
  /// resources and milliseconds of each step); empty: none.
  std::string dumpDirectory;
};

/// A kernel of the device module. docs/decisions/0020-device-plans.md has its calling convention.
struct DeviceKernel {
  std::string symbol;
  int64_t rows = 1;        ///< number of rows, -1: dynamic
  double work = 0;         ///< estimated nanoseconds, as CompiledKernel::work
  int32_t threads = 1;     ///< of a block
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  /// Parameters in order: 'p' an address of a buffer, 'd' a dynamic dim; then the two of the range of rows,
  /// which are left out.
  std::string parameters;
  std::vector<runtime::TensorMapParameter> tensorMaps; ///< the parameters after the range of rows
  int32_t residentBlocks = 0;                          ///< as runtime::DeviceLaunch::residentBlocks
  KernelNeeds needs;
  bool hasShapeFunction = false;
  std::string ptx;
  std::string cubin; ///< empty without an assembler
  KernelResources resources;
  double emitMilliseconds = 0, assembleMilliseconds = 0; ///< LLVM IR to PTX, and PTX to machine code
};

struct DeviceKernels {
  std::vector<DeviceKernel> kernels;
  mlir::OwningOpRef<mlir::ModuleOp> host; ///< the functions `NAME_shape`, in the LLVM dialect
};

/// The block of a kernel, by `proa.launch`. Error: it has no threads.
Result<BlockSize> blockOf(mlir::Operation *kernel);

/// Compiles each function with the attribute `gpu.kernel` of a device module to PTX and machine code of its
/// own, so that equal kernels of several programs share an entry of the cache. Attributes of a kernel:
///
/// - `proa.rows`: as on the CPU
/// - `proa.launch`: the threads of a block, its dynamic shared memory, and the blocks of a multiprocessor
/// - `proa.tensor_map` on the last parameters: see `#proa.tensor_map`
/// - the attributes of KernelNeeds
///
/// Error: the errors of emitPtx and the assembler, for all kernels; a block that fits no multiprocessor
/// (checkBlock).
Result<DeviceKernels> compileDeviceKernels(mlir::ModuleOp module, const CudaToolkit &toolkit,
                                           const DeviceCompileOptions &options = {});

} // namespace proa::cuda
