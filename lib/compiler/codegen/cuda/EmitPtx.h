/// PTX of device modules, by LLVM's NVPTX back end.
#pragma once

#include "lib/compiler/codegen/cuda/CudaToolkit.h"

#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace proa::cuda {

/// A chip and the PTX version that code for it needs.
struct ChipInfo {
  std::string name;     ///< "sm_90a"
  std::string features; ///< as LLVM names them: "+ptx84"
};

/// The chips that code is generated for.
const std::vector<ChipInfo> &knownChips();
/// Error: the chip is not one of knownChips().
Result<ChipInfo> chipNamed(const std::string &name);
/// The chip to generate code for on a device of this compute capability: its own chip, or the newest older
/// chip without architecture-specific features, whose PTX the CUDA driver compiles. Error: the device is
/// older than all chips.
Result<ChipInfo> chipFor(int major, int minor);

/// Registers the dialects of device modules and their translation to LLVM IR.
void registerDeviceDialects(mlir::DialectRegistry &registry);

/// The two sides of a lowered module: a clone of the functions with the attribute `gpu.kernel`, and a clone
/// of the functions `NAME_shape` of each kernel NAME, which run on the host. Each side has what its functions
/// refer to.
struct SplitModule {
  mlir::OwningOpRef<mlir::ModuleOp> device, host;
};

/// Error: the module has no kernel.
Result<SplitModule> splitHostFunctions(mlir::ModuleOp module);

/// A module with the function `kernel` of `module`, and what it refers to.
mlir::OwningOpRef<mlir::ModuleOp> moduleWith(mlir::ModuleOp module, const std::string &kernel);

struct PtxCode {
  std::string ptx;
  std::string llvmIr; ///< optimized; empty unless requested
};

/// Translates a device module to LLVM IR, links functions of libdevice that it calls, optimizes (O3) and
/// emits PTX. `module` is changed: NVVM ops become inline assembly where LLVM has no intrinsic.
///
/// Error: a failed translation, or a call of `__nv_*` where libdevice is not found.
Result<PtxCode> emitPtx(mlir::ModuleOp module, const ChipInfo &chip, const CudaToolkit &toolkit,
                        bool withLlvmIr = false);

} // namespace proa::cuda
