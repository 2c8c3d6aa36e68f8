#include "passes/lower-gpu/LastBlock.h"

#include "dialects/proa/Proa.h"
#include "passes/lower-gpu/CodeBuilder.h"
#include "passes/lower-gpu/GlobalScratch.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {

BlockArgument addCountersArgument(func::FuncOp kernel) {
  Builder b(kernel.getContext());
  unsigned position = kernel.getNumArguments() - numTrailingArguments(kernel);
  (void)kernel.insertArgument(position, MemRefType::get({}, b.getI32Type()), {}, kernel.getLoc());
  kernel.setArgAttr(position, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  ScratchAttr::orEmpty(kernel).withCounters().setOn(kernel);
  return kernel.getArgument(position);
}

/// The count of the first thread: i32, 1 for the last block.
static Value countBlock(OpBuilder &b, Location loc, Value counters, Value row, Value blocks) {
  CodeBuilder code(b, loc);
  Value last = code.subtract(blocks, code.constant(1));
  last = arith::IndexCastOp::create(b, loc, b.getI32Type(), last);
  // Rows that one block computes need no counter: there may be more of them than counters.
  Value isShared = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, last, code.i32(0));
  auto add = [&]() -> CodeBuilder::Values {
    return {memref::AtomicRMWOp::create(b, loc, b.getI32Type(), arith::AtomicRMWKind::addi, code.i32(1),
                                        counters, ValueRange{row})};
  };
  Value before =
      code.where(isShared, b.getI32Type(), add, [&]() -> CodeBuilder::Values { return {last}; })[0];
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, before, last);
  code.where(code.both(isLast, isShared),
             [&] { memref::StoreOp::create(b, loc, code.i32(0), counters, ValueRange{row}); });
  return arith::ExtUIOp::create(b, loc, b.getI32Type(), isLast);
}

Value emitIsLastBlock(OpBuilder &b, Location loc, Value counters, Value row, Value blocks) {
  CodeBuilder code(b, loc);
  Value flag = memref::AllocOp::create(b, loc, MemRefType::get({1}, b.getI32Type())), zero = code.constant(0);
  NVVM::MembarOp::create(b, loc, NVVM::MemScopeKind::GPU);
  gpu::BarrierOp::create(b, loc);
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  code.where(code.isEqual(thread, 0),
             [&] { memref::StoreOp::create(b, loc, countBlock(b, loc, counters, row, blocks), flag, zero); });
  gpu::BarrierOp::create(b, loc);
  Value value = memref::LoadOp::create(b, loc, flag, zero);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, code.i32(0));
}

} // namespace proa
