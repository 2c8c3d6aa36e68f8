#include "passes/lower-gpu/ReductionForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace proa {

Value Combiner::build(OpBuilder &builder, Value left, Value right) const {
  IRMapping map;
  map.map(accumulator, left);
  map.map(term, right);
  return builder.clone(*op, map)->getResult(0);
}

bool isReductionLoop(linalg::LinalgOp op, unsigned loop) {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction;
}

bool canShuffle(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({8u, 16u, 32u, 64u}, integer.getWidth());
  return type.isF32() || type.isF64();
}

static std::optional<Combiner> combinerOf(BlockArgument accumulator, Value yielded) {
  Operation *op = yielded.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || !accumulator.hasOneUse() || !yielded.hasOneUse() ||
      *accumulator.user_begin() != op || !canShuffle(accumulator.getType()))
    return std::nullopt;
  // Subtraction and division have no neutral element here, so the op commutes.
  std::optional<TypedAttr> neutral = arith::getNeutralElement(op);
  if (!neutral)
    return std::nullopt;
  Value term = op->getOperand(op->getOperand(0) == accumulator ? 1 : 0);
  return Combiner{op, accumulator, term, *neutral};
}

std::optional<SmallVector<Combiner>> combinersOf(linalg::LinalgOp op) {
  Operation *yield = op.getBlock()->getTerminator();
  SmallVector<Combiner> combiners;
  for (auto [accumulator, yielded] : llvm::zip(op.getRegionOutputArgs(), yield->getOperands())) {
    std::optional<Combiner> combiner = combinerOf(accumulator, yielded);
    if (!combiner)
      return std::nullopt;
    combiners.push_back(*combiner);
  }
  return combiners;
}

} // namespace proa
