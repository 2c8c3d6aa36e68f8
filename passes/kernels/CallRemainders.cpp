// Calls of libm for remainders: see Passes.td.
#include "passes/kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace proa {
#define GEN_PASS_DEF_CALLREMAINDERS
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

struct CallRemainders : proa::impl::CallRemaindersBase<CallRemainders> {
  void runOnOperation() override {
    SmallVector<arith::RemFOp> remainders;
    getOperation()->walk([&](arith::RemFOp op) {
      if (op.getType().isF32() || op.getType().isF64())
        remainders.push_back(op);
    });
    for (arith::RemFOp op : remainders) {
      OpBuilder builder(op);
      auto call =
          func::CallOp::create(builder, op.getLoc(), declare(op.getType()), op.getType(), op->getOperands());
      op.replaceAllUsesWith(call.getResult(0));
      op.erase();
    }
  }

  StringRef declare(Type type) {
    StringRef name = type.isF32() ? "fmodf" : "fmod";
    if (getOperation().lookupSymbol(name))
      return name;
    auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto function = func::FuncOp::create(builder, getOperation().getLoc(), name,
                                         builder.getFunctionType({type, type}, {type}));
    function.setPrivate();
    function->setAttr(LLVM::LLVMDialect::getReadnoneAttrName(), builder.getUnitAttr());
    return name;
  }
};

} // namespace
