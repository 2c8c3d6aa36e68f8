/// Batching of kernels on samples, sequences or channels: those of the examples are joined in one call.
#pragma once

#include "dialects/pd/autodiff/BatchingRules.h"

namespace proa::pd {

/// How an operand or result takes the examples.
enum class Role : uint8_t {
  First,   ///< joined to its first dimension, which counts samples or rows
  Second,  ///< joined to its second dimension
  Last,    ///< joined to its last dimension
  Shared,  ///< the same for all examples
  Offsets, ///< the offsets of the sequences of the first operand
  Count,   ///< the number of samples of an example
};

/// Writes one op for all examples.
class SampleJoiner {
public:
  SampleJoiner(Batcher &batcher, mlir::Operation *op)
      : batcher(batcher), op(op), e(batcher.builder, op), examples(batcher.examples(e)) {}

  /// Failure where a shared operand differs from example to example.
  BatchedResults join(llvm::ArrayRef<Role> operands, llvm::ArrayRef<Role> results);

private:
  mlir::Value joined(mlir::Value operand, Role role);
  Batched separated(mlir::Value result, Role role);

  Batcher &batcher;
  mlir::Operation *op;
  TensorBuilder e;
  DimSize examples;
};

/// The kernel for each example; failure where a result type is dynamic. For kernels whose decomposition must
/// not be batched: there, examples with offsets of their own would have step counts of their own.
BatchedResults eachIfStatic(Batcher &batcher, mlir::Operation *op);
/// The joined op or, where the samples cannot be joined, eachIfStatic.
BatchedResults joinedOrEach(Batcher &batcher, mlir::Operation *op, llvm::ArrayRef<Role> operands,
                            llvm::ArrayRef<Role> results);

} // namespace proa::pd
