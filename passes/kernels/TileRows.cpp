// Destinations and the loop over rows: see Passes.td.
#include "passes/kernels/DimensionClasses.h"
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/KernelSignature.h"
#include "passes/kernels/Passes.h"
#include "passes/kernels/RowSpace.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace proa {
#define GEN_PASS_DEF_TILEROWS
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// `destination` under the shape of the value that `reshapes` (from the result inwards) started from.
Value reshapeDestination(OpBuilder &builder, Location loc, Value destination,
                         ArrayRef<Operation *> reshapes) {
  for (Operation *op : reshapes) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      destination =
          memref::CollapseShapeOp::create(builder, loc, destination, expand.getReassociationIndices());
      continue;
    }
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    RankedTensorType type = collapse.getSrcType();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, collapse.getSrc());
    destination =
        memref::ExpandShapeOp::create(builder, loc, MemRefType::get(type.getShape(), type.getElementType()),
                                      destination, collapse.getReassociationIndices(), sizes);
  }
  return destination;
}

/// Builds the loop over rows and moves the operations into it that each row needs.
class RowTiler {
public:
  RowTiler(func::FuncOp function, const proa::RowSpace &space)
      : function(function), space(space), rewriter(function.getContext()), loc(function.getLoc()) {}

  /// Returns the number of tiled operations.
  unsigned run() {
    proa::KernelSignature signature = proa::changeSignature(function);
    Operation *terminator = function.getBody().front().getTerminator();
    SmallVector<Value> results(terminator->getOperands());
    terminator->setOperands({});
    rewriter.setInsertionPoint(terminator);
    SmallVector<Value> roots;
    for (auto [i, result] : llvm::enumerate(results)) {
      SmallVector<Operation *> reshapes;
      roots.push_back(proa::peelReshapes(result, reshapes));
      destinations.push_back(reshapeDestination(rewriter, loc, signature.destinations[i], reshapes));
    }
    if (space.tiles.empty()) {
      for (auto [root, destination] : llvm::zip(roots, destinations))
        store(root, destination);
      return 0;
    }
    buildLoop(signature, roots);
    return pullProducers();
  }

private:
  func::FuncOp function;
  const proa::RowSpace &space;
  IRRewriter rewriter;
  Location loc;
  SmallVector<Value> destinations;
  scf::ForOp loop;
  unsigned splitRows = 0; ///< row dimensions of more than one tile

  void store(Value tensor, Value destination) {
    bufferization::MaterializeInDestinationOp::create(rewriter, loc, Type(), tensor, destination,
                                                      /*restrict=*/true,
                                                      /*writable=*/true);
  }

  /// Offset and size of the row's tile in each row dimension.
  void rowTile(SmallVectorImpl<OpFoldResult> &offsets, SmallVectorImpl<OpFoldResult> &sizes,
               ArrayRef<OpFoldResult> elements, ArrayRef<OpFoldResult> counts) {
    unsigned rank = space.tiles.size();
    offsets.resize(rank);
    sizes.resize(rank);
    Value rest = loop.getInductionVar();
    AffineExpr d0 = rewriter.getAffineDimExpr(0), d1 = rewriter.getAffineDimExpr(1);
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      int64_t tile = space.tiles[dim];
      Value index = rest;
      if (dim > 0) {
        Value count = getValueOrCreateConstantIndexOp(rewriter, loc, counts[dim]);
        index = arith::RemUIOp::create(rewriter, loc, rest, count);
        rest = arith::DivUIOp::create(rewriter, loc, rest, count);
      }
      offsets[dim] = affine::makeComposedFoldedAffineApply(rewriter, loc, d0 * tile, {index});
      std::optional<int64_t> size = getConstantIntValue(elements[dim]);
      if (tile == 1 || (size && *size % tile == 0))
        sizes[dim] = rewriter.getIndexAttr(tile);
      else
        sizes[dim] = affine::makeComposedFoldedAffineMin(
            rewriter, loc,
            AffineMap::get(2, 0, {rewriter.getAffineConstantExpr(tile), d1 - d0}, rewriter.getContext()),
            {offsets[dim], elements[dim]});
    }
  }

  void buildLoop(const proa::KernelSignature &signature, ArrayRef<Value> roots) {
    SmallVector<OpFoldResult> elements, counts;
    for (auto [row, tile] : llvm::enumerate(space.tiles)) {
      auto [result, dim] = space.where(row);
      elements.push_back(memref::getMixedSize(rewriter, loc, destinations[result], dim));
      counts.push_back(proa::tileCount(rewriter, loc, elements.back(), tile));
      splitRows += getConstantIntValue(counts.back()) != 1;
    }
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    loop = scf::ForOp::create(rewriter, loc, signature.begin, signature.end, one);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<OpFoldResult> offsets, sizes;
    rowTile(offsets, sizes, elements, counts);

    SmallVector<Value> tiles, subviews;
    SmallVector<std::array<SmallVector<OpFoldResult>, 3>> slices;
    for (auto [result, root] : llvm::enumerate(roots)) {
      auto &[own, ownSizes, strides] = slices.emplace_back();
      ownSizes = memref::getMixedSizes(rewriter, loc, destinations[result]);
      own.assign(ownSizes.size(), rewriter.getIndexAttr(0));
      strides.assign(ownSizes.size(), rewriter.getIndexAttr(1));
      for (auto [dim, row] : llvm::enumerate(space.dims[result]))
        if (row >= 0) {
          own[dim] = offsets[row];
          ownSizes[dim] = sizes[row];
        }
      subviews.push_back(
          memref::SubViewOp::create(rewriter, loc, destinations[result], own, ownSizes, strides));
    }
    for (auto [root, slice] : llvm::zip(roots, slices))
      tiles.push_back(tensor::ExtractSliceOp::create(rewriter, loc, root, slice[0], slice[1], slice[2]));
    for (auto [tile, subview] : llvm::zip(tiles, subviews))
      store(tile, subview);
  }

  /// Slices of `op`'s results in the loop, in the order of the block.
  SmallVector<tensor::ExtractSliceOp> slicesOf(Operation *op) {
    SmallVector<tensor::ExtractSliceOp> slices;
    for (Operation *user : op->getUsers())
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user); slice && slice->getBlock() == loop.getBody())
        slices.push_back(slice);
    llvm::sort(slices, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return slices;
  }

  /// An operation whose slice is nearly as large as the row is cheaper computed once, before the loop, when
  /// it does not depend on all row dimensions.
  bool repeatsTooMuch(tensor::ExtractSliceOp slice) {
    unsigned sliced = 0;
    double elements = 1;
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes())) {
      int64_t all = slice.getSourceType().getDimSize(dim);
      int64_t own = getConstantIntValue(size).value_or(64);
      sliced += ShapedType::isDynamic(all) || own != all;
      elements *= own;
    }
    return sliced < splitRows && elements > 64;
  }

  /// MLIR's tiling takes a size of 0 for a dimension that is not tiled.
  static bool canTile(Operation &op) {
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    return isa<TilingInterface>(op) && !(loops && llvm::is_contained(loops.getStaticLoopRanges(), 0));
  }

  /// From the last operation to the first, so that all consumers of an operation are in the loop when its
  /// turn comes.
  unsigned pullProducers() {
    unsigned tiled = 0;
    SmallVector<Operation *> outside;
    for (Operation &op : function.getBody().front())
      if (canTile(op))
        outside.push_back(&op);
    for (Operation *op : llvm::reverse(outside)) {
      SmallVector<std::pair<tensor::ExtractSliceOp, Value>> done;
      for (tensor::ExtractSliceOp slice : slicesOf(op)) {
        auto *same = llvm::find_if(done, [&](auto &entry) {
          return entry.first.getSource() == slice.getSource() &&
                 entry.first.isSameAs(slice, [](auto a, auto b) { return a == b; });
        });
        if (same != done.end()) {
          slice.replaceAllUsesWith(same->second);
          continue;
        }
        if (repeatsTooMuch(slice))
          continue;
        rewriter.setInsertionPoint(slice);
        auto result =
            tensor::replaceExtractSliceWithTiledProducer(rewriter, slice, cast<OpResult>(slice.getSource()));
        if (failed(result))
          continue;
        Value tile = result->tiledValues[0];
        if (tile.getType() != slice.getType())
          tile = tensor::CastOp::create(rewriter, loc, slice.getType(), tile);
        slice.replaceAllUsesWith(tile);
        done.push_back({slice, tile});
        ++tiled;
      }
    }
    return tiled;
  }
};

struct TileRows : proa::impl::TileRowsBase<TileRows> {
  using TileRowsBase::TileRowsBase;

  void runOnOperation() override {
    auto changesSignature = [](func::FuncOp) { return true; };
    auto tile = [&](func::FuncOp kernel) -> LogicalResult {
      FailureOr<proa::RowSpace> space = proa::RowSpace::read(kernel);
      if (failed(space))
        return failure();
      size_t tiled = RowTiler(kernel, *space).run();
      proa::PassRemarks(getArgumentName()).done(kernel)
          << std::to_string(tiled) << " operations compute only the slice that a row needs";
      return cleanUp(kernel);
    };
    if (failed(proa::changeKernels(getOperation(), changesSignature, tile)))
      signalPassFailure();
  }

  /// Slices of empty and filled tensors become small ones, and sizes are computed from the arguments.
  LogicalResult cleanUp(func::FuncOp kernel) {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateLinalgTilingCanonicalizationPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    tensor::DimOp::getCanonicalizationPatterns(patterns, context);
    return applyPatternsGreedily(kernel, std::move(patterns));
  }
};

} // namespace
