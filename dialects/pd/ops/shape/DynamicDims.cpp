#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::pd {

DimSize dimSizeOf(Expression value) { return DimSize::element(value.owner().reshape(value, {1}), 0); }

DimSize add(TensorBuilder &e, const DimSize &x, int64_t y) {
  if (x.isKnown())
    return x.getNumber() + y;
  return y == 0 ? x : dimSizeOf(e.wrap(x.getValue(e)) + static_cast<double>(y));
}

DimSize sum(TensorBuilder &e, const DimSize &x, const DimSize &y) {
  if (x.isKnown() || y.isKnown())
    return x.isKnown() ? add(e, y, x.getNumber()) : add(e, x, y.getNumber());
  return dimSizeOf(e.wrap(x.getValue(e)) + e.wrap(y.getValue(e)));
}

DimSize atLeast(TensorBuilder &e, const DimSize &x, int64_t y) {
  if (x.isKnown())
    return std::max(x.getNumber(), y);
  return dimSizeOf(e.maximum(e.wrap(x.getValue(e)), static_cast<double>(y)));
}

DimSize minimum(TensorBuilder &e, const DimSize &x, const DimSize &y) {
  if (x.isKnown() && y.isKnown())
    return std::min(x.getNumber(), y.getNumber());
  return dimSizeOf(e.minimum(e.wrap(x.getValue(e)), e.wrap(y.getValue(e))));
}

Expression sliceBetween(Expression x, int64_t axis, const DimSize &start, const DimSize &end) {
  if (start.isKnown() && end.isKnown())
    return slice(x, axis, start.getNumber(), end.getNumber());
  TensorBuilder &e = x.owner();
  auto bound = [&](const DimSize &dimSize) { return e.reshape(e.wrap(dimSize.getValue(e)), {1}); };
  return e.wrap(e.create<SliceOp>(x, bound(start), bound(end), Value(), llvm::ArrayRef(axis),
                                  llvm::ArrayRef<int64_t>(), llvm::ArrayRef<int64_t>(),
                                  llvm::ArrayRef<int64_t>()));
}

DimSize elementsOf(Expression x) {
  DimSize count = 1;
  for (const DimSize &dimSize : dimSizesOf(x))
    count = multiply(x.owner(), count, dimSize);
  return count;
}

Expression modulo(Expression x, const DimSize &y) {
  TensorBuilder &e = x.owner();
  return e.wrap(e.create<RemainderOp>(x, e.cast(e.wrap(y.getValue(e)), x.type().getElementType())));
}

DimSize diagonalLength(TensorBuilder &e, const DimSize &rows, const DimSize &columns, int64_t offset) {
  DimSize down = add(e, rows, std::min<int64_t>(offset, 0)),
          across = add(e, columns, -std::max<int64_t>(offset, 0));
  if (down.isKnown() && across.isKnown())
    return std::max<int64_t>(0, std::min(down.getNumber(), across.getNumber()));
  return atLeast(e, dimSizeOf(e.minimum(e.wrap(down.getValue(e)), e.wrap(across.getValue(e)))), 0);
}

} // namespace proa::pd
