/// Kernels on tensors to machine code.
#pragma once

#include "proa/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace proa {

struct CodegenOptions {
  std::string cpu;           ///< as LLVM names it ("znver4"); empty: this machine's, with its features
  std::string features;      ///< "+avx2,+fma"; with an empty `cpu` they are added to this machine's
  unsigned threads = 2;      ///< threads that compile
  std::string dumpDirectory; ///< if not empty: intermediate code is written there
};

/// One function of the object code. lib/runtime/Plan.h says how it is called.
struct CompiledKernel {
  std::string symbol;
  int64_t extent = 1;            ///< number of parallel rows, -1: only known at run time
  double work = 0;               ///< estimated nanoseconds of all rows on one thread
  bool hasShapeFunction = false; ///< `symbol`_shape exists
};

struct CompiledKernels {
  std::string archive; ///< a static library (.a) of position-independent code
  std::vector<CompiledKernel> kernels;
};

/// Compiles every function of `module` that has the attribute `proa.kernel`; the other functions must be none
/// of its callees. A kernel is a function from tensors to tensors made of linalg, tensor, arith, math and
/// complex operations.
///
/// `module` is lowered in place. Its context needs the dialects of registerAllDialects().
/// Problems: what a pass reported with the operation's location, or an unknown CPU.
Result<CompiledKernels> compileKernels(mlir::ModuleOp module, const CodegenOptions &options = {});

/// Those of `features`, as LLVM names them ("avx2"), that machine code for these options may use. Problem:
/// LLVM does not know the CPU.
Result<std::vector<std::string>> targetFeatures(const CodegenOptions &options,
                                                std::span<const std::string> features);

/// Everything about this machine and these options that machine code depends on, for the keys of a cache.
std::string codegenFingerprint(const CodegenOptions &options);

} // namespace proa
