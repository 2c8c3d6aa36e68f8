// Scratch buffers of known size: see Passes.td.
#include "passes/kernels/Passes.h"
#include "passes/kernels/SizeBounds.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace proa {
#define GEN_PASS_DEF_BOUNDSCRATCH
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

struct BoundScratch : proa::impl::BoundScratchBase<BoundScratch> {
  using BoundScratchBase::BoundScratchBase;

  void runOnOperation() override {
    SmallVector<memref::AllocOp> allocations;
    getOperation().walk([&](memref::AllocOp op) {
      if (!op.getType().hasStaticShape() && op->getParentOfType<scf::ForOp>())
        allocations.push_back(op);
    });
    proa::PassRemarks remarks(getArgumentName());
    for (memref::AllocOp op : allocations) {
      std::optional<SmallVector<int64_t>> sizes = proa::largestSizes(op.getMixedSizes());
      if (!sizes) {
        remarks.missed(op) << "the buffer keeps its dynamic size, which has no known upper bound";
        continue;
      }
      remarks.done(op) << "the buffer gets the largest size that it can have";
      OpBuilder builder(op);
      Location loc = op.getLoc();
      auto type = MemRefType::get(*sizes, op.getType().getElementType());
      Value whole = memref::AllocOp::create(builder, loc, type, op.getAlignmentAttr());
      SmallVector<OpFoldResult> own = op.getMixedSizes(), strides(own.size());
      OpFoldResult stride = builder.getIndexAttr(1);
      AffineExpr product = builder.getAffineSymbolExpr(0) * builder.getAffineSymbolExpr(1);
      for (size_t dim = own.size(); dim-- > 0;) {
        strides[dim] = stride;
        stride = affine::makeComposedFoldedAffineApply(builder, loc, product, {stride, own[dim]});
      }
      Value view = memref::ReinterpretCastOp::create(builder, loc, op.getType(), whole,
                                                     builder.getIndexAttr(0), own, strides);
      op.replaceAllUsesWith(view);
      op.erase();
    }
  }
};

} // namespace
