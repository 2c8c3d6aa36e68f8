// Fast-math flags that keep NaN and infinities: see Passes.td.
#include "passes/kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace proa {
#define GEN_PASS_DEF_MARKFASTMATH
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// True if `op` combines an element into the accumulator of a reduction.
bool isReductionCombiner(Operation *op) {
  auto generic = dyn_cast<linalg::LinalgOp>(op->getParentOp());
  if (!generic || generic.getNumReductionLoops() == 0 || !isa<arith::AddFOp, arith::MulFOp>(op))
    return false;
  bool yields = llvm::any_of(op->getUsers(), [](Operation *user) { return isa<linalg::YieldOp>(user); });
  bool readsAccumulator = llvm::any_of(generic.getRegionOutputArgs(), [&](BlockArgument accumulator) {
    return llvm::is_contained(op->getOperands(), accumulator);
  });
  return yields && readsAccumulator;
}

/// True if `op` divides elements of a row by one result of a reduction, as softmax does.
bool dividesByReduction(Operation *op) {
  auto division = dyn_cast<arith::DivFOp>(op);
  auto generic = division ? dyn_cast<linalg::GenericOp>(op->getParentOp()) : nullptr;
  auto divisor = generic ? dyn_cast<BlockArgument>(division.getRhs()) : nullptr;
  if (!divisor || generic.getNumLoops() == 0)
    return false;
  OpOperand *operand = generic.getMatchingOpOperand(divisor);
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  return producer && producer.getNumReductionLoops() > 0 &&
         !generic.getMatchingIndexingMap(operand).isFunctionOfDim(generic.getNumLoops() - 1);
}

struct MarkFastMath : proa::impl::MarkFastMathBase<MarkFastMath> {
  using MarkFastMathBase::MarkFastMathBase;

  void runOnOperation() override {
    getOperation()->walk([&](arith::ArithFastMathInterface op) {
      // A contracted pair of conversions folds away, with its rounding and overflow.
      if (isa<arith::TruncFOp, arith::ExtFOp>(*op))
        return;
      auto flags = arith::FastMathFlags::contract;
      if (isReductionCombiner(op))
        flags = flags | arith::FastMathFlags::reassoc;
      if (dividesByReduction(op))
        flags = flags | arith::FastMathFlags::arcp;
      // Which zero a maximum of two zeros gives is left open, as in Paddle: x86 has no instruction that
      // orders them.
      if (isa<arith::MaximumFOp, arith::MinimumFOp>(*op))
        flags = flags | arith::FastMathFlags::nsz;
      op->setAttr(op.getFastMathAttrName(), arith::FastMathFlagsAttr::get(&getContext(), flags));
    });
  }
};

} // namespace
