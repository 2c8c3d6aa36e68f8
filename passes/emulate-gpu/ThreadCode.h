/// The code of one thread of an emulated kernel, and the calls in it.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"

namespace proa {

/// A shared variable of a kernel.
struct SharedVariable {
  int64_t offset = 0, size = 0;
};

/// Of a function with the parameters (thread, shared, buffers, dims, begin, end).
class ThreadCode {
public:
  explicit ThreadCode(mlir::LLVM::LLVMFuncOp function);

  mlir::LLVM::LLVMFuncOp function() const { return code; }
  mlir::Value sharedMemory() const;

  /// Calls the emulator's `name(thread, arguments...)`. Without `result` the call returns nothing. A pure
  /// function has no effects and gives the same result in all calls of a thread.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name, mlir::Type result,
                   mlir::ValueRange arguments, bool isPure = false);

  /// The same, of a function in which the thread may wait for others.
  mlir::Value synchronize(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                          mlir::Type result, mlir::ValueRange arguments);

  /// Memory on the stack for a value of type `type`.
  mlir::Value slot(mlir::Type type);

  /// The variable in shared memory that `global` becomes.
  SharedVariable placeShared(mlir::LLVM::GlobalOp global);
  int64_t sharedBytes() const { return usedBytes; }

  bool synchronizes = false;    ///< whether threads wait for each other
  bool usesAsyncProxy = false;  ///< whether it has bulk copies or wgmma
  bool exchangesValues = false; ///< whether it has atomic accesses of global memory
  int32_t barrierOps = 0;       ///< number of barrier ops so far

private:
  mlir::LLVM::LLVMFuncOp code;
  llvm::DenseMap<mlir::Operation *, SharedVariable> shared;
  int64_t usedBytes = 0;
};

/// An i32 constant.
mlir::Value i32Constant(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);
mlir::Value i64Constant(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

/// Replaces an op of the nvvm dialect, llvm.fence or rt.wgmma by calls. Error: the emulator lacks the op or
/// its form.
llvm::LogicalResult emulateOp(mlir::Operation *op, ThreadCode &code);

/// Adds checks before reads of registers that a wgmma writes: it must be complete.
void checkWgmmaResults(ThreadCode &code);

/// Replaces the callee of a call of libdevice. Error: libm and the emulator lack the function.
llvm::LogicalResult emulateCall(mlir::LLVM::CallOp call, ThreadCode &code);

/// Adds checks before the accesses of memory. `buffers` are the pointers that the code loads from its
/// buffers, in order.
void checkAccesses(ThreadCode &code, llvm::ArrayRef<mlir::Value> buffers);

} // namespace proa
