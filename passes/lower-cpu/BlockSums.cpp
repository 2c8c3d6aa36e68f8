// Sums of many addends in blocks: see Passes.td.
#include "passes/lower-cpu/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace proa {
#define GEN_PASS_DEF_BLOCKSUMS
#include "passes/lower-cpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// Whether each result of the op adds something to its accumulator of f32.
bool addsToFloats(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  for (auto [yielded, accumulator] :
       llvm::zip(body.getTerminator()->getOperands(), op.getRegionOutputArgs())) {
    auto sum = yielded.getDefiningOp<arith::AddFOp>();
    if (!sum || !accumulator.getType().isF32() || !accumulator.hasOneUse() ||
        !llvm::is_contained(sum->getOperands(), accumulator))
      return false;
  }
  return true;
}

/// A buffer of the shape of an accumulator, before the op.
Value blockBuffer(OpBuilder &builder, Location location, Value accumulator) {
  auto type = cast<MemRefType>(accumulator.getType());
  SmallVector<Value> dims;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      dims.push_back(memref::DimOp::create(builder, location, accumulator, dim));
  return memref::AllocOp::create(builder, location, MemRefType::get(type.getShape(), type.getElementType()),
                                 dims);
}

/// accumulator += block
void addBlock(OpBuilder &builder, Location location, Value block, Value accumulator) {
  auto rank = cast<MemRefType>(accumulator.getType()).getRank();
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(static_cast<unsigned>(rank)));
  SmallVector<utils::IteratorType> loops(static_cast<size_t>(rank), utils::IteratorType::parallel);
  linalg::GenericOp::create(builder, location, TypeRange(), block, accumulator, maps, loops,
                            [](OpBuilder &body, Location at, ValueRange arguments) {
                              Value sum = arith::AddFOp::create(body, at, arguments[1], arguments[0]);
                              linalg::YieldOp::create(body, at, sum);
                            });
}

struct BlockSums : proa::impl::BlockSumsBase<BlockSums> {
  using BlockSumsBase::BlockSumsBase;

  void runOnOperation() override {
    SmallVector<linalg::GenericOp> sums;
    getOperation()->walk([&](linalg::GenericOp op) { sums.push_back(op); });
    proa::PassRemarks remarks(getArgumentName());
    for (linalg::GenericOp op : sums) {
      SmallVector<int64_t> blocks = tilesOf(op, blockElements),
                           groups = tilesOf(op, blockElements * blockElements);
      if (isWhole(blocks))
        continue;
      remarks.done(op) << "the sum is computed in blocks of " << std::to_string(blockElements) << " terms";
      auto block = divide(whereLong(op, blocks), isWhole(groups) ? blocks : groups);
      if (succeeded(block) && !isWhole(groups))
        block = divide(*block, blocks);
      if (failed(block))
        return signalPassFailure();
    }
  }

private:
  static bool isWhole(ArrayRef<int64_t> tiles) {
    return llvm::all_of(tiles, [](int64_t tile) { return tile == 0; });
  }

  /// The number of iterations of each loop of the op in a block of that many addends; 0 for all of them.
  static SmallVector<int64_t> tilesOf(linalg::GenericOp op, int64_t addends) {
    SmallVector<int64_t> tiles(op.getNumLoops(), 0);
    bool isProduct = op.getNumLoops() > 2 && linalg::isaContractionOpInterface(op);
    if (op.getNumReductionLoops() == 0 || !op.hasPureBufferSemantics() || isProduct || !addsToFloats(op))
      return tiles;
    SmallVector<int64_t> trips = op.getStaticLoopRanges();
    SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
    // The loop over a row is vectorized with several accumulators.
    constexpr int64_t accumulators = 16;
    int64_t left = loops.back() == utils::IteratorType::reduction ? addends * accumulators : addends;
    for (size_t i = loops.size(); i-- > 0;) {
      if (loops[i] != utils::IteratorType::reduction)
        continue;
      // A dynamic row is mostly short.
      bool isShort = ShapedType::isDynamic(trips[i]) ? i + 1 == loops.size() : trips[i] <= left;
      if (!isShort)
        tiles[i] = std::max<int64_t>(left, 1);
      left = isShort && !ShapedType::isDynamic(trips[i]) ? left / std::max<int64_t>(trips[i], 1)
             : isShort                                   ? left
                                                         : 1;
    }
    return tiles;
  }

  /// The op, or a copy of it that runs only if a dynamic loop has more iterations than its block.
  static linalg::GenericOp whereLong(linalg::GenericOp op, ArrayRef<int64_t> tiles) {
    OpBuilder builder(op);
    Location location = op.getLoc();
    Value isLong;
    for (auto [range, tile] :
         llvm::zip(cast<linalg::LinalgOp>(*op).createLoopRanges(builder, location), tiles)) {
      if (tile == 0 || getConstantIntValue(range.size))
        continue;
      Value most = arith::ConstantIndexOp::create(builder, location, tile);
      Value own =
          arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sgt, cast<Value>(range.size), most);
      isLong = isLong ? Value(arith::OrIOp::create(builder, location, isLong, own)) : own;
    }
    if (!isLong)
      return op;
    auto branch = scf::IfOp::create(builder, location, isLong, /*withElseRegion=*/true);
    Operation *blocked = branch.getThenBodyBuilder().clone(*op);
    op->moveBefore(branch.elseBlock()->getTerminator());
    return cast<linalg::GenericOp>(blocked);
  }

  /// Sums each block of the op in a buffer of its own. Returns the sum of a block.
  static FailureOr<linalg::GenericOp> divide(linalg::GenericOp op, ArrayRef<int64_t> tiles) {
    IRRewriter rewriter(op);
    Location location = op.getLoc();
    SmallVector<Value> buffers, accumulators(op.getDpsInits());
    for (Value accumulator : accumulators)
      buffers.push_back(blockBuffer(rewriter, location, accumulator));
    auto tiled = linalg::tileLinalgOp(rewriter, op, linalg::LinalgTilingOptions().setTileSizes(tiles));
    if (failed(tiled))
      return op.emitOpError("cannot be divided into blocks"), failure();
    auto block = cast<linalg::GenericOp>(tiled->op.getOperation());
    rewriter.setInsertionPoint(block);
    Value zero = arith::ConstantOp::create(rewriter, location, rewriter.getF32FloatAttr(0));
    for (Value buffer : buffers)
      linalg::FillOp::create(rewriter, location, zero, buffer);
    for (auto [operand, buffer] : llvm::zip(block.getDpsInitsMutable(), buffers))
      operand.set(buffer);
    rewriter.setInsertionPointAfter(block);
    for (auto [buffer, accumulator] : llvm::zip(buffers, accumulators))
      addBlock(rewriter, location, buffer, accumulator);
    rewriter.eraseOp(op);
    return block;
  }
};

} // namespace
