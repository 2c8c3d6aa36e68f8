// The calls that replace nvvm ops. lib/runtime/emulator/Functions.h declares the functions.
#include "passes/emulate-gpu/ThreadCode.h"

#include "dialects/rt/Wgmma.h"
#include "lib/base/target/MatrixInstruction.h"
#include "lib/runtime/emulator/Codes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace proa {
using namespace emulator;
namespace {

std::optional<Register> registerOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Register>>(op)
      .Case<NVVM::ThreadIdXOp>([](auto) { return Register::ThreadX; })
      .Case<NVVM::ThreadIdYOp>([](auto) { return Register::ThreadY; })
      .Case<NVVM::ThreadIdZOp>([](auto) { return Register::ThreadZ; })
      .Case<NVVM::BlockDimXOp>([](auto) { return Register::BlockDimX; })
      .Case<NVVM::BlockDimYOp>([](auto) { return Register::BlockDimY; })
      .Case<NVVM::BlockDimZOp>([](auto) { return Register::BlockDimZ; })
      .Case<NVVM::BlockIdXOp>([](auto) { return Register::BlockX; })
      .Case<NVVM::BlockIdYOp>([](auto) { return Register::BlockY; })
      .Case<NVVM::BlockIdZOp>([](auto) { return Register::BlockZ; })
      .Case<NVVM::GridDimXOp>([](auto) { return Register::GridDimX; })
      .Case<NVVM::GridDimYOp>([](auto) { return Register::GridDimY; })
      .Case<NVVM::GridDimZOp>([](auto) { return Register::GridDimZ; })
      .Case<NVVM::LaneIdOp>([](auto) { return Register::Lane; })
      .Case<NVVM::WarpIdOp>([](auto) { return Register::Warp; })
      .Case<NVVM::WarpDimOp>([](auto) { return Register::WarpCount; })
      .Case<NVVM::WarpSizeOp>([](auto) { return Register::WarpSize; })
      .Case<NVVM::LaneMaskEqOp>([](auto) { return Register::LaneMaskEqual; })
      .Case<NVVM::LaneMaskLeOp>([](auto) { return Register::LaneMaskLessEqual; })
      .Case<NVVM::LaneMaskLtOp>([](auto) { return Register::LaneMaskLess; })
      .Case<NVVM::LaneMaskGeOp>([](auto) { return Register::LaneMaskGreaterEqual; })
      .Case<NVVM::LaneMaskGtOp>([](auto) { return Register::LaneMaskGreater; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Nothing for a type that the emulator does not know.
std::optional<MatrixElement> elementOf(NVVM::MMATypes type) {
  return matrixElementNamed(NVVM::stringifyMMATypes(type));
}

std::optional<MatrixElement> elementOf(NVVM::WGMMATypes type) {
  return matrixElementNamed(NVVM::stringifyWGMMATypes(type));
}

/// Replaces one op by calls before it.
class OpEmulator {
public:
  OpEmulator(Operation *op, ThreadCode &code)
      : code(code), builder(op), loc(op->getLoc()), i32(builder.getI32Type()) {}

  LogicalResult emulate(NVVM::Barrier0Op op) {
    return emulateBarrier(op, constant(0), constant(0), noReduction, constant(0));
  }

  LogicalResult emulate(NVVM::BarrierOp op) {
    auto orZero = [&](Value value) { return value ? value : constant(0); };
    int32_t reduction = op.getReductionOp() ? static_cast<int32_t>(*op.getReductionOp()) : noReduction;
    return emulateBarrier(op, orZero(op.getBarrierId()), orZero(op.getNumberOfThreads()), reduction,
                          orZero(op.getReductionPredicate()));
  }

  LogicalResult emulate(NVVM::BarrierArriveOp op) {
    Value id = op.getBarrierId() ? op.getBarrierId() : constant(0);
    code.synchronize(builder, loc, "proa_emulate_barrier_arrive", {}, {id, op.getNumberOfThreads()});
    return erase(op);
  }

  LogicalResult emulate(NVVM::ShflOp op) {
    Value isValid = code.slot(i32);
    Value result = code.synchronize(builder, loc, "proa_emulate_shfl", i32,
                                    {constant(static_cast<int64_t>(op.getKind())), op.getThreadMask(),
                                     asI32(op.getVal()), op.getOffset(), op.getMaskAndClamp(), isValid});
    result = LLVM::BitcastOp::create(builder, loc, op.getVal().getType(), result);
    return replace(op, op.getReturnValueAndIsValid() ? pairWithFlag(op.getType(), result, isValid) : result);
  }

  LogicalResult emulate(NVVM::VoteSyncOp op) {
    Value predicate = LLVM::ZExtOp::create(builder, loc, i32, op.getPred());
    Value result = code.synchronize(builder, loc, "proa_emulate_vote", i32,
                                    {constant(static_cast<int64_t>(op.getKind())), op.getMask(), predicate});
    return replace(op, op.getType() == i32 ? result : asFlag(result));
  }

  LogicalResult emulate(NVVM::ReduxOp op) {
    Value result = code.synchronize(builder, loc, "proa_emulate_redux", i32,
                                    {constant(static_cast<int64_t>(op.getKind())), op.getMaskAndClamp(),
                                     asI32(op.getVal()), constant(op.getAbs()), constant(op.getNan())});
    return replace(op, LLVM::BitcastOp::create(builder, loc, op.getType(), result));
  }

  LogicalResult emulate(NVVM::MatchSyncOp op) {
    Value predicate = code.slot(i32), value = op.getVal();
    if (value.getType() == i32)
      value = LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), value);
    Value result = code.synchronize(
        builder, loc, "proa_emulate_match", i32,
        {constant(static_cast<int64_t>(op.getKind())), op.getThreadMask(), value, predicate});
    return replace(op, op.getType() == i32 ? result : pairWithFlag(op.getType(), result, predicate));
  }

  LogicalResult emulate(NVVM::ElectSyncOp op) {
    Value mask = op.getMembermask() ? op.getMembermask() : constant(-1);
    return replace(op, asFlag(code.synchronize(builder, loc, "proa_emulate_elect", i32, mask)));
  }

  LogicalResult emulate(NVVM::SyncWarpOp op) {
    code.synchronize(builder, loc, "proa_emulate_sync_warp", {}, op.getMask());
    return erase(op);
  }

  LogicalResult emulate(NVVM::LdMatrixOp op) {
    if (!isTileOf16Bits(op.getShape(), op.getEltType()))
      return refuseForm(op);
    Value result = code.slot(op.getType());
    code.synchronize(
        builder, loc, "proa_emulate_ldmatrix", {},
        {op.getPtr(), constant(op.getNum()), constant(op.getLayout() == NVVM::MMALayout::col), result});
    return replace(op, LLVM::LoadOp::create(builder, loc, op.getType(), result));
  }

  LogicalResult emulate(NVVM::StMatrixOp op) {
    if (!isTileOf16Bits(op.getShape(), op.getEltType()))
      return refuseForm(op);
    code.synchronize(builder, loc, "proa_emulate_stmatrix", {},
                     {op.getPtr(), constant(op.getSources().size()),
                      constant(op.getLayout() == NVVM::MMALayout::col), store(op.getSources())});
    return erase(op);
  }

  LogicalResult emulate(NVVM::MmaOp op) {
    auto typeA = elementOf(*op.getMultiplicandAPtxType()), typeB = elementOf(*op.getMultiplicandBPtxType()),
         typeC = elementOf(op.accumPtxType()), typeD = elementOf(op.resultPtxType());
    NVVM::MMAShapeAttr shape = op.getShape();
    bool isVolta = typeA == MatrixElement::F16 && shape.getM() == 8;
    if (!typeA || !typeB || !typeC || !typeD || shape.getN() != 8 || isVolta ||
        op.getLayoutA() != NVVM::MMALayout::row || op.getLayoutB() != NVVM::MMALayout::col)
      return refuseForm(op);
    Value result = code.slot(op.getType());
    bool saturates = op.getIntOverflowBehavior() == NVVM::MMAIntOverflow::satfinite;
    code.synchronize(builder, loc, "proa_emulate_mma", {},
                     {constant(shape.getM()), constant(shape.getK()), constant(*typeA), constant(*typeB),
                      constant(*typeC), constant(*typeD), constant(saturates), store(op.getOperandA()),
                      store(op.getOperandB()), store(op.getOperandC()), result});
    return replace(op, LLVM::LoadOp::create(builder, loc, op.getType(), result));
  }

  LogicalResult emulate(NVVM::ConvertFloatToTF32Op op) {
    bool tiesAway = op.getRnd() == NVVM::FPRoundingMode::RNA;
    if ((!tiesAway && op.getRnd() != NVVM::FPRoundingMode::RN) || op.getRelu() ||
        op.getSat() != NVVM::SaturationMode::NONE)
      return refuseForm(op);
    return replace(op,
                   code.call(builder, loc, "proa_emulate_cvt_tf32", i32, {op.getSrc(), constant(tiesAway)},
                             /*isPure=*/true));
  }

  LogicalResult emulate(NVVM::CpAsyncOp op) {
    Value bytes = constant(op.getSize()), sourceBytes = op.getCpSize() ? op.getCpSize() : bytes;
    code.call(builder, loc, "proa_emulate_cp_async", {}, {op.getDst(), op.getSrc(), bytes, sourceBytes});
    return erase(op);
  }

  LogicalResult emulate(NVVM::CpAsyncCommitGroupOp op) {
    code.call(builder, loc, "proa_emulate_cp_async_commit", {}, {});
    return erase(op);
  }

  LogicalResult emulate(NVVM::CpAsyncWaitGroupOp op) {
    code.call(builder, loc, "proa_emulate_cp_async_wait", {}, constant(op.getN()));
    return erase(op);
  }

  LogicalResult emulate(NVVM::CpAsyncMBarrierArriveOp op) {
    code.call(builder, loc, "proa_emulate_cp_async_mbarrier_arrive", {},
              {op.getAddr(), constant(op.getNoinc())});
    return erase(op);
  }

  LogicalResult emulate(NVVM::MBarrierInitOp op) {
    code.call(builder, loc, "proa_emulate_mbarrier_init", {},
              {op.getAddr(), op.getCount(), predicateOr(op.getPredicate())});
    return erase(op);
  }

  LogicalResult emulate(NVVM::MBarrierInvalOp op) {
    code.call(builder, loc, "proa_emulate_mbarrier_inval", {}, op.getAddr());
    return erase(op);
  }

  LogicalResult emulate(NVVM::MBarrierExpectTxOp op) {
    code.call(builder, loc, "proa_emulate_mbarrier_expect_tx", {}, {op.getAddr(), op.getTxcount()});
    return erase(op);
  }

  LogicalResult emulate(NVVM::MBarrierCompleteTxOp op) {
    code.call(builder, loc, "proa_emulate_mbarrier_complete_tx", {}, {op.getAddr(), op.getTxcount()});
    return erase(op);
  }

  LogicalResult emulate(NVVM::MBarrierArriveOp op) {
    return emulateArrive(op, op.getAddr(), op.getCount(), /*drops=*/false, {}, {});
  }

  LogicalResult emulate(NVVM::MBarrierArriveDropOp op) {
    return emulateArrive(op, op.getAddr(), op.getCount(), /*drops=*/true, {}, {});
  }

  LogicalResult emulate(NVVM::MBarrierArriveExpectTxOp op) {
    return emulateArrive(op, op.getAddr(), {}, /*drops=*/false, op.getTxcount(), op.getPredicate());
  }

  LogicalResult emulate(NVVM::MBarrierArriveDropExpectTxOp op) {
    return emulateArrive(op, op.getAddr(), {}, /*drops=*/true, op.getTxcount(), {});
  }

  LogicalResult emulate(NVVM::MBarrierTryWaitParityOp op) {
    emulateWait(op.getAddr(), op.getPhase());
    return erase(op);
  }

  LogicalResult emulate(NVVM::MBarrierTryWaitOp op) {
    return replace(op, asFlag(emulateWait(op.getAddr(), op.getStateOrPhase())));
  }

  LogicalResult emulate(NVVM::MBarrierTestWaitOp op) {
    return replace(op, asFlag(emulateWait(op.getAddr(), op.getStateOrPhase())));
  }

  LogicalResult emulate(NVVM::SetMaxRegisterOp op) {
    bool isIncrease = op.getAction() == NVVM::SetMaxRegisterAction::increase;
    code.synchronize(builder, loc, "proa_emulate_set_registers", {},
                     {constant(static_cast<int32_t>(op.getRegCount())), constant(isIncrease)});
    return erase(op);
  }

  LogicalResult emulate(NVVM::WgmmaFenceAlignedOp op) {
    code.call(builder, loc, "proa_emulate_wgmma_fence", {}, {});
    return erase(op);
  }

  LogicalResult emulate(NVVM::WgmmaGroupSyncAlignedOp op) {
    code.call(builder, loc, "proa_emulate_wgmma_commit", {}, {});
    return erase(op);
  }

  LogicalResult emulate(NVVM::WgmmaWaitGroupSyncOp op) {
    code.synchronize(builder, loc, "proa_emulate_wgmma_wait", {}, constant(op.getGroup()));
    return erase(op);
  }

  LogicalResult emulate(NVVM::FenceMbarrierInitOp op) { return emulateFence(op, FenceKind::MbarrierInit); }

  LogicalResult emulate(NVVM::MembarOp op) {
    return op.getScope() == NVVM::MemScopeKind::GPU || op.getScope() == NVVM::MemScopeKind::SYS
               ? emulateFence(op, FenceKind::Memory)
               : erase(op); // of a block or a cluster, which is a block here
  }

  LogicalResult emulate(LLVM::FenceOp op) {
    StringRef scope = op.getSyncscope().value_or("");
    return scope.empty() || scope == "device" ? emulateFence(op, FenceKind::Memory) : erase(op);
  }

  LogicalResult emulate(NVVM::FenceProxyOp op) {
    switch (op.getKind()) {
    case NVVM::ProxyKind::async:
    case NVVM::ProxyKind::async_shared:
      return emulateFence(op, FenceKind::Proxy);
    default:
      return erase(op); // of global memory and aliases
    }
  }

  LogicalResult emulate(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) {
    if (!op.getIm2colOffsets().empty() || op.getMulticastMask() || op.getMode() != NVVM::TMALoadMode::TILE ||
        op.getGroup())
      return refuseForm(op);
    code.usesAsyncProxy = true;
    code.synchronize(builder, loc, "proa_emulate_tma_load", {},
                     {op.getDstMem(), op.getTmaDescriptor(), op.getMbar(), store(op.getCoordinates()),
                      constant(op.getCoordinates().size()), predicateOr(op.getPredicate())});
    return erase(op);
  }

  LogicalResult emulate(NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op) {
    if (op.getMode() != NVVM::TMAStoreMode::TILE)
      return refuseForm(op);
    code.usesAsyncProxy = true;
    code.call(builder, loc, "proa_emulate_tma_store", {},
              {op.getTmaDescriptor(), op.getSrcMem(), store(op.getCoordinates()),
               constant(op.getCoordinates().size()), predicateOr(op.getPredicate())});
    return erase(op);
  }

  LogicalResult emulate(NVVM::CpAsyncBulkGlobalToSharedClusterOp op) {
    if (op.getMulticastMask())
      return refuseForm(op);
    code.usesAsyncProxy = true;
    code.synchronize(builder, loc, "proa_emulate_bulk_load", {},
                     {op.getDstMem(), op.getSrcMem(), op.getMbar(), op.getSize()});
    return erase(op);
  }

  LogicalResult emulate(NVVM::CpAsyncBulkSharedCTAToGlobalOp op) {
    if (op.getByteMask())
      return refuseForm(op);
    code.usesAsyncProxy = true;
    code.call(builder, loc, "proa_emulate_bulk_store", {}, {op.getDstMem(), op.getSrcMem(), op.getSize()});
    return erase(op);
  }

  LogicalResult emulate(NVVM::CpAsyncBulkCommitGroupOp op) {
    code.call(builder, loc, "proa_emulate_bulk_commit", {}, {});
    return erase(op);
  }

  LogicalResult emulate(NVVM::CpAsyncBulkWaitGroupOp op) {
    code.call(builder, loc, "proa_emulate_bulk_wait", {}, constant(op.getGroup()));
    return erase(op);
  }

  LogicalResult emulate(NVVM::WgmmaMmaAsyncOp op) {
    NVVM::MMAShapeAttr shape = op.getShape();
    auto typeA = elementOf(op.getTypeA()), typeB = elementOf(op.getTypeB()), typeD = elementOf(op.getTypeD());
    if (!typeA || !typeB || !typeD)
      return refuseForm(op);
    int64_t flags = 0;
    auto setFlag = [&](bool isSet, int64_t flag) { flags |= isSet ? flag : 0; };
    setFlag(op.getScaleD() == NVVM::WGMMAScaleOut::one, addsAccumulator);
    setFlag(op.getScaleA() == NVVM::WGMMAScaleIn::neg, negatesA);
    setFlag(op.getScaleB() == NVVM::WGMMAScaleIn::neg, negatesB);
    setFlag(op.getLayoutA() == NVVM::MMALayout::col, isATransposed);
    setFlag(op.getLayoutB() == NVVM::MMALayout::row, isBTransposed);
    setFlag(op.getSatfinite() == NVVM::MMAIntOverflow::satfinite, saturatesSums);
    Value accumulator = code.slot(op.getInouts().getType()), result = code.slot(op.getType());
    LLVM::StoreOp::create(builder, loc, op.getInouts(), accumulator);
    code.usesAsyncProxy = true;
    code.synchronize(builder, loc, "proa_emulate_wgmma", {},
                     {constant(shape.getN()), constant(shape.getK()), constant(*typeA), constant(*typeB),
                      constant(*typeD), constant(flags), op.getDescriptorA(), op.getDescriptorB(),
                      accumulator, result});
    return replace(op, LLVM::LoadOp::create(builder, loc, op.getType(), result));
  }

  /// PTX that the dialect has no op for, by its text.
  LogicalResult emulate(NVVM::InlinePtxOp op) {
    if (op.getPtxCode() == "mov.b32 $0, $1;" && op.getReadOnlyArgs().size() == 1 && op.getNumResults() == 1 &&
        op.getResult(0).getType() == op.getReadOnlyArgs()[0].getType() && !op.getPredicate())
      return replace(op, op.getReadOnlyArgs()[0]);
    return refuseForm(op);
  }

  LogicalResult emulate(rt::WgmmaOp op) {
    Value result = code.slot(op.getType());
    int64_t flags = addsAccumulator | (op.getTransposesY() ? int64_t(isBTransposed) : 0);
    SmallVector<Value> sums;
    for (int64_t i = 0; i < op.getColumns() / 2; ++i)
      sums.push_back(LLVM::ExtractValueOp::create(builder, loc, op.getSums(), i));
    code.usesAsyncProxy = true;
    code.synchronize(builder, loc, "proa_emulate_wgmma_registers", {},
                     {constant(op.getColumns()), constant(rt::WgmmaOp::k), constant(op.getMatrixElement()),
                      constant(flags), store(op.getX()), op.getY(), store(sums), result});
    return replace(op, LLVM::LoadOp::create(builder, loc, op.getType(), result));
  }

  LogicalResult emulate(rt::Exp2FtzOp op) {
    Type f32 = builder.getF32Type();
    auto scalar = [&](double value) {
      return LLVM::ConstantOp::create(builder, loc, f32, builder.getF32FloatAttr(static_cast<float>(value)));
    };
    Value power = LLVM::Exp2Op::create(builder, loc, op.getExponent());
    Value isSubnormal = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::olt, power, scalar(0x1p-126));
    return replace(op, LLVM::SelectOp::create(builder, loc, isSubnormal, scalar(0), power));
  }

  LogicalResult emulate(NVVM::RcpApproxFtzF32Op op) {
    Value one = LLVM::ConstantOp::create(builder, loc, builder.getF32Type(), builder.getF32FloatAttr(1));
    return replace(op, LLVM::FDivOp::create(builder, loc, one, op.getArg()));
  }

  LogicalResult readRegister(Operation *op, Register index) {
    return replace(op,
                   code.call(builder, loc, "proa_emulate_register", i32, constant(index), /*isPure=*/true));
  }

  /// Of ops without an effect on one thread of the CPU: fences and hints.
  LogicalResult erase(Operation *op) {
    op->erase();
    return success();
  }

private:
  ThreadCode &code;
  OpBuilder builder;
  Location loc;
  Type i32;

  Value constant(int64_t value) { return i32Constant(builder, loc, value); }
  /// A code of lib/runtime/emulator/Codes.h.
  template <class Code>
  Value constant(Code value)
    requires std::is_enum_v<Code>
  {
    return constant(static_cast<int64_t>(value));
  }

  LogicalResult emulateFence(Operation *op, FenceKind kind) {
    code.call(builder, loc, "proa_emulate_fence", {}, constant(kind));
    return erase(op);
  }

  LogicalResult replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    return erase(op);
  }

  static LogicalResult refuseForm(Operation *op) {
    return op->emitOpError("has a form that the emulator does not support");
  }

  Value asI32(Value value) {
    return value.getType() == i32 ? value : LLVM::BitcastOp::create(builder, loc, i32, value);
  }

  Value asFlag(Value value) {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, value, constant(0));
  }

  /// {value, i1} with the flag that a call stored.
  Value pairWithFlag(Type type, Value value, Value flagAddress) {
    Value flag = asFlag(LLVM::LoadOp::create(builder, loc, i32, flagAddress));
    Value pair = LLVM::UndefOp::create(builder, loc, type);
    pair = LLVM::InsertValueOp::create(builder, loc, pair, value, ArrayRef<int64_t>{0});
    return LLVM::InsertValueOp::create(builder, loc, pair, flag, ArrayRef<int64_t>{1});
  }

  /// Stores registers after each other; the address of the first.
  Value store(ValueRange values) {
    Type array = LLVM::LLVMArrayType::get(values.front().getType(), values.size());
    Value memory = code.slot(array);
    for (auto [i, value] : llvm::enumerate(values)) {
      Value address = LLVM::GEPOp::create(builder, loc, memory.getType(), value.getType(), memory,
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(builder, loc, value, address);
    }
    return memory;
  }

  /// A predicate as i32; 1 without one.
  Value predicateOr(Value predicate) {
    return predicate ? LLVM::ZExtOp::create(builder, loc, i32, predicate) : constant(1);
  }

  LogicalResult emulateArrive(Operation *op, Value address, Value count, bool drops, Value expectedBytes,
                              Value predicate) {
    Value state = code.synchronize(builder, loc, "proa_emulate_mbarrier_arrive", builder.getI64Type(),
                                   {address, count ? count : constant(1), constant(drops),
                                    expectedBytes ? expectedBytes : constant(0), predicateOr(predicate)});
    return op->getNumResults() == 1 ? replace(op, state) : erase(op);
  }

  /// A phase of 32 bits is a parity, one of 64 bits a state of an arrival.
  Value emulateWait(Value address, Value stateOrPhase) {
    bool isParity = stateOrPhase.getType() == i32;
    if (isParity)
      stateOrPhase = LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), stateOrPhase);
    return code.synchronize(builder, loc, "proa_emulate_mbarrier_wait", i32,
                            {address, stateOrPhase, constant(isParity)});
  }

  static bool isTileOf16Bits(NVVM::LdStMatrixShapeAttr shape, NVVM::LdStMatrixEltType type) {
    return shape.getM() == 8 && shape.getN() == 8 && type == NVVM::LdStMatrixEltType::B16;
  }

  template <class BarrierOp>
  LogicalResult emulateBarrier(BarrierOp op, Value id, Value count, int32_t reduction, Value predicate) {
    Value result = code.synchronize(builder, loc, "proa_emulate_barrier", i32,
                                    {id, count, constant(reduction), predicate, constant(code.barrierOps++)});
    if (op->getNumResults() == 1)
      return replace(op, result);
    return erase(op);
  }
};

} // namespace

LogicalResult emulateOp(Operation *op, ThreadCode &code) {
  OpEmulator emulator(op, code);
  if (std::optional<Register> index = registerOf(op))
    return emulator.readRegister(op, *index);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<NVVM::Barrier0Op, NVVM::BarrierOp, NVVM::BarrierArriveOp, NVVM::ShflOp, NVVM::VoteSyncOp,
            NVVM::ReduxOp, NVVM::MatchSyncOp, NVVM::ElectSyncOp, NVVM::SyncWarpOp, NVVM::LdMatrixOp,
            NVVM::StMatrixOp, NVVM::MmaOp, NVVM::ConvertFloatToTF32Op, NVVM::CpAsyncOp,
            NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp, NVVM::RcpApproxFtzF32Op,
            NVVM::CpAsyncMBarrierArriveOp, NVVM::MBarrierInitOp, NVVM::MBarrierInvalOp,
            NVVM::MBarrierExpectTxOp, NVVM::MBarrierCompleteTxOp, NVVM::MBarrierArriveOp,
            NVVM::MBarrierArriveDropOp, NVVM::MBarrierArriveExpectTxOp, NVVM::MBarrierArriveDropExpectTxOp,
            NVVM::MBarrierTryWaitParityOp, NVVM::MBarrierTryWaitOp, NVVM::MBarrierTestWaitOp,
            NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp, NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp,
            NVVM::CpAsyncBulkGlobalToSharedClusterOp, NVVM::CpAsyncBulkSharedCTAToGlobalOp,
            NVVM::CpAsyncBulkCommitGroupOp, NVVM::CpAsyncBulkWaitGroupOp, NVVM::WgmmaMmaAsyncOp,
            NVVM::WgmmaFenceAlignedOp, NVVM::WgmmaGroupSyncAlignedOp, NVVM::WgmmaWaitGroupSyncOp,
            NVVM::FenceMbarrierInitOp, NVVM::FenceProxyOp, NVVM::MembarOp, LLVM::FenceOp, NVVM::InlinePtxOp,
            NVVM::SetMaxRegisterOp, rt::WgmmaOp, rt::Exp2FtzOp>(
          [&](auto found) { return emulator.emulate(found); })
      .Case<NVVM::FenceScClusterOp, NVVM::FenceSyncRestrictOp, NVVM::FenceProxyAcquireOp,
            NVVM::FenceProxyReleaseOp, NVVM::FenceProxySyncRestrictOp, NVVM::PrefetchOp, NVVM::NanosleepOp>(
          [&](auto found) { return emulator.erase(found); })
      .Default(
          [](Operation *unknown) { return unknown->emitOpError("is not an op that the emulator supports"); });
}

} // namespace proa
