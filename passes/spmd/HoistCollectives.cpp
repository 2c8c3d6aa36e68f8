//! dist-hoist-collectives: moves collectives with the same operands in each iteration out of loops.
#include "passes/spmd/Passes.h"

#include "passes/remarks/Remarks.h"
#include "passes/spmd/Collectives.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_HOISTCOLLECTIVES
#include "passes/spmd/Passes.h.inc"

namespace {

class HoistCollectivesPass : public impl::HoistCollectivesBase<HoistCollectivesPass> {
public:
  using HoistCollectivesBase::HoistCollectivesBase;

  void runOnOperation() override {
    // Inner loops first, so that a collective may leave several loops.
    getOperation()->walk<WalkOrder::PostOrder>([&](LoopLikeOpInterface loop) {
      for (Region *region : loop.getLoopRegions())
        for (Block &block : *region)
          hoist(loop, block);
    });
  }

private:
  /// Moves collectives of the block whose operands do not change, and the ops that they need.
  void hoist(LoopLikeOpInterface loop, Block &block) {
    llvm::SetVector<Operation *> invariant, needed;
    for (Operation &op : block) {
      bool canMove = isMovable(&op) && (isSpeculatable(&op) || isa<dist::StepOpInterface>(op));
      bool isInvariant =
          canMove && llvm::all_of(op.getOperands(), [&](Value operand) {
            return loop.isDefinedOutsideOfLoop(operand) || invariant.contains(operand.getDefiningOp());
          });
      if (isInvariant && op.getNumRegions() == 0)
        invariant.insert(&op);
      else if (collectiveOf(&op))
        remarks.missed(&op) << op.getName().getStringRef() << " stays in the loop: an operand changes";
    }
    for (Operation *op : llvm::reverse(invariant.getArrayRef()))
      if (collectiveOf(op) ||
          llvm::any_of(op->getUsers(), [&](Operation *user) { return needed.contains(user); }))
        needed.insert(op);
    for (Operation *op : llvm::reverse(needed.getArrayRef())) {
      if (collectiveOf(op))
        remarks.done(op) << op->getName().getStringRef() << " moves out of the loop";
      loop.moveOutOfLoop(op);
    }
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
