#include "dialects/pd/ops/shape/OpenExtents.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::pd {

Extent extentOf(Expression value) { return Extent::element(value.owner().reshape(value, {1}), 0); }

Extent add(TensorBuilder &e, const Extent &x, int64_t y) {
  if (x.isKnown())
    return x.getNumber() + y;
  return y == 0 ? x : extentOf(e.wrap(x.getValue(e)) + static_cast<double>(y));
}

Extent sum(TensorBuilder &e, const Extent &x, const Extent &y) {
  if (x.isKnown() || y.isKnown())
    return x.isKnown() ? add(e, y, x.getNumber()) : add(e, x, y.getNumber());
  return extentOf(e.wrap(x.getValue(e)) + e.wrap(y.getValue(e)));
}

Extent atLeast(TensorBuilder &e, const Extent &x, int64_t y) {
  if (x.isKnown())
    return std::max(x.getNumber(), y);
  return extentOf(e.maximum(e.wrap(x.getValue(e)), static_cast<double>(y)));
}

Extent minimum(TensorBuilder &e, const Extent &x, const Extent &y) {
  if (x.isKnown() && y.isKnown())
    return std::min(x.getNumber(), y.getNumber());
  return extentOf(e.minimum(e.wrap(x.getValue(e)), e.wrap(y.getValue(e))));
}

Expression sliceBetween(Expression x, int64_t axis, const Extent &start, const Extent &end) {
  if (start.isKnown() && end.isKnown())
    return slice(x, axis, start.getNumber(), end.getNumber());
  TensorBuilder &e = x.owner();
  auto bound = [&](const Extent &extent) { return e.reshape(e.wrap(extent.getValue(e)), {1}); };
  return e.wrap(e.create<SliceOp>(x, bound(start), bound(end), Value(), llvm::ArrayRef(axis),
                                  llvm::ArrayRef<int64_t>(), llvm::ArrayRef<int64_t>(),
                                  llvm::ArrayRef<int64_t>()));
}

Extent elementsOf(Expression x) {
  Extent count = 1;
  for (const Extent &extent : extentsOf(x))
    count = multiply(x.owner(), count, extent);
  return count;
}

Expression modulo(Expression x, const Extent &y) {
  TensorBuilder &e = x.owner();
  return e.wrap(e.create<RemainderOp>(x, e.cast(e.wrap(y.getValue(e)), x.type().getElementType())));
}

Extent diagonalLength(TensorBuilder &e, const Extent &rows, const Extent &columns, int64_t offset) {
  Extent down = add(e, rows, std::min<int64_t>(offset, 0)),
         across = add(e, columns, -std::max<int64_t>(offset, 0));
  if (down.isKnown() && across.isKnown())
    return std::max<int64_t>(0, std::min(down.getNumber(), across.getNumber()));
  return atLeast(e, extentOf(e.minimum(e.wrap(down.getValue(e)), e.wrap(across.getValue(e)))), 0);
}

} // namespace proa::pd
