#include "passes/lower-gpu/LastBlock.h"

#include "dialects/proa/Proa.h"
#include "passes/lower-gpu/GlobalScratch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
  auto integer = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  Value last = arith::SubIOp::create(b, loc, blocks, arith::ConstantIndexOp::create(b, loc, 1));
  last = arith::IndexCastOp::create(b, loc, b.getI32Type(), last);
  // Rows that one block computes need no counter: there may be more of them than counters.
  Value isShared = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, last, integer(0));
  auto adding = scf::IfOp::create(b, loc, TypeRange{b.getI32Type()}, isShared, /*withElseRegion=*/true);
  OpBuilder then = adding.getThenBodyBuilder(), otherwise = adding.getElseBodyBuilder();
  Value one = arith::ConstantOp::create(then, loc, then.getI32IntegerAttr(1));
  Value before = memref::AtomicRMWOp::create(then, loc, b.getI32Type(), arith::AtomicRMWKind::addi, one,
                                             counters, ValueRange{row});
  scf::YieldOp::create(then, loc, before);
  scf::YieldOp::create(otherwise, loc, last);
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, adding.getResult(0), last);
  Value resets = arith::AndIOp::create(b, loc, isLast, isShared);
  auto resetting = scf::IfOp::create(b, loc, resets);
  OpBuilder inReset = resetting.getThenBodyBuilder();
  Value zero = arith::ConstantOp::create(inReset, loc, inReset.getI32IntegerAttr(0));
  memref::StoreOp::create(inReset, loc, zero, counters, ValueRange{row});
  return arith::ExtUIOp::create(b, loc, b.getI32Type(), isLast);
}

Value emitIsLastBlock(OpBuilder &b, Location loc, Value counters, Value row, Value blocks) {
  Value flag = memref::AllocOp::create(b, loc, MemRefType::get({1}, b.getI32Type()));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  NVVM::MembarOp::create(b, loc, NVVM::MemScopeKind::GPU);
  gpu::BarrierOp::create(b, loc);
  Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, thread, zero);
  OpBuilder counting = scf::IfOp::create(b, loc, isFirst).getThenBodyBuilder();
  Value count = countBlock(counting, loc, counters, row, blocks);
  memref::StoreOp::create(counting, loc, count, flag, ValueRange{zero});
  gpu::BarrierOp::create(b, loc);
  Value value = memref::LoadOp::create(b, loc, flag, ValueRange{zero});
  Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, none);
}

} // namespace proa
