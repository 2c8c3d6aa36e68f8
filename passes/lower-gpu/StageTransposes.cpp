// Transposed operands by way of shared memory: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/SizeBounds.h"
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/LinalgElements.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_STAGETRANSPOSES
#include "passes/lower-gpu/Passes.h.inc"

namespace {

bool isArgument(Value memory) { return isa<BlockArgument>(rootOf(memory)); }

/// Elements of a row in shared memory, `elements` with padding: adjacent rows begin in other banks, so
/// that lanes that read a column do not wait for each other.
int64_t paddedElements(int64_t elements, int64_t bytes) {
  constexpr int64_t bank = 4;
  int64_t period = std::max(2 * bank, 2 * bytes), offset = std::max(bank, bytes);
  while (elements * bytes % period != offset)
    ++elements;
  return elements;
}

class TransposeStager {
public:
  TransposeStager(linalg::LinalgOp op, OpBuilder &b) : op(op), b(b), loc(op.getLoc()) {}

  /// Whether an operand was staged.
  bool run() {
    bool isStaged = false;
    if (op.getNumReductionLoops() > 0 || op.getNumLoops() < 2 || !op.hasPureBufferSemantics())
      return false;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (std::optional<SmallVector<int64_t>> dims = tileOf(*operand)) {
        bytesLeft -= stage(*operand, *dims);
        isStaged = true;
      }
    if (isStaged)
      LoopsAttr::of(op).withVector(vectorOf(op)).setOn(op);
    return isStaged;
  }

private:
  linalg::LinalgOp op;
  OpBuilder &b;
  Location loc;
  int64_t bytesLeft = 48 << 10; ///< of shared memory, so that several blocks are resident

  /// The dims of the largest tile of an operand that should be staged: it is contiguous along another loop
  /// than the innermost one.
  std::optional<SmallVector<int64_t>> tileOf(OpOperand &operand) {
    constexpr int64_t leastRun = 8;
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || !map.isProjectedPermutation() || map.getNumResults() < 2 || !type.isLastDimUnitStride() ||
        !type.getElementType().isIntOrFloat() || !isArgument(operand.get()))
      return std::nullopt;
    unsigned innermost = op.getNumLoops() - 1;
    std::optional<unsigned> column = map.getResultPosition(b.getAffineDimExpr(innermost));
    if (!column || *column == map.getNumResults() - 1)
      return std::nullopt;
    SmallVector<int64_t> dims;
    int64_t bytes = elementBytes(type);
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
      std::optional<int64_t> bound = largestSize(operand.get(), static_cast<int64_t>(dim));
      if (!bound || *bound > bytesLeft)
        return std::nullopt;
      dims.push_back(*bound);
      bytes *= *bound;
    }
    if (bytes > bytesLeft || dims.back() * dims[*column] < leastRun * leastRun)
      return std::nullopt;
    return dims;
  }

  static int64_t elementBytes(MemRefType type) {
    return static_cast<int64_t>(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
  }

  /// Elements that a thread reads or writes at once. Single ones of 32 bits and more fill accesses of a warp;
  /// narrower ones need as many accesses for less memory, so that a thread has 16 bytes of them.
  static int64_t vectorOf(linalg::LinalgOp op) {
    constexpr int64_t mostBits = 16, mostOps = 32; // ops of a body that is copied for each element
    int64_t vector = 0;
    if (static_cast<int64_t>(op.getBlock()->getOperations().size()) > mostOps)
      return 1;
    AffineExpr innermost = getAffineDimExpr(op.getNumLoops() - 1, op.getContext());
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type || !map.isFunctionOfDim(op.getNumLoops() - 1) || !isArgument(operand.get()))
        continue; // equal for all elements, or in shared memory
      bool isNarrow = type.getElementType().isIntOrFloat() && type.getElementTypeBitWidth() <= mostBits;
      if (!isNarrow || map.getResults().back() != innermost || type.isDynamicDim(type.getRank() - 1))
        return 1;
      Builder b(op.getContext());
      int64_t own = chunkElements(operand.get(), b.getIndexAttr(type.getShape().back()));
      vector = vector == 0 ? own : std::min(vector, own);
    }
    return std::max<int64_t>(vector, 1);
  }

  /// Copies the operand to shared memory in the order of its memory, and lets the op read that. Returns the
  /// bytes.
  int64_t stage(OpOperand &operand, ArrayRef<int64_t> dims) {
    auto type = cast<MemRefType>(operand.get().getType());
    auto kernel = op->getParentOfType<func::FuncOp>();
    SmallVector<int64_t> padded(dims);
    padded.back() = paddedElements(padded.back(), elementBytes(type));
    b.setInsertionPointToStart(&kernel.getBody().front());
    Value tile = memref::AllocOp::create(b, loc, MemRefType::get(padded, type.getElementType()));
    b.setInsertionPoint(op);
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, operand.get());
    SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)), ones(sizes.size(), b.getIndexAttr(1));
    Value view = memref::SubViewOp::create(b, loc, tile, zeros, sizes, ones);
    auto rank = static_cast<unsigned>(type.getRank());
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    auto copy = linalg::GenericOp::create(b, loc, TypeRange(), operand.get(), view, maps, loops,
                                          [](OpBuilder &body, Location at, ValueRange values) {
                                            linalg::YieldOp::create(body, at, values[0]);
                                          });
    LoopsAttr::of(copy).withVector(vectorOf(copy)).setOn(copy);
    operand.set(view);
    int64_t bytes = elementBytes(type);
    for (int64_t dim : padded)
      bytes *= dim;
    return bytes;
  }
};

struct StageTransposes : impl::StageTransposesBase<StageTransposes> {
  using StageTransposesBase::StageTransposesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(kernelAttribute) || function.isDeclaration())
      return;
    SmallVector<linalg::LinalgOp> ops;
    function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    OpBuilder builder(&getContext());
    for (linalg::LinalgOp op : ops)
      if (TransposeStager(op, builder).run())
        PassRemarks(getArgumentName()).done(op) << "a transposed operand goes through shared memory, "
                                                   "so that all accesses of memory are contiguous";
  }
};

} // namespace
} // namespace proa
