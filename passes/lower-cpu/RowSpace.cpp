#include "passes/lower-cpu/RowSpace.h"

#include "passes/lower-cpu/DimensionClasses.h"
#include "passes/lower-cpu/KernelAttributes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;

namespace proa {

FailureOr<RowSpace> RowSpace::read(func::FuncOp function) {
  RowSpace space;
  Operation *terminator = function.getBody().front().getTerminator();
  auto tiles = function->getAttrOfType<DenseI64ArrayAttr>(rowTilesAttribute);
  auto dims = function->getAttrOfType<ArrayAttr>(rowDimsAttribute);
  if (tiles)
    space.tiles.assign(tiles.asArrayRef().begin(), tiles.asArrayRef().end());
  if (dims && dims.size() != terminator->getNumOperands())
    return function.emitError() << "'" << rowDimsAttribute << "' has " << dims.size()
                                << " entries, expected one for each of " << terminator->getNumOperands()
                                << " results";
  SmallVector<bool> found(space.tiles.size(), false);
  for (auto [i, result] : llvm::enumerate(terminator->getOperands())) {
    SmallVector<Operation *> reshapes;
    auto type = cast<RankedTensorType>(peelReshapes(result, reshapes).getType());
    SmallVector<int64_t> rows(type.getRank(), -1);
    if (dims) {
      auto own = dyn_cast<DenseI64ArrayAttr>(dims[i]);
      if (!own || own.size() != type.getRank())
        return function.emitError() << "'" << rowDimsAttribute << "' of result " << i << " does not have "
                                    << type.getRank() << " numbers";
      rows.assign(own.asArrayRef().begin(), own.asArrayRef().end());
    }
    for (int64_t row : rows) {
      if (row >= int64_t(space.tiles.size()))
        return function.emitError() << "'" << rowDimsAttribute << "' of result " << i
                                    << " names row dimension " << row << ", but there are "
                                    << space.tiles.size();
      if (row >= 0)
        found[row] = true;
    }
    space.dims.push_back(rows);
  }
  if (llvm::is_contained(found, false))
    return function.emitError("a row dimension is not a dimension of any result");
  return space;
}

std::pair<unsigned, unsigned> RowSpace::where(unsigned row) const {
  for (auto [result, rows] : llvm::enumerate(dims))
    for (auto [dim, own] : llvm::enumerate(rows))
      if (own == row)
        return {result, dim};
  llvm_unreachable("read() checks that each row dimension is found");
}

OpFoldResult tileCount(OpBuilder &builder, Location location, OpFoldResult size, int64_t tile) {
  AffineExpr elements = builder.getAffineDimExpr(0);
  return affine::makeComposedFoldedAffineApply(builder, location,
                                               AffineMap::get(1, 0, elements.ceilDiv(tile)), {size});
}

} // namespace proa
