// Transposes through vectors: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/lower-cpu/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace proa {
#define GEN_PASS_DEF_TRANSPOSEBLOCKS
#include "passes/lower-cpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

constexpr int64_t blockSize = proa::transposedBlock;

/// Whether vectors of these elements are loaded and stored as they lie in memory.
bool hasVectors(Type element) {
  return element.isInteger(8) || element.isInteger(16) || element.isInteger(32) || element.isInteger(64) ||
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
}

/// The loop that the last dimension of an operand is, if its elements have vectors and lie side by side.
std::optional<unsigned> contiguousLoop(OpOperand &operand) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!type || type.getRank() < 2 || !map.isProjectedPermutation() || map.getNumResults() == 0 ||
      !hasVectors(type.getElementType()))
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return std::nullopt;
  return map.getDimPosition(map.getNumResults() - 1);
}

/// An elementwise op whose result is contiguous along another loop than some of its operands.
struct Transposition {
  linalg::GenericOp op;
  unsigned source = 0, target = 0;   ///< the loops along which the operands and the result are contiguous
  SmallVector<OpOperand *, 1> moved; ///< operands that are contiguous along `source`
  bool isCopy = false;               ///< the result is the only operand, transposed

  /// Null where it is one; else the reason.
  const char *analyze();
};

const char *Transposition::analyze() {
  if (!op.hasPureBufferSemantics() || op.getNumReductionLoops() != 0 || op.getNumDpsInits() != 1)
    return "it is not an elementwise op with one result";
  OpOperand &init = *op.getDpsInitOperand(0);
  std::optional<unsigned> last = contiguousLoop(init);
  if (!last || !op.getMatchingIndexingMap(&init).isPermutation())
    return "its result is not a dense tensor of elements of 8, 16, 32 or 64 bits";
  target = *last;
  for (OpOperand *input : op.getDpsInputOperands()) {
    std::optional<unsigned> loop = contiguousLoop(*input);
    bool hasTarget = loop && op.getMatchingIndexingMap(input).isFunctionOfDim(target);
    if (!hasTarget || *loop == target || (!moved.empty() && *loop != source))
      continue;
    source = *loop;
    moved.push_back(input);
  }
  if (moved.empty())
    return "no operand is transposed";
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned loop : {source, target})
    if (!ShapedType::isDynamic(sizes[loop]) && sizes[loop] < blockSize)
      return "a dimension has fewer than 16 elements";
  auto yielded = dyn_cast<BlockArgument>(op.getBody()->getTerminator()->getOperand(0));
  isCopy = op.getNumDpsInputs() == 1 && yielded && yielded.getArgNumber() == 0;
  return nullptr;
}

using Rows = SmallVector<Value>;

/// For i with (i & distance) == 0: rows i and i + distance become the elements of both that the masks select.
void shuffleRows(OpBuilder &builder, Location loc, Rows &rows, size_t distance, ArrayRef<int64_t> first,
                 ArrayRef<int64_t> second) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i & distance)
      continue;
    Value a = rows[i], b = rows[i + distance];
    rows[i] = vector::ShuffleOp::create(builder, loc, a, b, first);
    rows[i + distance] = vector::ShuffleOp::create(builder, loc, a, b, second);
  }
}

/// Transposes a square: step by step, squares of 1, 2, 4, ... elements beside the diagonal change places.
void transpose(OpBuilder &builder, Location loc, Rows &rows) {
  auto size = static_cast<int64_t>(rows.size());
  for (int64_t distance = 1; distance < size; distance *= 2) {
    SmallVector<int64_t> first, second;
    for (int64_t i = 0; i < size; ++i) {
      first.push_back(i & distance ? size + i - distance : i);
      second.push_back(i & distance ? size + i : i + distance);
    }
    shuffleRows(builder, loc, rows, static_cast<size_t>(distance), first, second);
  }
}

/// Writes the loops of a transposition.
class BlockLoops {
public:
  BlockLoops(Transposition &transposition, int64_t vectorBits)
      : t(transposition), vectorBits(vectorBits), rewriter(t.op), loc(t.op.getLoc()),
        isStatic(!t.op.hasDynamicShape()) {}

  /// Elements of a vector register, at most a block.
  int64_t lanesOf(OpOperand &operand) const {
    return std::clamp<int64_t>(vectorBits / elementOf(operand).getIntOrFloatBitWidth(), 4, blockSize);
  }

  void run() {
    for (Range range : cast<linalg::LinalgOp>(*t.op).createLoopRanges(rewriter, loc))
      sizes.push_back(range.size);
    bool overlaps = t.isCopy && isStatic;
    wholeSource = overlaps ? sizes[t.source] : wholeBlocks(sizes[t.source]);
    wholeTarget = overlaps ? sizes[t.target] : wholeBlocks(sizes[t.target]);
    SmallVector<Value> scratch;
    if (!t.isCopy)
      for (OpOperand *operand : t.moved)
        scratch.push_back(memref::AllocOp::create(
            rewriter, loc, MemRefType::get({blockSize, blockSize}, elementOf(*operand))));
    {
      OpBuilder::InsertionGuard guard(rewriter);
      openLoops();
      if (t.isCopy)
        copyBlock();
      else
        computeBlock(scratch);
    }
    if (!overlaps)
      computeRests();
    rewriter.eraseOp(t.op);
  }

private:
  Transposition &t;
  int64_t vectorBits;
  IRRewriter rewriter;
  Location loc;
  bool isStatic;
  SmallVector<OpFoldResult> sizes; ///< of the loops
  OpFoldResult wholeSource, wholeTarget;
  SmallVector<Value> offsets; ///< of a block

  static Type elementOf(OpOperand &operand) {
    return cast<MemRefType>(operand.get().getType()).getElementType();
  }

  OpFoldResult wholeBlocks(OpFoldResult size) {
    AffineExpr d0 = rewriter.getAffineDimExpr(0);
    return affine::makeComposedFoldedAffineApply(rewriter, loc, d0.floorDiv(blockSize) * blockSize, {size});
  }

  OpFoldResult added(Value index, int64_t offset) {
    AffineExpr d0 = rewriter.getAffineDimExpr(0);
    return affine::makeComposedFoldedAffineApply(rewriter, loc, d0 + offset, {OpFoldResult(index)});
  }

  /// The last block begins earlier where a copy has no whole one there.
  Value bounded(Value index, OpFoldResult size) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    if (!constant || *constant % blockSize == 0)
      return index;
    AffineExpr d0 = rewriter.getAffineDimExpr(0);
    AffineMap map = AffineMap::get(1, 0, {d0, rewriter.getAffineConstantExpr(*constant - blockSize)},
                                   rewriter.getContext());
    return getValueOrCreateConstantIndexOp(
        rewriter, loc, affine::makeComposedFoldedAffineMin(rewriter, loc, map, {OpFoldResult(index)}));
  }

  Value openLoop(OpFoldResult size, int64_t step) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    if (getConstantIntValue(size) == step)
      return constant(0);
    Value end = getValueOrCreateConstantIndexOp(rewriter, loc, size);
    auto loop = scf::ForOp::create(rewriter, loc, constant(0), end, constant(step));
    rewriter.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  /// One element of the other loops is a plane. The inner loop runs along the result's memory: a block of
  /// columns of an operand is read once, and whole lines of the result are written.
  void openLoops() {
    offsets.resize(sizes.size());
    for (unsigned loop = 0; loop < sizes.size(); ++loop)
      if (loop != t.source && loop != t.target)
        offsets[loop] = openLoop(sizes[loop], 1);
    offsets[t.source] = openLoop(wholeSource, blockSize);
    offsets[t.target] = openLoop(wholeTarget, blockSize);
    offsets[t.source] = bounded(offsets[t.source], wholeSource);
    offsets[t.target] = bounded(offsets[t.target], wholeTarget);
  }

  /// The indices of an element of the block.
  SmallVector<Value> indices(OpOperand &operand, int64_t source, int64_t column) {
    SmallVector<Value> result;
    for (AffineExpr expression : t.op.getMatchingIndexingMap(&operand).getResults()) {
      unsigned loop = cast<AffineDimExpr>(expression).getPosition();
      int64_t index = loop == t.source ? source : loop == t.target ? column : 0;
      result.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, added(offsets[loop], index)));
    }
    return result;
  }

  /// Transposes the block of an operand, in squares that fit the registers. `store` gets rows of such a
  /// square, with the positions of the first one along `source` and `target`.
  void transposeBlock(OpOperand &operand, function_ref<void(Value, int64_t, int64_t)> store) {
    int64_t lanes = lanesOf(operand);
    auto type = VectorType::get(lanes, elementOf(operand));
    for (int64_t source = 0; source < blockSize; source += lanes)
      for (int64_t target = 0; target < blockSize; target += lanes) {
        Rows rows;
        for (int64_t i = 0; i < lanes; ++i)
          rows.push_back(vector::LoadOp::create(rewriter, loc, type, operand.get(),
                                                indices(operand, source, target + i)));
        transpose(rewriter, loc, rows);
        for (auto [i, row] : llvm::enumerate(rows))
          store(row, source + static_cast<int64_t>(i), target);
      }
  }

  void copyBlock() {
    OpOperand &init = *t.op.getDpsInitOperand(0);
    transposeBlock(*t.moved.front(), [&](Value row, int64_t source, int64_t target) {
      vector::StoreOp::create(rewriter, loc, row, init.get(), indices(init, source, target));
    });
  }

  /// Transposes the operands into buffers of one block, and computes the block of the result from them.
  void computeBlock(ArrayRef<Value> scratch) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    for (auto [operand, buffer] : llvm::zip(t.moved, scratch))
      transposeBlock(*operand, [&, buffer = buffer](Value row, int64_t source, int64_t target) {
        vector::StoreOp::create(rewriter, loc, row, buffer, ValueRange{constant(source), constant(target)});
      });
    SmallVector<OpFoldResult> begin(offsets.begin(), offsets.end()),
        counts(sizes.size(), rewriter.getIndexAttr(1));
    counts[t.source] = counts[t.target] = rewriter.getIndexAttr(blockSize);
    linalg::GenericOp block = slice(begin, counts);
    SmallVector<AffineMap> maps = block.getIndexingMapsArray();
    for (auto [operand, buffer] : llvm::zip(t.moved, scratch)) {
      unsigned index = operand->getOperandNumber();
      maps[index] = AffineMap::get(block.getNumLoops(), 0,
                                   {rewriter.getAffineDimExpr(t.source), rewriter.getAffineDimExpr(t.target)},
                                   rewriter.getContext());
      block->setOperand(index, buffer);
    }
    block.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  }

  /// The op on a range of its loops.
  linalg::GenericOp slice(ArrayRef<OpFoldResult> begin, ArrayRef<OpFoldResult> counts) {
    auto tiled = cast<TilingInterface>(*t.op).getTiledImplementation(rewriter, begin, counts);
    assert(succeeded(tiled) && "a generic op can be sliced");
    return cast<linalg::GenericOp>(tiled->tiledOps.front());
  }

  /// Computes the elements that are in no whole block.
  void computeRests() {
    OpFoldResult zero = rewriter.getIndexAttr(0);
    AffineExpr d0 = rewriter.getAffineDimExpr(0), d1 = rewriter.getAffineDimExpr(1);
    auto rest = [&](unsigned loop, OpFoldResult whole, ArrayRef<OpFoldResult> allCounts) {
      OpFoldResult count =
          affine::makeComposedFoldedAffineApply(rewriter, loc, d0 - d1, {sizes[loop], whole});
      if (getConstantIntValue(count) == 0)
        return;
      SmallVector<OpFoldResult> begin(sizes.size(), zero), counts(allCounts);
      begin[loop] = whole;
      counts[loop] = count;
      slice(begin, counts);
    };
    SmallVector<OpFoldResult> counts(sizes);
    rest(t.source, wholeSource, counts);
    counts[t.source] = wholeSource;
    rest(t.target, wholeTarget, counts);
  }
};

struct TransposeBlocks : proa::impl::TransposeBlocksBase<TransposeBlocks> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation()->walk([&](linalg::GenericOp op) { ops.push_back(op); });
    proa::PassRemarks remarks(getArgumentName());
    int64_t vectorBits = proa::targetOf(getOperation()).cpu.vectorBits;
    for (linalg::GenericOp op : ops) {
      Transposition transposition{op};
      if (const char *reason = transposition.analyze()) {
        remarks.missed(op) << "not computed in transposed blocks: " << reason;
        continue;
      }
      BlockLoops loops(transposition, vectorBits);
      remarks.done(op) << "computed in blocks of 16 x 16 elements, transposed in vectors of "
                       << std::to_string(loops.lanesOf(*transposition.moved.front()));
      loops.run();
    }
  }
};

} // namespace
