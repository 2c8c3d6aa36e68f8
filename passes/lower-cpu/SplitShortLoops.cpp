// Short loops without masks: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/lower-cpu/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

#include "llvm/ADT/bit.h"

namespace proa {
#define GEN_PASS_DEF_SPLITSHORTLOOPS
#include "passes/lower-cpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// LLVM's vectorizer computes loops of fewer iterations with masks.
constexpr int64_t fewestWithoutMasks = 16;
/// The sum of a longer row takes longer in pieces: each piece adds the elements of a vector.
constexpr int64_t longestSplitReduction = 31;
constexpr int64_t longestSplit = 256;
/// Operations of an unrolled loop, at most.
constexpr int64_t mostOperations = 1024;
/// Operations that compute exp, tanh, ...
constexpr int64_t functionOperations = 30;

/// An innermost loop with a constant trip count.
struct ShortLoop {
  scf::ForOp op;
  int64_t begin = 0, step = 1, count = 0; ///< of iterations
  int64_t elementBits = 0;                ///< of the largest element that is loaded or stored
  int64_t operations = 0;
  bool reduces = false; ///< it stores to the same place in each iteration
  bool strides = false; ///< it moves elements that do not lie side by side

  /// Empty: the vectorizer cannot compute the loop, or its trip count is not known.
  static std::optional<ShortLoop> of(scf::ForOp op) {
    auto begin = getConstantIntValue(op.getLowerBound()), end = getConstantIntValue(op.getUpperBound()),
         step = getConstantIntValue(op.getStep());
    if (!begin || !end || !step || *begin >= *end)
      return std::nullopt;
    ShortLoop loop{op, *begin, *step, llvm::divideCeilSigned(*end - *begin, *step)};
    loop.reduces = op.getNumRegionIterArgs() > 0;
    for (Operation &inner : op.getBody()->without_terminator())
      if (!loop.add(inner))
        return std::nullopt;
    return loop.elementBits > 0 ? std::optional(loop) : std::nullopt;
  }

private:
  bool add(Operation &inner) {
    if (inner.getNumRegions() > 0 || llvm::any_of(inner.getOperandTypes(), llvm::IsaPred<VectorType>) ||
        llvm::any_of(inner.getResultTypes(), llvm::IsaPred<VectorType>))
      return false;
    operations += isa<math::MathDialect>(inner.getDialect()) ? functionOperations : 1;
    Type element;
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      element = load.getType();
      strides |= areApart(load.getMemRefType(), load.getIndices());
    }
    if (auto store = dyn_cast<memref::StoreOp>(inner)) {
      element = store.getValueToStore().getType();
      reduces |=
          llvm::all_of(store.getIndices(), [&](Value index) { return op.isDefinedOutsideOfLoop(index); });
      strides |= areApart(store.getMemRefType(), store.getIndices());
    }
    if (element)
      elementBits =
          std::max<int64_t>(elementBits, element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64);
    return true;
  }

  /// Whether the elements of neighbouring iterations may lie apart.
  bool areApart(MemRefType type, ValueRange indices) {
    auto isOutside = [&](Value index) { return op.isDefinedOutsideOfLoop(index); };
    return !llvm::all_of(indices, isOutside) &&
           (!type.isLastDimUnitStride() || !llvm::all_of(indices.drop_back(), isOutside));
  }
};

struct SplitShortLoops : proa::impl::SplitShortLoopsBase<SplitShortLoops> {
  /// Ends of the pieces of `count` iterations: whole vectors of `lanes`, then half of one, and so on.
  static SmallVector<int64_t> endsOfPieces(int64_t count, int64_t lanes) {
    SmallVector<int64_t> ends;
    int64_t begin = 0;
    for (int64_t piece = std::min<int64_t>(lanes, llvm::bit_floor<uint64_t>(count)); begin < count;
         piece /= 2)
      if (int64_t own = (count - begin) / piece * piece)
        ends.push_back(begin += own);
    return ends;
  }

  static void split(const ShortLoop &loop, ArrayRef<int64_t> ends) {
    scf::ForOp whole = loop.op;
    OpBuilder builder(whole);
    auto at = [&](int64_t iteration) -> Value {
      return arith::ConstantIndexOp::create(builder, whole.getLoc(), loop.begin + iteration * loop.step);
    };
    SmallVector<Value> carried(whole.getInits());
    scf::ForOp last;
    int64_t begin = 0;
    for (int64_t end : ends) {
      Value lower = at(begin), upper = at(end);
      last = cast<scf::ForOp>(builder.clone(*whole));
      last.setLowerBound(lower);
      last.setUpperBound(upper);
      last.getInitArgsMutable().assign(carried);
      carried.assign(last->result_begin(), last->result_end());
      begin = end;
    }
    whole.replaceAllUsesWith(carried);
    whole.erase();
    // Other pieces have two iterations or more.
    (void)loopUnrollFull(last);
  }

  static void run(const ShortLoop &loop, int64_t vectorBits, proa::PassRemarks &remarks) {
    int64_t lanes = std::max<int64_t>(1, vectorBits / std::max<int64_t>(8, loop.elementBits));
    SmallVector<int64_t> ends = endsOfPieces(loop.count, lanes);
    if (ends.size() < 2)
      return;
    if (loop.count < fewestWithoutMasks && loop.count * loop.operations <= mostOperations) {
      remarks.done(loop.op) << "unrolled: " << std::to_string(loop.count) << " iterations";
      (void)loopUnrollFull(loop.op);
      return;
    }
    if (loop.strides) {
      remarks.missed(loop.op) << "not split: its elements do not lie side by side";
      return;
    }
    if (loop.count > (loop.reduces ? longestSplitReduction : longestSplit)) {
      remarks.missed(loop.op) << "not split: it has " << std::to_string(loop.count) << " iterations";
      return;
    }
    remarks.done(loop.op) << "split into " << std::to_string(ends.size()) << " pieces for vectors of "
                          << std::to_string(lanes) << " elements";
    split(loop, ends);
  }

  void runOnOperation() override {
    const proa::CpuFacts &cpu = proa::targetOf(getOperation()).cpu;
    // A masked store is worth it if it takes no longer than two accesses of all 32-bit elements.
    if (cpu.maskedStoreCost <= 2 * cpu.accessCost * cpu.vectorBits / 32)
      return;
    // Inner loops first: a loop around an unrolled one is an innermost loop.
    SmallVector<scf::ForOp> loops;
    getOperation()->walk<WalkOrder::PostOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
    proa::PassRemarks remarks(getArgumentName());
    for (scf::ForOp op : loops)
      if (std::optional<ShortLoop> loop = ShortLoop::of(op))
        run(*loop, cpu.vectorBits, remarks);
  }
};

} // namespace
