// Scratch buffers on the stack or on the heap: see Passes.td.
#include "passes/lower-cpu/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace proa {
#define GEN_PASS_DEF_PLACESCRATCH
#include "passes/lower-cpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

struct PlaceScratch : proa::impl::PlaceScratchBase<PlaceScratch> {
  using PlaceScratchBase::PlaceScratchBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    DataLayout layout = DataLayout::closest(function);
    int64_t left = stackBytes;
    SmallVector<memref::AllocOp> allocations;
    function.walk([&](memref::AllocOp op) { allocations.push_back(op); });
    for (memref::AllocOp op : allocations) {
      MemRefType type = op.getType();
      bool atEntry = op->getBlock() == &function.getBody().front();
      int64_t bytes = type.hasStaticShape()
                          ? type.getNumElements() * int64_t(layout.getTypeSize(type.getElementType()))
                          : std::numeric_limits<int64_t>::max();
      if (atEntry && bytes <= left) {
        OpBuilder builder(op);
        auto onStack = memref::AllocaOp::create(builder, op.getLoc(), type, op.getAlignmentAttr());
        op.replaceAllUsesWith(onStack.getResult());
        op.erase();
        left -= (bytes + 63) / 64 * 64;
        ++numStack;
        continue;
      }
      OpBuilder builder(op->getBlock()->getTerminator());
      memref::DeallocOp::create(builder, op.getLoc(), op);
      ++numHeap;
    }
  }
};

} // namespace
