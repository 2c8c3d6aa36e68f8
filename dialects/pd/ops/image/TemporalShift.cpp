#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/TemporalShiftOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"

using namespace mlir;

namespace proa::pd {

LogicalResult checkTemporalShift(std::optional<Location> location, RankedTensorType x, int64_t steps,
                                 double ratio) {
  if (x.getRank() != 4)
    return inferenceError(location, "C1: x must have rank 4, found rank " + llvm::Twine(x.getRank()));
  if (steps <= 0 || (!x.isDynamicDim(0) && x.getDimSize(0) % steps != 0) || !(ratio > 0 && ratio < 0.5))
    return inferenceError(location, "C2: seg_num must be above 0 and divide " + llvm::Twine(x.getDimSize(0)) +
                                        ", and shift_ratio be in (0, 0.5), found " + llvm::Twine(steps) +
                                        " and " + std::to_string(ratio));
  return success();
}

FailureOr<SmallVector<Value>> TemporalShiftOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  auto steps = static_cast<int64_t>(getSegNum());
  int64_t axis = channelsAreLast(getDataFormat()) ? 4 : 2;
  llvm::SmallVector<DimSize> given = dimSizesOf(x), split = given;
  split[0] = divide(e, given[0], steps);
  split.insert(split.begin() + 1, DimSize(steps));
  int64_t channels = x.type().getDimSize(axis - 1);
  if (ShapedType::isDynamic(channels))
    return notifyDecompositionFailure(builder, *this, "the number of channels is dynamic");
  // Paddle multiplies in float32.
  auto ratio = static_cast<float>(getShiftRatio().convertToDouble());
  auto first = static_cast<int64_t>(static_cast<float>(channels) * ratio);
  auto second = static_cast<int64_t>(static_cast<float>(channels) * 2 * ratio);
  Expression t = reshapeTo(x, split);
  // Channels [from, to) of the steps shifted by `shift`, zeros outside of the sequence.
  auto piece = [&](int64_t from, int64_t to, int64_t shift) {
    Expression kept =
        slice(slice(t, axis, from, to), 1, shift > 0 ? 0 : -shift, shift > 0 ? steps - shift : steps);
    llvm::SmallVector<int64_t> paddings(10, 0);
    paddings[2] = shift > 0 ? shift : 0;
    paddings[3] = shift < 0 ? -shift : 0;
    return shift == 0 ? kept
                      : e.wrap(e.create<PadOp>(kept, llvm::ArrayRef<int64_t>(paddings), llvm::APFloat(0.0)));
  };
  llvm::SmallVector<Expression> pieces;
  if (first > 0)
    pieces.push_back(piece(0, first, 1));
  if (second > first)
    pieces.push_back(piece(first, second, -1));
  pieces.push_back(piece(second, channels, 0));
  return SmallVector<Value>{reshapeTo(concat(pieces, axis), given)};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/image/TemporalShift.cpp.inc"
#include "dialects/pd/ops/image/TemporalShift.methods.inc"
#include "dialects/pd/ops/image/TemporalShift.scalar.inc"
