//! pd-canonicalize: MLIR's canonicalization without patterns that compute with conditions.
#include "dialects/dist/Dist.h"
#include "dialects/proa/PatternSets.h"
#include "dialects/proa/Proa.h"
#include "passes/normalize/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CANONICALIZEPROGRAM
#include "passes/normalize/Passes.h.inc"

namespace {

/// The patterns of all loaded dialects and ops but the patterns of scf.if.
void addProgramPatterns(RewritePatternSet &patterns) {
  PatternSets::addCanonicalization(patterns, [](RegisteredOperationName op) {
    return op.getStringRef() != scf::IfOp::getOperationName();
  });
  populateRegionBranchOpInterfaceCanonicalizationPatterns(patterns, scf::IfOp::getOperationName());
}

/// MLIR's patterns replace loops and branches by ones with fewer results, which get all attributes or none.
class KeepShardings : public RewriterBase::Listener {
public:
  void notifyOperationReplaced(Operation *op, ValueRange replacement) override {
    auto shardings = op->getAttrOfType<ArrayAttr>(dist::shardingsAttribute);
    if (!shardings || shardings.size() != replacement.size())
      return;
    llvm::MapVector<Operation *, SmallVector<Attribute>> changed;
    for (auto [sharding, value] : llvm::zip(shardings, replacement)) {
      auto result = dyn_cast_if_present<OpResult>(value);
      if (!result || result.getOwner()->getName() != op->getName())
        continue;
      SmallVector<Attribute> &own = changed[result.getOwner()];
      own.resize(result.getOwner()->getNumResults(), UnitAttr::get(op->getContext()));
      own[result.getResultNumber()] = sharding;
    }
    for (auto &[created, own] : changed)
      created->setDiscardableAttr(dist::shardingsAttribute, ArrayAttr::get(op->getContext(), own));
  }
};

class CanonicalizeProgramPass : public impl::CanonicalizeProgramBase<CanonicalizeProgramPass> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    patterns = PatternSets::get(context, getArgument(), addProgramPatterns);
    return success();
  }

  void runOnOperation() override {
    // Canonicalization is best effort, as in MLIR: not to converge is not an error.
    KeepShardings listener;
    (void)applyPatternsGreedily(getOperation(), patterns, GreedyRewriteConfig().setListener(&listener));
    // The listener does not see an op that takes the place of no result.
    getOperation()->walk([](Operation *op) {
      if (op->getNumResults() == 0)
        op->removeDiscardableAttr(dist::shardingsAttribute);
    });
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace proa
