// Rows to blocks, elements to threads: see Passes.td.
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/ContractionThreads.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/Prologue.h"
#include "passes/lower-gpu/ThreadLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace proa {
#define GEN_PASS_DEF_MAPTOTHREADS
#include "passes/lower-gpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

struct MapToThreads : proa::impl::MapToThreadsBase<MapToThreads> {
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

  /// Replaces the contractions among `ops`, and their epilogues, and removes them from the list.
  static LogicalResult replaceContractions(SmallVectorImpl<linalg::LinalgOp> &ops, IRRewriter &rewriter,
                                           Value thread, int64_t threads) {
    proa::ContractionThreads contractions(rewriter, thread, threads);
    llvm::DenseSet<Operation *> replaced;
    SmallVector<Operation *> prologues;
    for (linalg::LinalgOp op : ops)
      if (proa::isOnlyPrologue(op))
        prologues.push_back(op);
    for (linalg::LinalgOp op : ops) {
      // The epilogue of a contraction before it does not exist any more.
      if (replaced.contains(op.getOperation()) || !proa::isChosenContraction(op))
        continue;
      linalg::LinalgOp epilogue = proa::epilogueOf(op);
      replaced.insert_range(ArrayRef<Operation *>{op.getOperation(), epilogue.getOperation()});
      if (failed(contractions.replace(op, epilogue)))
        return failure();
    }
    replaced.insert_range(prologues);
    llvm::erase_if(ops, [&](linalg::LinalgOp op) { return replaced.contains(op.getOperation()); });
    for (Operation *prologue : prologues) // its readers contain it
      rewriter.eraseOp(prologue);
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (proa::DeviceKernelAttr::isOn(function, proa::DeviceKernel::Threads)) { // it has its threads already
      function->removeAttr(proa::deviceKernelAttribute);
      function->setAttr(proa::kernelAttribute, UnitAttr::get(&getContext()));
      return;
    }
    if (!proa::hasLaunch(function) || function.isDeclaration())
      return;
    FailureOr<int64_t> threads = proa::threadsOf(function);
    if (failed(threads))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
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
      isCorrect &= succeeded(proa::verifyLaunch(op, *threads));
    if (!isCorrect)
      return signalPassFailure();
    rewriter.setInsertionPointToStart(&function.getBody().front());
    Value thread = gpu::ThreadIdOp::create(rewriter, function.getLoc(), gpu::Dimension::x);
    mapRows(function);
    guardStores(stores, thread);
    if (failed(replaceContractions(ops, rewriter, thread, *threads)))
      return signalPassFailure();
    proa::ThreadLoops loops(rewriter, thread, *threads);
    for (linalg::LinalgOp op : ops)
      loops.replace(op);
  }
};

} // namespace
