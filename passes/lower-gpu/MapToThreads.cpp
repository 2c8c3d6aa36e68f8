// Rows to blocks, elements to threads: see Passes.td.
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/SizeBounds.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/Prologue.h"
#include "passes/lower-gpu/ThreadLoops.h"
#include "passes/lower-gpu/TileLoop.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_MAPTOTHREADS
#include "passes/lower-gpu/Passes.h.inc"

namespace {

struct MapToThreads : impl::MapToThreadsBase<MapToThreads> {
  using MapToThreadsBase::MapToThreadsBase;

  /// The rows of a block: every nctaid-th one.
  static void mapRows(func::FuncOp function) {
    for (auto loop : function.getBody().front().getOps<scf::ForOp>()) {
      OpBuilder b(loop);
      Location loc = loop.getLoc();
      Value block = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
      Value blocks = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
      loop.setLowerBound(arith::AddIOp::create(b, loc, loop.getLowerBound(), block));
      loop.setStep(arith::MulIOp::create(b, loc, loop.getStep(), blocks));
    }
  }

  /// One thread does the stores outside of linalg ops.
  static void guardStores(ArrayRef<memref::StoreOp> stores, Value thread) {
    for (memref::StoreOp store : stores) {
      OpBuilder b(store);
      Location loc = store.getLoc();
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, zero);
      auto guard = scf::IfOp::create(b, loc, isFirst);
      store->moveBefore(guard.thenBlock()->getTerminator());
    }
  }

  /// Loops over the tiles of a contraction, from loop `next` on. A row of a kernel has one tile.
  static void overTiles(const CodeBuilder &code, const TileResults::Target &target, unsigned next,
                        SmallVector<Value> &indices, function_ref<void()> tile) {
    const ContractionForm &form = target.form;
    if (next == indices.size())
      return tile();
    int64_t size = next == form.m ? target.choice.m : next == form.n ? target.choice.n : 1;
    std::optional<int64_t> most = largestSize(target.sizes[next]);
    indices[next] = code.constant(0);
    if (next == form.k || (most && *most <= size && (size > 1 || *most == 1)))
      return overTiles(code, target, next + 1, indices, tile);
    code.loop(indices[next], code.toValue(target.sizes[next]), code.constant(size), [&](Value first) {
      indices[next] = first;
      overTiles(code, target, next + 1, indices, tile);
    });
  }

  /// Replaces a contraction and its epilogue, which may be null. Error: the attributes do not fit the block.
  static LogicalResult replaceContraction(linalg::LinalgOp op, linalg::LinalgOp epilogue, Value thread,
                                          int64_t threads) {
    FailureOr<ContractionChoice> choice = ContractionChoice::read(op);
    if (failed(choice))
      return failure();
    if (choice->threads != threads)
      return op->emitError() << "the contraction needs " << choice->threads << " threads, the block has "
                             << threads;
    Location loc = op.getLoc();
    OpBuilder b(epilogue ? epilogue : op);
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
    SmallVector<Value> indices(op.getNumLoops());
    overTiles(CodeBuilder(b, loc), target, 0, indices, [&] {
      (*loop)->tile(indices, [&](ValueRange sums, Value memory) { results.store(indices, sums, memory); });
    });
    if (epilogue)
      epilogue->erase();
    op->erase();
    return success();
  }

  /// Replaces the contractions among `ops`, and their epilogues, and removes them from the list.
  static LogicalResult replaceContractions(SmallVectorImpl<linalg::LinalgOp> &ops, Value thread,
                                           int64_t threads) {
    llvm::DenseSet<Operation *> replaced;
    SmallVector<Operation *> prologues;
    for (linalg::LinalgOp op : ops)
      if (isOnlyPrologue(op))
        prologues.push_back(op);
    for (linalg::LinalgOp op : ops) {
      // The epilogue of a contraction before it does not exist any more.
      if (replaced.contains(op.getOperation()) || !contractionOf(op))
        continue;
      linalg::LinalgOp epilogue = epilogueOf(op);
      replaced.insert_range(ArrayRef<Operation *>{op.getOperation(), epilogue.getOperation()});
      if (failed(replaceContraction(op, epilogue, thread, threads)))
        return failure();
    }
    replaced.insert_range(prologues);
    llvm::erase_if(ops, [&](linalg::LinalgOp op) { return replaced.contains(op.getOperation()); });
    for (Operation *prologue : prologues) // its readers contain it
      prologue->erase();
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (DeviceKernelAttr::isOn(function, DeviceKernel::Threads)) { // it has its threads already
      function->removeAttr(deviceKernelAttribute);
      function->setAttr(kernelAttribute, UnitAttr::get(&getContext()));
      return;
    }
    if (!hasLaunch(function) || function.isDeclaration())
      return;
    FailureOr<int64_t> threads = threadsOf(function);
    if (failed(threads))
      return signalPassFailure();
    OpBuilder rewriter(&getContext());
    SmallVector<memref::StoreOp> stores;
    SmallVector<linalg::LinalgOp> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        ops.push_back(linalgOp);
        return WalkResult::skip();
      }
      if (auto store = dyn_cast<memref::StoreOp>(op))
        stores.push_back(store);
      return WalkResult::advance();
    });
    bool isCorrect = true;
    for (linalg::LinalgOp op : ops)
      isCorrect &= succeeded(verifyLaunch(op, *threads));
    if (!isCorrect)
      return signalPassFailure();
    rewriter.setInsertionPointToStart(&function.getBody().front());
    Value thread = gpu::ThreadIdOp::create(rewriter, function.getLoc(), gpu::Dimension::x);
    mapRows(function);
    guardStores(stores, thread);
    if (failed(replaceContractions(ops, thread, *threads)))
      return signalPassFailure();
    ThreadLoops loops(rewriter, thread, *threads);
    for (linalg::LinalgOp op : ops)
      loops.replace(op);
  }
};

} // namespace
} // namespace proa
