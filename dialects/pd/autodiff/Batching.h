/// Batching of ops of the dialect: a program for one example becomes one for a batch of them.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/IRMapping.h"

namespace proa::pd {

/// Walks a block and writes its batched form at the builder's place. An op with a batched operand is, in this
/// order, written by its rule (BatchableOpInterface), elementwise, replaced by its decomposition, or run once
/// for each example.
class Batcher {
public:
  /// `dim`: how many examples; kDynamic: the first dim of `source`, a batched value.
  Batcher(mlir::OpBuilder &builder, int64_t dimSize, mlir::Value source)
      : builder(builder), dimSize(dimSize), source(source) {}

  /// One for the same examples in a region that reads nothing from outside; `source` is a batched value
  /// there.
  Batcher inside(mlir::OpBuilder &region, mlir::Value source) const {
    return Batcher(region, dimSize, source);
  }

  /// What stands for a value from here on.
  void map(mlir::Value original, Batched value);
  /// Writes all ops of a block but its terminator. The block is used up: composites in it are taken apart.
  mlir::LogicalResult write(mlir::Block &block);

  bool isBatched(mlir::Value original) const { return lifted.contains(original); }
  /// What stands for a value that is not batched.
  mlir::Value plain(mlir::Value original) const { return mapping.lookupOrDefault(original); }
  /// What stands for a value, with the examples' dimension in any case.
  mlir::Value batched(mlir::Value original);
  /// What stands for a value, however it is.
  mlir::Value either(mlir::Value original) {
    return isBatched(original) ? batched(original) : plain(original);
  }
  /// The batched value with dimensions of size 1 after the examples', so that it has `rank` dimensions
  /// besides.
  mlir::Value aligned(mlir::Value original, int64_t rank);
  /// A type with a first dimension for the examples.
  mlir::Type batchedType(mlir::Type type) const;
  /// A number of the program that is the same for all examples that still go on, in a loop that they leave
  /// one by one.
  void setCommon(mlir::Value original, mlir::Value number) { commonNumbers[original] = number; }
  /// That number; null where it may differ.
  mlir::Value common(mlir::Value original) const { return commonNumbers.lookup(original); }
  /// How many examples there are.
  DimSize examples(TensorBuilder &e) const;

  /// The op once more, on other operands, whose results have the batched types.
  mlir::Operation *cloneOn(mlir::Operation *op, mlir::ValueRange operands);
  /// The results of an op as those of `cloneOn`.
  llvm::SmallVector<Batched> allOf(mlir::Operation *made) const;
  /// The op once for each example; an error where the dims of its results may differ from example to example.
  mlir::FailureOr<llvm::SmallVector<Batched>> oneByOne(mlir::Operation *op);

  /// The error that an op cannot be batched.
  static mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &why);

  mlir::OpBuilder &builder;

private:
  mlir::LogicalResult writeOps(mlir::Block &block);
  mlir::FailureOr<llvm::SmallVector<Batched>> writeOp(mlir::Operation *op);
  void mapResults(mlir::Operation *op, llvm::ArrayRef<Batched> values);
  mlir::FailureOr<llvm::SmallVector<Batched>> elementwise(mlir::Operation *op);
  llvm::SmallVector<mlir::Value> exampleOf(mlir::Operation *op, mlir::OpBuilder &inside, mlir::Value index);
  mlir::LogicalResult checkOneByOne(mlir::Operation *op);
  llvm::SmallVector<Batched> loopOverRows(mlir::Operation *op);
  llvm::SmallVector<Batched> loopOverArrays(mlir::Operation *op);
  mlir::Value liftArray(mlir::Value array);

  int64_t dimSize;
  mlir::Value source;
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, mlir::Value> lifted, commonNumbers;
};

} // namespace proa::pd
