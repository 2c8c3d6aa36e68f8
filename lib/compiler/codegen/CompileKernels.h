/// Compilation of kernels on tensors to machine code.
#pragma once

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelNeeds.h"
#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace proa {

struct CodegenOptions {
  std::string cpu;      ///< as LLVM names it ("znver4"); empty: this machine's, with its features
  std::string features; ///< "+avx2,+fma"; with an empty `cpu` they are added to this machine's
  /// LLVM optimizes the code. Otherwise compilation takes about half the time, and kernels are slower.
  bool optimizes = true;
  /// With `optimizes`: kernels with less estimated work, in nanoseconds, are compiled without optimization,
  /// and CompiledKernels::deferred is for their optimization.
  double deferBelow = 0;
  /// Kernels are lowered for a GPU, and its threads are run on the CPU by lib/runtime/emulator. Kernels
  /// without a form on the GPU are compiled for the CPU.
  bool emulatesGpu = false;
  std::string emulatedChip = "sm_90a"; ///< the chip that the kernels are lowered for
  /// The kinds of matmuls and of attention.
  MatmulStrategy emulatedContraction = MatmulStrategy::Fastest, emulatedAttention = MatmulStrategy::Fastest;
  unsigned threads = 2;      ///< number of threads that compile
  std::string dumpDirectory; ///< folder for intermediate code; empty: none
};

/// A function of the object code. lib/runtime/plan/Plan.h describes its calling convention.
struct CompiledKernel {
  std::string symbol;
  int64_t rows = 1;              ///< number of parallel rows, -1: dynamic
  double work = 0;               ///< estimated nanoseconds of all rows on one thread
  bool hasShapeFunction = false; ///< whether `symbol`_shape exists
  KernelNeeds needs;             ///< of a kernel for the emulator
};

/// Kernels whose optimization was deferred (CodegenOptions::deferBelow).
struct DeferredKernels {
  std::vector<std::string> modules; ///< bitcode of LLVM
  std::vector<std::string> objects; ///< of the kernels that are optimized
};

struct CompiledKernels {
  std::string archive; ///< a static library (.a) of position-independent code
  std::vector<CompiledKernel> kernels;
  std::shared_ptr<const DeferredKernels> deferred; ///< null: all kernels are as CodegenOptions says
};

/// Compiles every function of `module` with the attribute `proa.kernel`; other functions must not be called
/// by them. A kernel is a function from tensors to tensors of linalg, tensor, arith, math and complex ops.
///
/// `module` is lowered in place. Its context needs the dialects of registerAllDialects(). Error: the errors
/// of passes with locations, or an unknown CPU.
Result<CompiledKernels> compileKernels(mlir::ModuleOp module, const CodegenOptions &options = {});

/// The archive of all kernels of a compilation, optimized, on the calling thread. It has the symbols of
/// CompiledKernels::archive. `options` are the options of the compilation. Error: `stop` was requested; LLVM
/// cannot write the code.
Result<std::string> optimizeKernels(const DeferredKernels &deferred, const CodegenOptions &options,
                                    const std::stop_token &stop = {});

/// The subset of `features`, by LLVM names ("avx2"), that machine code for these options may use. Error: LLVM
/// does not know the CPU.
Result<std::vector<std::string>> targetFeatures(const CodegenOptions &options,
                                                std::span<const std::string> features);

/// A text of everything about this machine and these options that machine code depends on, for cache keys.
std::string codegenFingerprint(const CodegenOptions &options);

} // namespace proa
