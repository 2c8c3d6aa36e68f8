#include "passes/lower-gpu/LaunchForm.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/ReductionForm.h"

using namespace mlir;

namespace proa {

bool hasLaunch(Operation *function) {
  LaunchAttr launch = LaunchAttr::of(function);
  return function->hasAttr(kernelAttribute) && launch && launch.getThreads();
}

FailureOr<int64_t> threadsOf(Operation *function) {
  int64_t threads = *LaunchAttr::of(function).getThreads();
  if (threads % warpSize == 0)
    return threads;
  return function->emitError() << "a block has " << threads << " threads, expected a multiple of "
                               << warpSize;
}

static LogicalResult verifyVector(linalg::LinalgOp op) {
  int64_t vector = LoopsAttr::of(op).getVector().value_or(1);
  if (vector == 1)
    return success();
  if (op.getNumLoops() == 0)
    return op.emitError() << "`vector` is " << vector << ", expected 1 without loops";
  unsigned reductions = op.getNumReductionLoops();
  bool isReduced = isReductionLoop(op, op.getNumLoops() - 1);
  if (reductions > 0 && !isReduced && !Combiner::of(op))
    return op.emitError()
           << "`vector` is " << vector
           << ", expected 1 for a reduction that threads cannot compute together, and whose innermost "
              "loop is not reduced";
  int64_t size = op.getStaticLoopRanges().back();
  bool hasRest = ShapedType::isDynamic(size) || size % vector != 0;
  unsigned sameKind = isReduced ? reductions : op.getNumParallelLoops();
  if (hasRest && sameKind > 1)
    return op.emitError() << "`vector` is " << vector
                          << ", which does not divide the innermost of several loops";
  return success();
}

static LogicalResult verifyGroup(linalg::LinalgOp op, int64_t threads) {
  int64_t group = LoopsAttr::of(op).getGroup().value_or(1);
  bool isColumns = reducesColumns(op) && group >= 1 && threads % group == 0;
  bool isLanes = group >= 1 && group <= warpSize && llvm::isPowerOf2_64(group);
  if (!isColumns && !isLanes && group != threads)
    return op.emitError() << "`group` is " << group
                          << ", expected a power of two up to 32, or the number of threads of a block, "
                          << threads;
  if (group > 1 && (op.getNumReductionLoops() == 0 || !Combiner::of(op)))
    return op.emitError() << "`group` is " << group
                          << ", expected 1 for an op that threads cannot compute together";
  return success();
}

static LogicalResult verifyStarts(linalg::LinalgOp op) {
  ArrayAttr starts = LoopsAttr::of(op).getStarts();
  if (!starts)
    return success();
  bool fits = starts.size() == op.getDpsInits().size() && op.getNumReductionLoops() > 0;
  for (size_t i = 0; fits && i < starts.size(); ++i) {
    auto typed = dyn_cast<TypedAttr>(starts[i]);
    bool isUnit = isa<UnitAttr>(starts[i]);
    fits = isUnit || (typed && typed.getType() == getElementTypeOrSelf(op.getDpsInits()[i].getType()));
  }
  if (fits)
    return success();
  return op.emitError()
         << "`starts` does not fit, expected a constant of the element type, or unit, for each result of a "
            "reduction";
}

LogicalResult verifyLaunch(linalg::LinalgOp op, int64_t threads) {
  if (!op.hasPureBufferSemantics())
    return op.emitError() << "the op is on tensors, expected memory (--proa-bufferize-kernels)";
  bool isCorrect = succeeded(verifyVector(op));
  isCorrect &= succeeded(verifyGroup(op, threads));
  isCorrect &= succeeded(verifyStarts(op));
  return success(isCorrect);
}

} // namespace proa
