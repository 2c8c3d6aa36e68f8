#include "passes/lower-gpu/hopper/HopperCode.h"

#include "lib/base/target/WarpgroupRegisters.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/StagedMemory.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {
namespace {

/// Nanoseconds after which a wait tests its barrier again.
constexpr int64_t waitTicks = 10000000;

LLVM::LLVMPointerType pointerIn(MLIRContext *context, NVVM::NVVMMemorySpace space) {
  return LLVM::LLVMPointerType::get(context, static_cast<unsigned>(space));
}

} // namespace

Value HopperCode::flip(Value parity) const { return b.createOrFold<arith::XOrIOp>(loc, parity, i32(1)); }

Value HopperCode::toI32(Value index) const {
  return b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), index);
}

Value HopperCode::toPointer(Value address) const {
  Value value = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(b, loc, pointerIn(b.getContext(), NVVM::NVVMMemorySpace::Shared), value);
}

Value HopperCode::pinned(Value index) const {
  auto move = NVVM::InlinePtxOp::create(b, loc, b.getI32Type(), toI32(index), ValueRange(), "mov.b32 $0, $1;",
                                        Value());
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), move.getResult(0));
}

Value HopperCode::addressOf(Value memory) const {
  return memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memory);
}

void HopperCode::initBarrier(Value barrier, int64_t arrivals) const {
  NVVM::MBarrierInitOp::create(b, loc, toPointer(barrier), i32(arrivals), Value());
}

void HopperCode::expectBytes(Value barrier, int64_t bytes) const {
  NVVM::MBarrierArriveExpectTxOp::create(b, loc, Type(), toPointer(barrier), i32(bytes),
                                         NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

void HopperCode::arrive(Value barrier) const {
  NVVM::MBarrierArriveOp::create(b, loc, b.getI64Type(), toPointer(barrier), Value());
}

void HopperCode::wait(Value barrier, Value parity) const {
  NVVM::MBarrierTryWaitParityOp::create(b, loc, toPointer(barrier), parity, i32(waitTicks));
}

void HopperCode::copyBox(Value target, Value map, ValueRange coordinates, Value barrier) const {
  SmallVector<Value> innermostFirst;
  for (Value coordinate : llvm::reverse(coordinates))
    innermostFirst.push_back(toI32(coordinate));
  Value cluster = LLVM::AddrSpaceCastOp::create(
      b, loc, pointerIn(b.getContext(), NVVM::NVVMMemorySpace::SharedCluster), toPointer(target));
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b, loc, cluster, map, innermostFirst, toPointer(barrier), ValueRange(), Value(), Value(),
      NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
}

Value HopperCode::matrixDescriptor(Value address, int64_t leading, int64_t stride) const {
  constexpr int64_t addressBits = (1 << 18) - 1, unit = 16, swizzle128 = 1;
  Value low = both(address, constant(addressBits));
  Value start = arith::IndexCastOp::create(b, loc, b.getI64Type(), divide(low, unit));
  int64_t fields = leading / unit << 16 | stride / unit << 32 | swizzle128 << 62;
  return b.createOrFold<arith::OrIOp>(loc, start,
                                      arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(fields)));
}

Value HopperCode::advance(Value descriptor, int64_t bytes) const {
  constexpr int64_t unit = 16;
  Value offset = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes / unit));
  return b.createOrFold<arith::AddIOp>(loc, descriptor, offset);
}

void StageBuffer::init() const {
  for (int64_t stage = 0; stage < stages; ++stage) {
    code.initBarrier(full(code.constant(stage)), 1);
    code.initBarrier(empty(code.constant(stage)), readers);
  }
}

Value StageBuffer::full(Value stage) const { return code.add(base, code.multiply(stage, mbarrierBytes)); }

Value StageBuffer::empty(Value stage) const { return code.add(full(stage), stages * mbarrierBytes); }

void StageBuffer::acquire(const Position &position, int64_t bytes) const {
  code.wait(empty(position.stage), code.flip(position.parity));
  code.expectBytes(full(position.stage), bytes);
}

StageBuffer::Position StageBuffer::first() const { return {code.constant(0), code.i32(0)}; }

StageBuffer::Position StageBuffer::next(const Position &position) const {
  Value after = code.add(position.stage, 1), isEnd = code.isEqual(after, stages);
  return {code.select(isEnd, code.constant(0), after),
          code.select(isEnd, code.flip(position.parity), position.parity)};
}

int64_t StageThreads::arrivals() const { return readers / warpSize; }

Value StageThreads::allocate(int64_t bytes) const {
  return allocateShared(b, loc, bytes, b.getI8Type(), patternBytes);
}

void StageThreads::start(ArrayRef<const StageBuffer *> buffers, ValueRange maps) const {
  where(isEqual(thread, 0), [&] {
    for (const StageBuffer *buffer : buffers)
      buffer->init();
    NVVM::FenceMbarrierInitOp::create(b, loc); // the accelerator sees the barriers
    for (Value map : maps)
      NVVM::PrefetchOp::create(b, loc, NVVM::PrefetchCacheLevelAttr(), NVVM::CacheEvictionPriorityAttr(), map,
                               Value(), /*tensormap=*/b.getUnitAttr(), UnitAttr(), UnitAttr());
  });
  gpu::BarrierOp::create(b, loc);
}

void StageThreads::assignRoles(function_ref<void()> read, function_ref<void()> fill) const {
  constexpr int64_t ofFillers = 40; // with the least number, 24, addresses of windows and lengths spill
  bool exchange = fillers % WarpgroupRegisters::threads == 0;
  auto setRegisters = [&](int64_t registers, NVVM::SetMaxRegisterAction action) {
    if (exchange)
      NVVM::SetMaxRegisterOp::create(b, loc, static_cast<uint32_t>(registers), action);
  };
  auto readAll = [&] {
    setRegisters(WarpgroupRegisters::beside(readers, fillers, ofFillers),
                 NVVM::SetMaxRegisterAction::increase);
    read();
    return Values();
  };
  auto fillAll = [&] {
    setRegisters(ofFillers, NVVM::SetMaxRegisterAction::decrease);
    where(isEqual(thread, readers), fill);
    return Values();
  };
  where(isBelow(thread, constant(readers)), TypeRange(), readAll, fillAll);
}

void StageThreads::release(const StageBuffer &buffer, const StageBuffer::Position &at) const {
  where(isEqual(remainder(thread, warpSize), 0), [&] { buffer.release(at); });
}

StageVariable::StageVariable(OpBuilder &b, Location loc, const StageBuffer::Position &first)
    : b(b), loc(loc), stage(memref::AllocaOp::create(b, loc, MemRefType::get({}, first.stage.getType()))),
      parity(memref::AllocaOp::create(b, loc, MemRefType::get({}, first.parity.getType()))) {
  save(first);
}

StageBuffer::Position StageVariable::load() const {
  return {memref::LoadOp::create(b, loc, stage), memref::LoadOp::create(b, loc, parity)};
}

void StageVariable::save(const StageBuffer::Position &position) const {
  memref::StoreOp::create(b, loc, position.stage, stage);
  memref::StoreOp::create(b, loc, position.parity, parity);
}

} // namespace proa
