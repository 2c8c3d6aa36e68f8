#include "passes/lower-gpu/AccessWidth.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <numeric>

using namespace mlir;

namespace proa {
namespace {

/// A number of elements that divides the distance of `memory` from an aligned address.
int64_t offsetDivisor(Value memory) {
  Operation *op = memory.getDefiningOp();
  if (!op || isa<memref::AllocOp>(op))
    return 0;
  if (auto view = dyn_cast<memref::SubViewOp>(op)) {
    int64_t divisor = offsetDivisor(view.getSource());
    auto [strides, offset] = view.getSourceType().getStridesAndOffset();
    for (auto [own, stride] : llvm::zip(view.getMixedOffsets(), strides)) {
      int64_t factor = ShapedType::isDynamic(stride) ? 1 : stride;
      divisor = std::gcd(divisor, divisorOf(own) * factor);
    }
    return divisor;
  }
  if (auto view = dyn_cast<memref::ReinterpretCastOp>(op))
    return std::gcd(offsetDivisor(view.getSource()), divisorOf(view.getMixedOffsets()[0]));
  if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(op))
    return offsetDivisor(op->getOperand(0));
  return 1;
}

} // namespace

int64_t divisorOf(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return std::abs(*constant);
  Operation *op = cast<Value>(size).getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    auto view = dim.getSource().getDefiningOp<memref::SubViewOp>();
    std::optional<int64_t> index = dim.getConstantIndex();
    bool isKnown = view && index && view.getDroppedDims().none();
    return isKnown ? divisorOf(view.getMixedSizes()[*index]) : 1;
  }
  AffineMap map;
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    map = apply.getAffineMap();
  else if (auto minimum = dyn_cast_or_null<affine::AffineMinOp>(op))
    map = minimum.getMap();
  if (!map)
    return 1;
  int64_t divisor = 0;
  for (AffineExpr result : map.getResults())
    divisor = std::gcd(divisor, result.getLargestKnownDivisor());
  return divisor;
}

int64_t chunkElements(Value memory, OpFoldResult lastSize) {
  auto type = cast<MemRefType>(memory.getType());
  auto element = type.getElementType();
  int64_t vector = element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0
                       ? accessBytes * 8 / element.getIntOrFloatBitWidth()
                       : 1;
  auto [strides, offset] = type.getStridesAndOffset();
  auto isMultiple = [&](int64_t size) { return !ShapedType::isDynamic(size) && size % vector == 0; };
  bool isAligned = llvm::all_of(ArrayRef<int64_t>(strides).drop_back(), isMultiple) &&
                   isMultiple(offsetDivisor(memory)) && isMultiple(divisorOf(lastSize));
  return isAligned ? vector : 1;
}

} // namespace proa
