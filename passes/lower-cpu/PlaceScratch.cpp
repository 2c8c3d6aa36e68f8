// Scratch buffers on the stack or on the heap: see Passes.td.
#include "passes/lower-cpu/Passes.h"
#include "passes/remarks/Remarks.h"

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
    proa::PassRemarks remarks(getArgumentName());
    for (memref::AllocOp op : allocations) {
      MemRefType type = op.getType();
      bool atEntry = op->getBlock() == &function.getBody().front();
      int64_t bytes = type.hasStaticShape()
                          ? type.getNumElements() * int64_t(layout.getTypeSize(type.getElementType()))
                          : std::numeric_limits<int64_t>::max();
      if (atEntry && bytes <= left) {
        remarks.done(op) << "the buffer is on the stack: " << std::to_string(bytes) << " bytes";
        OpBuilder builder(op);
        auto onStack = memref::AllocaOp::create(builder, op.getLoc(), type, op.getAlignmentAttr());
        op.replaceAllUsesWith(onStack.getResult());
        op.erase();
        left -= (bytes + 63) / 64 * 64;
        continue;
      }
      remarks.missed(op) << "the buffer stays on the heap: "
                         << (!atEntry ? "it is allocated in a loop"
                             : !type.hasStaticShape()
                                 ? "its size is dynamic"
                                 : "it has " + std::to_string(bytes) +
                                       " bytes, and the stack has space for " + std::to_string(left));
      OpBuilder builder(op->getBlock()->getTerminator());
      memref::DeallocOp::create(builder, op.getLoc(), op);
    }
  }
};

} // namespace
