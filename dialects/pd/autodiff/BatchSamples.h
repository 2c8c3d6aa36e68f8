/// Batching of kernels on samples, sequences or channels: those of the examples become more of them in one
/// call.
#pragma once

#include "dialects/pd/autodiff/BatchingRules.h"

namespace proa::pd {

/// What becomes of an operand or result.
enum class Role : uint8_t {
  First,   ///< its first dimension counts samples or rows: the examples' stand one after the other
  Second,  ///< its second one does
  Last,    ///< its last one does
  Shared,  ///< it must be, or is, the same for all examples
  Offsets, ///< where the sequences of the first operand begin
  Count,   ///< how many samples an example has
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
  Extent examples;
};

} // namespace proa::pd
