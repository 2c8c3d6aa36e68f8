#include "passes/kernels/RowSpace.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/DimensionClasses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;

namespace proa {

/// Checks the row dimensions of one result of shape `shape`. `sizes` are the sizes of the rows so far,
/// kDynamic where they are not known.
static LogicalResult checkRows(func::FuncOp function, unsigned result, ArrayRef<int64_t> shape,
                               ArrayRef<int64_t> rows, MutableArrayRef<std::optional<int64_t>> sizes) {
  auto refuse = [&] { return function.emitError() << "`dims` of result " << result; };
  if (rows.size() != shape.size())
    return refuse() << " does not have " << shape.size() << " numbers";
  for (auto [size, row] : llvm::zip(shape, rows)) {
    if (row < 0)
      continue;
    if (llvm::count(rows, row) > 1)
      return refuse() << " names row dimension " << row << " twice";
    std::optional<int64_t> &known = sizes[row];
    if (known && !ShapedType::isDynamic(*known) && !ShapedType::isDynamic(size) && *known != size)
      return refuse() << " has size " << size << " in row dimension " << row << ", expected " << *known
                      << " as in another result";
    if (!known || ShapedType::isDynamic(*known))
      known = size;
  }
  return success();
}

FailureOr<RowSpace> RowSpace::read(func::FuncOp function) {
  RowSpace space;
  Operation *terminator = function.getBody().front().getTerminator();
  auto attribute = function->getAttrOfType<RowsAttr>(rowsAttribute);
  ArrayAttr dims = attribute ? attribute.getDims() : ArrayAttr();
  if (attribute)
    space.tiles.assign(attribute.getTiles().begin(), attribute.getTiles().end());
  if (dims && dims.size() != terminator->getNumOperands())
    return function.emitError() << "`dims` has " << dims.size() << " entries, expected one for each of "
                                << terminator->getNumOperands() << " results";
  SmallVector<std::optional<int64_t>> sizes(space.tiles.size());
  for (auto [i, result] : llvm::enumerate(terminator->getOperands())) {
    SmallVector<Operation *> reshapes;
    auto type = cast<RankedTensorType>(peelReshapes(result, reshapes).getType());
    SmallVector<int64_t> rows(type.getRank(), -1);
    if (dims)
      rows = llvm::to_vector(cast<DenseI64ArrayAttr>(dims[i]).asArrayRef());
    if (failed(checkRows(function, i, type.getShape(), rows, sizes)))
      return failure();
    space.dims.push_back(rows);
  }
  if (llvm::is_contained(sizes, std::nullopt))
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
