/// Batching of ops of the dialect: a program for one example becomes a program for a batch of examples.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/IRMapping.h"

namespace proa::pd {

/// Creates the batched form of a block at the builder's insertion point. An op with a batched operand uses
/// the first of these that applies: its rule (BatchableOpInterface), the elementwise rule, its decomposition,
/// or one run per example.
class Batcher {
public:
  /// `exampleCount`: the number of examples; kDynamic: the first dim of `source`, a batched value.
  Batcher(mlir::OpBuilder &builder, int64_t exampleCount, mlir::Value source)
      : builder(builder), exampleCount(exampleCount), source(source) {}

  /// A Batcher of the same examples for a region isolated from above; `source` is a batched value in it.
  Batcher inside(mlir::OpBuilder &region, mlir::Value source) const {
    return Batcher(region, exampleCount, source);
  }

  /// Maps an original value to its new value.
  void map(mlir::Value original, Batched value);
  /// Creates the batched form of all ops of a block except its terminator. Composites in the original block
  /// may be replaced by their decompositions.
  mlir::LogicalResult write(mlir::Block &block);

  bool isBatched(mlir::Value original) const { return lifted.contains(original); }
  /// The new value of a value that is not batched.
  mlir::Value plain(mlir::Value original) const { return mapping.lookupOrDefault(original); }
  /// The new value with a dimension for the examples, broadcast if the value is not batched.
  mlir::Value batched(mlir::Value original);
  /// The new value, batched or not.
  mlir::Value either(mlir::Value original) {
    return isBatched(original) ? batched(original) : plain(original);
  }
  /// The batched value, reshaped to rank `rank` + 1 by dims of size 1 after the examples' dimension.
  mlir::Value aligned(mlir::Value original, int64_t rank);
  /// The type with a leading dimension for the examples.
  mlir::Type batchedType(mlir::Type type) const;
  /// Records an index that is equal for all running examples of a loop whose examples end at different
  /// iterations.
  void setCommon(mlir::Value original, mlir::Value index) { commonIndices[original] = index; }
  /// The index recorded by setCommon(); null if it may differ between examples.
  mlir::Value common(mlir::Value original) const { return commonIndices.lookup(original); }
  /// The number of examples.
  DimSize examples(TensorBuilder &e) const;

  /// A clone of the op with other operands and batched result types.
  mlir::Operation *cloneOn(mlir::Operation *op, mlir::ValueRange operands);
  /// The results of an op, marked as batched.
  llvm::SmallVector<Batched> allOf(mlir::Operation *op) const;
  /// The op once per example; an error if the dims of its results may differ between examples.
  mlir::FailureOr<llvm::SmallVector<Batched>> runPerExample(mlir::Operation *op);

  /// Emits the error that an op cannot be batched.
  static mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);

  mlir::OpBuilder &builder;

private:
  mlir::LogicalResult writeOps(mlir::Block &block);
  mlir::FailureOr<llvm::SmallVector<Batched>> writeOp(mlir::Operation *op);
  void mapResults(mlir::Operation *op, llvm::ArrayRef<Batched> values);
  mlir::FailureOr<llvm::SmallVector<Batched>> elementwise(mlir::Operation *op);
  llvm::SmallVector<mlir::Value> exampleOf(mlir::Operation *op, mlir::OpBuilder &inside, mlir::Value index);
  mlir::LogicalResult checkPerExample(mlir::Operation *op);
  llvm::SmallVector<Batched> loopOverRows(mlir::Operation *op);
  llvm::SmallVector<Batched> loopOverArrays(mlir::Operation *op);
  mlir::Value liftArray(mlir::Value array);

  int64_t exampleCount;
  mlir::Value source;
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, mlir::Value> lifted, commonIndices;
};

} // namespace proa::pd
