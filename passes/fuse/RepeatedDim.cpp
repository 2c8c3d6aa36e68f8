#include "passes/fuse/RepeatedDim.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/DimRoots.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

using namespace mlir;

namespace proa {

std::optional<RepeatedDim> RepeatedDim::of(Value tensor, int64_t dim) {
  auto merged = tensor.getDefiningOp<pd::ReshapeOp>();
  Operation *repeat = merged ? merged.getX().getDefiningOp() : nullptr;
  if (!isa_and_present<pd::TileOp, pd::ExpandOp>(repeat))
    return std::nullopt;
  Value narrow = repeat->getOperand(0), wide = merged.getX();
  ArrayRef<int64_t> from = pd::tensorType(narrow).getShape(), to = pd::tensorType(wide).getShape(),
                    all = pd::tensorType(tensor).getShape();
  int64_t rank = pd::tensorType(wide).getRank();
  if (dim < 0 || dim + 1 >= rank || from.size() != to.size() || all.size() + 1 != to.size() ||
      from[dim + 1] != 1 || ShapedType::isDynamicShape({to[dim], to[dim + 1]}) ||
      all[dim] != to[dim] * to[dim + 1])
    return std::nullopt;
  for (int64_t axis = 0; axis < rank; ++axis) {
    pd::DimRoot root = pd::dimRootOf(wide, axis);
    bool isKept = axis == dim + 1 || pd::dimRootOf(narrow, axis) == root;
    bool isInResult =
        axis == dim || axis == dim + 1 || pd::dimRootOf(tensor, axis <= dim ? axis : axis - 1) == root;
    if (!isKept || !isInResult)
      return std::nullopt;
  }
  return RepeatedDim{narrow, to[dim], to[dim + 1]};
}

} // namespace proa
