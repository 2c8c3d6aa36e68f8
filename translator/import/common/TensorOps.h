/// Functions on TensorBuilder for ops that hooks use often and TensorBuilder has no name for.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

namespace proa::import::hooks {

using pd::Expression;
using pd::TensorBuilder;
using Operands = llvm::SmallVector<mlir::Value>;

/// The end of a slice that goes to the end of a dimension.
constexpr int64_t toTheEnd = std::numeric_limits<int64_t>::max();

/// An op of one result on expressions of one builder: apply<pd::RemainderOp>(x, y).
template <class Op, class... Args> Expression apply(Expression x, Args &&...args) {
  return x.owner().wrap(x.owner().create<Op>(x, std::forward<Args>(args)...));
}

/// x * factor + bias
inline Expression scale(Expression x, double factor, double bias = 0) {
  return apply<pd::ScaleOp>(x, mlir::Value(), mlir::Value(), llvm::APFloat(factor), llvm::APFloat(bias));
}
/// The slices `index` of x along its first dimension.
inline Expression gather(Expression x, Expression index) {
  return apply<pd::GatherOp>(x, index, mlir::Value());
}
using pd::slice;
/// Columns `begin` to `end` of a matrix.
inline Expression columns(Expression x, int64_t begin, int64_t end) { return slice(x, 1, begin, end); }
inline Expression concat(TensorBuilder &e, mlir::ValueRange pieces, int64_t axis) {
  return e.wrap(e.create<pd::ConcatOp>(pieces, mlir::Value(), axis));
}
/// Two matrices side by side.
inline Expression beside(Expression x, Expression y) { return concat(x.owner(), {x, y}, 1); }
/// A tensor of the shape of x, and of its element type where none is given.
inline Expression fullLike(Expression x, double value, mlir::Type element = {}) {
  return apply<pd::FullLikeOp>(x, mlir::Value(), llvm::APFloat(value),
                               element ? mlir::TypeAttr::get(element) : mlir::TypeAttr());
}

/// The indices of an assignment without masks: each is replaced by the coordinates of its true elements, a
/// vector for each of its dimensions.
Operands withoutMasks(TensorBuilder &e, mlir::ValueRange indices);

/// put_along_axis in forms that pd.put_along_axis does not have: a mean, or a reduction of the values alone.
struct PutAlongAxis {
  pd::ScatterReduce reduce;
  bool isMean;
  /// Whether the addressed elements of x are included.
  bool includesSelf;
  /// Whether means of integers are rounded down, not towards zero.
  bool floorsMeans = false;

  /// The form that Paddle names so; nothing if pd.put_along_axis has it, or if no form has this name.
  static std::optional<PutAlongAxis> of(llvm::StringRef reduce, bool includesSelf);
  Expression build(Expression x, mlir::Value indices, Expression values, int64_t axis) const;
};

/// The starts and the lengths of the sequences of a LoD level.
inline Expression startsOf(Expression offsets) { return slice(offsets, 0, 0, -1); }
inline Expression lengthsOf(Expression offsets) { return slice(offsets, 0, 1, toTheEnd) - startsOf(offsets); }

} // namespace proa::import::hooks
