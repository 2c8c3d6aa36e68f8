/// Batching of kernels on samples, sequences or channels: one call processes the samples of all examples.
#pragma once

#include "dialects/pd/autodiff/BatchingRules.h"

namespace proa::pd {

/// The dimension of an operand or result into which the examples are merged.
enum class Role : uint8_t {
  First,   ///< merged into its first dimension (samples or rows)
  Second,  ///< merged into its second dimension
  Last,    ///< merged into its last dimension
  Shared,  ///< the same for all examples
  Offsets, ///< the offsets of the sequences of the first operand
  Count,   ///< the number of samples of an example
};

/// Creates one op for all examples.
class SampleJoiner {
public:
  SampleJoiner(Batcher &batcher, mlir::Operation *op)
      : batcher(batcher), op(op), e(batcher.builder, op), examples(batcher.examples(e)) {}

  /// Failure if a shared operand is batched.
  BatchedResults join(llvm::ArrayRef<Role> operands, llvm::ArrayRef<Role> results);

private:
  mlir::Value joined(mlir::Value operand, Role role);
  Batched separated(mlir::Value result, Role role);

  Batcher &batcher;
  mlir::Operation *op;
  TensorBuilder e;
  DimSize examples;
};

/// The kernel once per example; failure if a result type is dynamic. For kernels whose decomposition cannot
/// be batched, because the step count depends on the sequence offsets of an example.
BatchedResults eachIfStatic(Batcher &batcher, mlir::Operation *op);
/// The joined op or, if the samples cannot be joined, eachIfStatic().
BatchedResults joinedOrEach(Batcher &batcher, mlir::Operation *op, llvm::ArrayRef<Role> operands,
                            llvm::ArrayRef<Role> results);

} // namespace proa::pd
