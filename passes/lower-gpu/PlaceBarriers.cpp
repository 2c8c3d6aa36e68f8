// Barriers between ops whose threads exchange data: see Passes.td.
#include "dialects/proa/Proa.h"
#include "lib/base/support/CountText.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/LinalgElements.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/Prologue.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_PLACEBARRIERS
#include "passes/lower-gpu/Passes.h.inc"

namespace {

/// An access of an op to memory.
struct Access {
  Value root; ///< the buffer or argument below all views
  Value view; ///< the operand itself
  bool writes = false;
  linalg::LinalgOp op; ///< null: all threads access the same elements
  AffineMap map;
};

/// Whether an op of the body reads memory by itself, at indices that it computes.
void addLoads(linalg::LinalgOp op, SmallVectorImpl<Access> &accesses) {
  op->walk([&](memref::LoadOp load) {
    accesses.push_back({rootOf(load.getMemRef()), load.getMemRef(), false, {}, {}});
  });
}

/// Whether the operand is the result of a contraction that its epilogue reads in registers.
bool isInRegisters(linalg::LinalgOp op, OpOperand &operand) {
  if (contractionOf(op))
    return op.isDpsInit(&operand) && epilogueOf(op);
  if (!isFusedWith(op, FusedWith::Result))
    return false;
  for (Operation *writer = op->getPrevNode(); writer; writer = writer->getPrevNode())
    if (auto contraction = dyn_cast<linalg::LinalgOp>(writer);
        contraction && contractionOf(contraction) && epilogueOf(contraction) == op)
      return contraction.getDpsInits()[0] == operand.get();
  return false;
}

/// The accesses of an op; with `inMemory` without those that its code makes in registers.
SmallVector<Access> accessesOf(Operation &op, bool inMemory = true) {
  SmallVector<Access> accesses;
  if (isOnlyPrologue(&op)) // its readers compute what it would write
    return accesses;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()) || (inMemory && isInRegisters(linalgOp, operand)))
        continue;
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      Access access{rootOf(operand.get()), operand.get(), linalgOp.isDpsInit(&operand), linalgOp, map};
      accesses.push_back(access);
    }
    addLoads(linalgOp, accesses);
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    accesses.push_back({rootOf(load.getMemRef()), load.getMemRef(), false, {}, {}});
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    accesses.push_back({rootOf(store.getMemRef()), store.getMemRef(), true, {}, {}});
  } else if (auto update = dyn_cast<memref::AtomicRMWOp>(op)) {
    accesses.push_back({rootOf(update.getMemref()), update.getMemref(), true, {}, {}});
  }
  return accesses;
}

/// Whether thread t accesses the same elements in both: the loops and their distribution are equal.
bool haveSameThreads(const Access &a, const Access &b) {
  if (!a.op || !b.op || a.view != b.view || a.map != b.map || !a.map.isPermutation())
    return false;
  auto haveEqualDistribution = [](linalg::LinalgOp left, linalg::LinalgOp right) {
    if (isFusedWith(left, FusedWith::Result) || isFusedWith(right, FusedWith::Result))
      return false; // an epilogue is distributed as its contraction
    return left.getNumReductionLoops() == 0 && right.getNumReductionLoops() == 0 &&
           LoopsAttr::of(left).getVector() == LoopsAttr::of(right).getVector();
  };
  return haveEqualDistribution(a.op, b.op);
}

bool conflict(const Access &a, const Access &b) {
  return a.root == b.root && (a.writes || b.writes) && !haveSameThreads(a, b);
}

class BarrierPlacer {
public:
  explicit BarrierPlacer(func::FuncOp function) : function(function) {}

  unsigned run() {
    foldFills();
    positionIn(function.getBody().front());
    return barriers;
  }

private:
  func::FuncOp function;
  SmallVector<Access> pending; ///< since the last barrier
  unsigned barriers = 0;

  void addBarrier(OpBuilder builder, Location loc) {
    gpu::BarrierOp::create(builder, loc);
    pending.clear();
    ++barriers;
  }

  bool conflictsWithPending(ArrayRef<Access> accesses) const {
    return llvm::any_of(accesses, [&](const Access &access) {
      return llvm::any_of(pending, [&](const Access &earlier) { return conflict(earlier, access); });
    });
  }

  void positionIn(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        placeInLoop(loop);
        continue;
      }
      auto branch = dyn_cast<scf::IfOp>(op);
      if (branch && dependsOnThread(branch.getCondition())) {
        placeBefore(branch);
        continue;
      }
      if (branch) { // all threads of a block take it, or none does
        SmallVector<Access> before = pending;
        for (Region &region : branch->getRegions())
          for (Block &inner : region)
            positionIn(inner);
        pending.append(before); // the branch may not be taken
        continue;
      }
      if (isa<gpu::BarrierOp>(op)) {
        pending.clear();
        continue;
      }
      addAccesses(&op, accessesOf(op));
    }
  }

  void addAccesses(Operation *op, ArrayRef<Access> accesses) {
    if (conflictsWithPending(accesses))
      addBarrier(OpBuilder(op), op->getLoc());
    pending.append(accesses.begin(), accesses.end());
  }

  static bool dependsOnThread(Value condition) {
    SmallVector<Value> values{condition};
    while (!values.empty())
      if (Operation *op = values.pop_back_val().getDefiningOp()) {
        if (isa<gpu::ThreadIdOp>(op))
          return true;
        llvm::append_range(values, op->getOperands());
      }
    return false;
  }

  /// Only some threads take the branch, and run its ops in order; a barrier inside would wait for the
  /// other threads.
  void placeBefore(scf::IfOp branch) {
    SmallVector<Access> accesses;
    branch->walk([&](Operation *op) { accesses.append(accessesOf(*op)); });
    addAccesses(branch, accesses);
  }

  /// The first ops of an iteration follow the last ones of the iteration before.
  void placeInLoop(scf::ForOp loop) {
    if (!pending.empty())
      addBarrier(OpBuilder(loop), loop.getLoc());
    positionIn(*loop.getBody());
    SmallVector<Access> all;
    loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      all.append(accessesOf(*op));
      return isa<linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    // Other iterations write other elements of the arguments.
    llvm::erase_if(all, [](const Access &access) { return isa<BlockArgument>(access.root); });
    if (conflictsWithPending(all))
      addBarrier(OpBuilder(loop.getBody()->getTerminator()), loop.getLoc());
  }

  /// A fill whose only reader is the reduction that accumulates into it becomes the start of the accumulator.
  void foldFills() {
    SmallVector<linalg::FillOp> fills;
    function.walk([&](linalg::FillOp fill) { fills.push_back(fill); });
    for (linalg::FillOp fill : fills)
      if (auto [reduction, result] = startedBy(fill); reduction) {
        // A complex constant is an array of two attributes, without a type.
        Attribute constant;
        if (!matchPattern(fill.getInputs()[0], m_Constant(&constant)) || !isa<TypedAttr>(constant))
          continue;
        Builder builder(function.getContext());
        SmallVector<Attribute> starts(reduction.getNumDpsInits(), builder.getUnitAttr());
        auto loops = LoopsAttr::of(reduction);
        if (ArrayAttr known = loops.getStarts())
          starts.assign(known.begin(), known.end());
        starts[result] = constant;
        loops.withStarts(builder.getArrayAttr(starts)).setOn(reduction);
        fill.erase();
      }
  }

  /// The reduction after `fill`, in its block, that accumulates into the filled memory before anything else
  /// accesses it.
  static std::pair<linalg::LinalgOp, unsigned> startedBy(linalg::FillOp fill) {
    Value memory = fill.getOutputs()[0], root = rootOf(memory);
    for (Operation *op = fill->getNextNode(); op; op = op->getNextNode()) {
      if (op->getNumRegions() > 0 && !isa<linalg::LinalgOp>(op))
        break;
      SmallVector<Access> accesses = accessesOf(*op, /*inMemory=*/false);
      if (llvm::none_of(accesses, [&](const Access &access) { return access.root == root; }))
        continue;
      auto reduction = dyn_cast<linalg::LinalgOp>(op);
      if (!reduction || reduction.getNumReductionLoops() == 0 ||
          llvm::count_if(accesses, [&](const Access &access) { return access.root == root; }) != 1)
        break;
      for (auto [i, init] : llvm::enumerate(reduction.getDpsInits()))
        if (init == memory)
          return {reduction, i};
      break;
    }
    return {linalg::LinalgOp(), 0};
  }
};

struct PlaceBarriers : impl::PlaceBarriersBase<PlaceBarriers> {
  using PlaceBarriersBase::PlaceBarriersBase;

  void runOnOperation() override {
    if (!hasLaunch(getOperation()) || getOperation().isDeclaration())
      return;
    FailureOr<int64_t> threads = threadsOf(getOperation());
    if (failed(threads))
      return signalPassFailure();
    bool isCorrect = true;
    getOperation().walk([&](linalg::LinalgOp op) { isCorrect &= succeeded(verifyLaunch(op, *threads)); });
    if (!isCorrect)
      return signalPassFailure();
    unsigned barriers = BarrierPlacer(getOperation()).run();
    PassRemarks(getArgumentName()).analysis(getOperation())
        << countText(barriers, "barrier") << " between the threads of a block";
  }
};

} // namespace
} // namespace proa
