#include "passes/lower-gpu/ContractionThreads.h"

#include "passes/kernels/SizeBounds.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {

LogicalResult ContractionThreads::replace(linalg::LinalgOp op, linalg::LinalgOp epilogue) {
  FailureOr<ContractionChoice> choice = ContractionChoice::read(op);
  if (failed(choice))
    return failure();
  if (choice->threads != threads)
    return op->emitError() << "the contraction needs " << choice->threads << " threads, the block has "
                           << threads;
  Location loc = op.getLoc();
  b.setInsertionPoint(epilogue ? epilogue : op);
  TileResults::Target target{op, epilogue, *ContractionForm::of(op), *choice, {}};
  for (Range range : op.createLoopRanges(b, loc))
    target.sizes.push_back(range.size);
  TileResults results(b, loc, target, thread);
  ContractionSite site{b, loc, target, results, thread};
  FailureOr<std::unique_ptr<TileLoop>> loop =
      choice->kind == MatmulKind::Wgmma ? makeTmaLoop(site)
                                        : FailureOr<std::unique_ptr<TileLoop>>(makeStagedLoop(site));
  if (failed(loop))
    return failure();
  Values indices(op.getNumLoops());
  indices[target.form.k] = arith::ConstantIndexOp::create(b, loc, 0);
  tiles(target, 0, indices, [&](ValueRange own) {
    (*loop)->tile(own, [&](ValueRange sums, Value memory) { results.store(own, sums, memory); });
  });
  if (epilogue)
    b.eraseOp(epilogue);
  b.eraseOp(op);
  return success();
}

/// Loops over the tiles of the op, from loop `next` on. A row of a kernel has one tile.
void ContractionThreads::tiles(const TileResults::Target &target, unsigned next, Values &indices,
                               TileBuilder tile) {
  linalg::LinalgOp op = target.op;
  const ContractionForm &form = target.form;
  if (next == op.getNumLoops())
    return tile(indices);
  if (next == form.k)
    return tiles(target, next + 1, indices, tile);
  int64_t size = next == form.m ? target.choice.m : next == form.n ? target.choice.n : 1;
  OpFoldResult end = target.sizes[next];
  std::optional<int64_t> most = largestSize(end);
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  bool isOneTile = most && *most <= size && (size > 1 || *most == 1);
  if (isOneTile) {
    indices[next] = zero;
    return tiles(target, next + 1, indices, tile);
  }
  auto loop = scf::ForOp::create(b, loc, zero, getValueOrCreateConstantIndexOp(b, loc, end),
                                 arith::ConstantIndexOp::create(b, loc, size));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  indices[next] = loop.getInductionVar();
  tiles(target, next + 1, indices, tile);
}

} // namespace proa
