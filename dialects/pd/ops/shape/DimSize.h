/// Dims in decompositions: numbers if static, tensors if dynamic.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"

namespace proa::pd {

/// One dim of a shape: a number, or a rank-0 int64 tensor.
class DimSize {
public:
  DimSize(int64_t size) : known(size) {}
  /// The size of dimension `axis` of x.
  DimSize(Expression x, int64_t axis);
  /// Element i of a 1-D integer tensor.
  static DimSize element(Expression tensor, int64_t i);

  bool isKnown() const { return !value; }
  bool isNumber(int64_t expected) const { return !value && known == expected; }
  /// kDynamic if it is dynamic.
  int64_t getNumber() const { return known; }
  mlir::Value getValue(TensorBuilder &e) const;
  /// Whether this is dimension `axis` of x, static or dynamic.
  bool isDim(mlir::Value x, int64_t axis) const;

  friend DimSize multiply(TensorBuilder &e, const DimSize &x, const DimSize &y);
  friend DimSize divide(TensorBuilder &e, const DimSize &x, int64_t y);
  friend DimSize maximum(TensorBuilder &e, const DimSize &x, const DimSize &y);

private:
  explicit DimSize(mlir::Value value) : known(mlir::ShapedType::kDynamic), value(value) {}
  int64_t known;
  mlir::Value value;
};

DimSize multiply(TensorBuilder &e, const DimSize &x, const DimSize &y);
/// The quotient rounded down; y > 0.
DimSize divide(TensorBuilder &e, const DimSize &x, int64_t y);
DimSize maximum(TensorBuilder &e, const DimSize &x, const DimSize &y);

/// The sizes of all dimensions of x.
llvm::SmallVector<DimSize> dimSizesOf(Expression x);
/// The dims as a 1-D int64 tensor.
mlir::Value shapeTensor(TensorBuilder &e, llvm::ArrayRef<DimSize> shape);
/// x reshaped or expanded to exactly these dims.
Expression reshapeTo(Expression x, llvm::ArrayRef<DimSize> shape);
Expression expandTo(Expression x, llvm::ArrayRef<DimSize> shape);

/// Elements [start, end) along one axis, every stride-th; as pd.slice counts them.
Expression slice(Expression x, int64_t axis, int64_t start, int64_t end, int64_t stride = 1);
Expression concat(llvm::ArrayRef<Expression> pieces, int64_t axis);
/// x without, or with an additional, dimension of size 1 at `axis`.
Expression dropDim(Expression x, int64_t axis);
Expression insertDim(Expression x, int64_t axis);
/// 0, 1, ... of an integer type as a 1-D tensor.
Expression iota(TensorBuilder &e, const DimSize &count, mlir::Type elementType);

/// The end of a slice that extends to the end.
inline constexpr int64_t toTheEnd = std::numeric_limits<int64_t>::max();

} // namespace proa::pd
