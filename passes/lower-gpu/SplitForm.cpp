#include "passes/lower-gpu/SplitForm.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/SizeBounds.h"
#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/LinalgElements.h"
#include "passes/lower-gpu/ReductionForm.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <numeric>

using namespace mlir;

namespace proa {
namespace {

/// The largest size of a loop, as far as it is known.
double sizeOf(linalg::LinalgOp op, unsigned loop) {
  if (int64_t size = op.getStaticLoopRanges()[loop]; !ShapedType::isDynamic(size))
    return static_cast<double>(size);
  AffineExpr own = getAffineDimExpr(loop, op.getContext());
  for (OpOperand &operand : op->getOpOperands())
    for (auto [dim, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expression == own)
        if (auto bound = largestSize(operand.get(), static_cast<int64_t>(dim)))
          return static_cast<double>(*bound);
  return static_cast<double>(gpuOf(op).assumedDim);
}

class SplitFinder {
public:
  explicit SplitFinder(func::FuncOp function) : function(function) {}

  std::optional<ReductionSplit> run(const char *&obstacle) {
    this->obstacle = &obstacle;
    if (!findBody() || !readOps() || !chooseClass() || !assignPhases())
      return std::nullopt;
    return std::move(split);
  }

private:
  /// A loop of an op, by its index in `ops`.
  using Loop = std::pair<size_t, unsigned>;

  func::FuncOp function;
  const char **obstacle = nullptr;
  ReductionSplit split;
  SmallVector<linalg::LinalgOp> ops;
  llvm::EquivalenceClasses<Loop> classes; ///< of loops that run over one dimension of a buffer
  Loop leader;                            ///< of the split class

  bool refuse(const char *why) {
    *obstacle = why;
    return false;
  }

  bool findBody() {
    auto loops = function.getBody().front().getOps<scf::ForOp>();
    size_t count = std::distance(loops.begin(), loops.end());
    if (count > 1)
      return refuse("it has several loops over rows");
    if (count == 1)
      split.rows = *loops.begin();
    return true;
  }

  /// The linalg ops of a row, and the dimensions of buffers that their loops share.
  bool readOps() {
    for (Operation &op : split.body(function).without_terminator()) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        ops.push_back(linalgOp);
      else if (!isa<memref::AllocOp>(op) && !isMemoryEffectFree(&op))
        return refuse("it has memory accesses outside of loops");
    }
    llvm::DenseMap<std::pair<Value, unsigned>, Loop> firstUse; // by buffer and dimension
    llvm::DenseMap<Value, Value> viewOf;                       // by local buffer
    for (auto [i, op] : llvm::enumerate(ops))
      for (OpOperand &operand : op->getOpOperands()) {
        Value memory = operand.get();
        if (!isa<MemRefType>(memory.getType()) || isa<BlockArgument>(rootOf(memory)))
          continue; // all of an argument is in memory
        if (viewOf.try_emplace(rootOf(memory), memory).first->second != memory)
          return refuse("its ops see a scratch buffer under several shapes");
        AffineMap map = op.getMatchingIndexingMap(&operand);
        for (auto [dim, expression] : llvm::enumerate(map.getResults())) {
          auto loop = dyn_cast<AffineDimExpr>(expression);
          if (!loop)
            continue;
          Loop own(i, loop.getPosition());
          classes.insert(own);
          auto [entry, isNew] = firstUse.try_emplace({memory, static_cast<unsigned>(dim)}, own);
          if (!isNew)
            classes.unionSets(entry->second, own);
        }
      }
    return true;
  }

  bool isInClass(Loop loop, Loop of) const { return loop == of || classes.isEquivalent(loop, of); }

  /// The longest reduced dimension.
  bool chooseClass() {
    double longest = 1;
    bool isFound = false;
    for (auto [i, op] : llvm::enumerate(ops))
      for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
        if (double size = sizeOf(op, loop); isReductionLoop(op, loop) && size > longest) {
          longest = size;
          leader = Loop(i, loop);
          split.size = op.getStaticLoopRanges()[loop];
          isFound = true;
        }
    return isFound || refuse("it has no reduction of several elements");
  }

  /// The loop of op `i` over the split dimension; nothing, after `refuse`, if it has several.
  bool describe(size_t i, SplitOp &described) {
    linalg::LinalgOp op = ops[i];
    described.op = op;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      if (!isInClass(Loop(i, loop), leader))
        continue;
      if (described.loop)
        return refuse("an op has several loops over the dimension that is reduced");
      described.loop = loop;
      described.isReduced = isReductionLoop(op, loop);
    }
    if (!described.loop)
      return true;
    AffineExpr own = getAffineDimExpr(*described.loop, op.getContext());
    for (AffineMap map : op.getIndexingMapsArray())
      for (AffineExpr result : map.getResults())
        if (result != own && result.isFunctionOfDim(*described.loop))
          return refuse("an op reads the dimension that is reduced at computed indices");
    if (described.isReduced && (!Combiner::of(op) || !llvm::all_of(op.getDpsInits(), hasKnownSlice)))
      return refuse("the reduction has no form for several threads");
    return true;
  }

  /// Whether a partial result has at most a known number of elements: the elements of a whole tile.
  static bool hasKnownSlice(Value memory) {
    return cast<MemRefType>(memory.getType()).hasStaticShape() || memory.getDefiningOp<memref::SubViewOp>() ||
           memory.getDefiningOp<memref::ReinterpretCastOp>();
  }

  bool assignPhases() {
    llvm::SmallPtrSet<Value, 8> results;       // roots that the reductions write
    llvm::SmallPtrSet<Value, 8> secondTouched; // roots that the second phase accesses
    SmallVector<SplitOp> described(ops.size());
    for (size_t i = 0; i < ops.size(); ++i) {
      if (!describe(i, described[i]))
        return false;
      if (described[i].isReduced)
        for (Value init : ops[i].getDpsInits())
          results.insert(rootOf(init));
    }
    for (auto &[op, loop, isReduced] : described) {
      bool readsResult = false, writesResult = false, isBehindSecond = false;
      op->walk([&](memref::LoadOp load) { readsResult |= results.contains(rootOf(load.getMemRef())); });
      for (OpOperand &operand : op->getOpOperands()) {
        if (!isa<MemRefType>(operand.get().getType()))
          continue;
        Value root = rootOf(operand.get());
        bool isInit = op.isDpsInit(&operand);
        (isInit ? writesResult : readsResult) |= results.contains(root);
        isBehindSecond |= isInit && secondTouched.contains(root);
      }
      if (isReduced) {
        if (readsResult)
          return refuse("a reduction reads the result of another one");
        split.first.push_back({op, loop, isReduced});
        split.second.push_back(op);
        double elements = 1;
        for (unsigned own = 0; own < op.getNumLoops(); ++own)
          elements *= sizeOf(op, own);
        ContractionAttr contraction = contractionOf(op);
        if (contraction && *loop < contraction.getTile().size())
          split.unit = std::lcm(split.unit, contraction.getTile()[*loop]);
        split.elementsOfRow = std::max(split.elementsOfRow, elements);
        continue;
      }
      if (readsResult || writesResult) {
        if (loop)
          return refuse("elements are read again after the reduction");
        for (OpOperand &operand : op->getOpOperands())
          if (isa<MemRefType>(operand.get().getType())) {
            secondTouched.insert(rootOf(operand.get()));
            if (op.isDpsInit(&operand))
              results.insert(rootOf(operand.get()));
          }
        split.second.push_back(op);
        continue;
      }
      if (isBehindSecond)
        return refuse("a buffer is written again after the reduction");
      if (!loop && op.getNumReductionLoops() > 0)
        return refuse("it has another reduction, which each block would repeat");
      split.first.push_back({op, loop, isReduced});
    }
    return true;
  }
};

} // namespace

std::optional<ReductionSplit> ReductionSplit::find(func::FuncOp function, const char *&obstacle) {
  return SplitFinder(function).run(obstacle);
}

int64_t elementsOfSlice(const ReductionSplit &split, int64_t slices) {
  int64_t least = llvm::divideCeil(split.size, slices);
  auto whole = static_cast<int64_t>(llvm::alignTo(least, split.unit));
  return whole * (slices - 1) < split.size ? whole : least;
}

Block &ReductionSplit::body(func::FuncOp function) const {
  scf::ForOp loop = rows;
  return loop ? *loop.getBody() : function.getBody().front();
}

FailureOr<std::optional<int64_t>> sharingBlocksOf(func::FuncOp kernel) {
  std::optional<int64_t> blocks;
  WalkResult walked = kernel.walk([&](linalg::LinalgOp op) -> WalkResult {
    ContractionAttr contraction = contractionOf(op);
    if (!contraction || !contraction.getSplitK() || contraction.getSplitK() == blocks)
      return WalkResult::advance();
    if (blocks)
      return op.emitError() << "`split_k` is " << *contraction.getSplitK() << ", expected " << *blocks
                            << " as in another contraction of the kernel";
    blocks = contraction.getSplitK();
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  LaunchAttr launch = LaunchAttr::of(kernel);
  return blocks || !launch ? blocks : launch.getRowBlocks();
}

void setSharingBlocks(func::FuncOp kernel, const ReductionSplit &split, int64_t blocks) {
  bool isOfContraction = false;
  for (const SplitOp &own : split.first)
    if (ContractionAttr contraction = contractionOf(own.op)) {
      linalg::LinalgOp(own.op)->setAttr(contractionAttribute, contraction.withSplitK(blocks));
      isOfContraction = true;
    }
  if (!isOfContraction)
    LaunchAttr::orEmpty(kernel).withRowBlocks(blocks).setOn(kernel);
}

} // namespace proa
