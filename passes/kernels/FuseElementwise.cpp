// Elementwise fusion by rules of proa: see Passes.td.
#include "dialects/proa/PatternSets.h"
#include "dialects/proa/Proa.h"
#include "passes/kernels/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace proa {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// Whether the body is so cheap that every consumer may repeat it: it only copies or casts an element.
bool isFree(linalg::LinalgOp op) {
  return llvm::all_of(*op.getBlock(), [](Operation &inner) {
    return inner.hasTrait<OpTrait::IsTerminator>() || isa<CastOpInterface, arith::ConstantOp>(inner);
  });
}

/// Whether the producer makes floats of the integers of a matmul's operand. Tensor cores multiply elements
/// as they are in shared memory.
bool convertsOperand(linalg::GenericOp producer, linalg::GenericOp consumer) {
  auto isConversion = [](Operation &inner) { return isa<arith::SIToFPOp, arith::UIToFPOp>(inner); };
  bool isProduct = consumer.getNumReductionLoops() > 0 && linalg::isaContractionOpInterface(consumer);
  return isProduct && producer.getNumLoops() < consumer.getNumLoops() &&
         llvm::any_of(*producer.getBody(), isConversion);
}

/// Why the producer of the operand is not fused into its consumer; null if it is.
const char *fusionObstacle(linalg::GenericOp producer, linalg::GenericOp consumer) {
  if (convertsOperand(producer, consumer))
    return "a matmul converts integers to floats while it copies them";
  if (isFree(producer))
    return nullptr;
  if (producer.getNumReductionLoops() > 0)
    return "it is a reduction";
  if (!llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == consumer; }))
    return "it has other users and would be computed again";
  if (producer.getNumLoops() != consumer.getNumLoops())
    return "the consumer has another number of loops and would compute it again in the innermost one";
  return nullptr;
}

bool shouldFuse(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return producer && consumer && !fusionObstacle(producer, consumer);
}

bool isGeneric(Operation *op) { return isa_and_nonnull<linalg::GenericOp>(op); }

/// Reshapes between two operations move outwards through one of them. At arguments and results they are views
/// already.
bool shouldMoveReshape(OpOperand *operand) {
  Operation *producer = operand->get().getDefiningOp(), *consumer = operand->getOwner();
  if (!producer || !producer->hasOneUse())
    return false;
  if (isGeneric(consumer))
    return isa<tensor::CollapseShapeOp>(producer) && isGeneric(producer->getOperand(0).getDefiningOp());
  return isa<tensor::ExpandShapeOp>(consumer) && isGeneric(producer) &&
         llvm::any_of(consumer->getUsers(), isGeneric);
}

/// A producer that checks its indices has an effect, so MLIR's fusion leaves it behind. Its consumers have
/// the checks.
struct EraseFusedProducer : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op, PatternRewriter &rewriter) const override {
    if (!op->use_empty())
      return rewriter.notifyMatchFailure(op, "has results that are read");
    rewriter.eraseOp(op);
    return success();
  }
};

/// A loop without iterations leaves its initial values as they are, and needs no tiling.
struct FoldEmptyLoops : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op, PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return rewriter.notifyMatchFailure(op, "has operands in memory");
    if (!llvm::is_contained(op.getStaticLoopRanges(), 0))
      return rewriter.notifyMatchFailure(op, "has no dimension of size 0");
    rewriter.replaceOp(op, llvm::to_vector(op.getDpsInits()));
    return success();
  }
};

void addFusionPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  // First the patterns that find static sizes: one of fusion replaces a cast of an empty tensor by an empty
  // tensor of dynamic sizes, which becomes such a cast again.
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::CastOp::getCanonicalizationPatterns(patterns, context);
  context->getLoadedDialect<tensor::TensorDialect>()->getCanonicalizationPatterns(patterns);
  linalg::populateElementwiseOpsFusionPatterns(patterns, shouldFuse);
  patterns.add<EraseFusedProducer, FoldEmptyLoops>(context);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, shouldMoveReshape);
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  linalg::FillOp::getCanonicalizationPatterns(patterns, context);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
}

struct FuseElementwise : proa::impl::FuseElementwiseBase<FuseElementwise> {
  using FuseElementwiseBase::FuseElementwiseBase;

  LogicalResult initialize(MLIRContext *context) override {
    patterns = proa::PatternSets::get(context, getArgument(), addFusionPatterns);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatternsGreedily(getOperation(), patterns)))
      return signalPassFailure();
    if (proa::PassRemarks::areEnabled(&getContext()))
      report();
  }

  /// Says of each operation that another one still reads why they are two.
  void report() {
    proa::PassRemarks remarks(getArgumentName());
    getOperation().walk([&](linalg::GenericOp consumer) {
      for (Value operand : consumer.getDpsInputs())
        if (auto producer = operand.getDefiningOp<linalg::GenericOp>()) {
          const char *reason = fusionObstacle(producer, consumer);
          remarks.missed(producer) << "the operation is not fused into its consumer: "
                                   << (reason ? reason : "MLIR's fusion does not support their index maps");
        }
    });
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
