// Checks before accesses of memory.
#include "passes/emulate-gpu/ThreadCode.h"

#include "lib/runtime/emulator/Codes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace proa {
using namespace emulator;
namespace {

struct Access {
  Value address;
  Value bytes;
  int64_t alignment = 1;
  AccessKind kind = readAccess;
};

class AccessChecker {
public:
  AccessChecker(ThreadCode &code, ArrayRef<Value> buffers)
      : code(code), layout(code.function()->getParentOfType<ModuleOp>()) {
    for (auto [i, buffer] : llvm::enumerate(buffers))
      indices[buffer] = static_cast<int32_t>(i);
  }

  void check(Operation *op) {
    OpBuilder builder(op);
    if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
      return emitMaskedCheck(builder, op, load.getData(), load.getMask(), load.getType(), load.getAlignment(),
                             readAccess);
    if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op))
      return emitMaskedCheck(builder, op, store.getData(), store.getMask(), store.getValue().getType(),
                             store.getAlignment(), writeAccess);
    for (const Access &access : accessesOf(op, builder)) {
      emitCheck(builder, op->getLoc(), access);
      code.exchangesValues |= access.kind == atomicAccess && !isShared(access.address);
    }
  }

private:
  ThreadCode &code;
  DataLayout layout;
  llvm::DenseMap<Value, int32_t> indices;

  Access ofType(OpBuilder &builder, Location loc, Value address, Type type, std::optional<uint64_t> alignment,
                AccessKind kind) {
    return {address, i64Constant(builder, loc, layout.getTypeSize(type)),
            static_cast<int64_t>(alignment.value_or(layout.getTypeABIAlignment(type))), kind};
  }

  static bool isShared(Value address) {
    return cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() ==
           static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  }

  /// The global side of a bulk copy; the emulator checks the shared one.
  static Access bulkAccess(OpBuilder &builder, Location loc, Value address, Value bytes) {
    constexpr int64_t alignment = 16;
    return {address, LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), bytes), alignment, copyAccess};
  }

  SmallVector<Access> accessesOf(Operation *op, OpBuilder &builder) {
    Location loc = op->getLoc();
    auto copy = [&](auto copyOp) -> SmallVector<Access> {
      Value bytes = copyOp.getLen();
      if (bytes.getType() != builder.getI64Type())
        bytes = LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), bytes);
      return {{copyOp.getSrc(), bytes, 1, readAccess}, {copyOp.getDst(), bytes, 1, writeAccess}};
    };
    return llvm::TypeSwitch<Operation *, SmallVector<Access>>(op)
        .Case<LLVM::LoadOp>([&](LLVM::LoadOp load) -> SmallVector<Access> {
          return {ofType(builder, loc, load.getAddr(), load.getType(), load.getAlignment(), readAccess)};
        })
        .Case<LLVM::StoreOp>([&](LLVM::StoreOp store) -> SmallVector<Access> {
          return {ofType(builder, loc, store.getAddr(), store.getValue().getType(), store.getAlignment(),
                         writeAccess)};
        })
        .Case<LLVM::AtomicRMWOp>([&](LLVM::AtomicRMWOp atomic) -> SmallVector<Access> {
          return {ofType(builder, loc, atomic.getPtr(), atomic.getVal().getType(), atomic.getAlignment(),
                         atomicAccess)};
        })
        .Case<LLVM::AtomicCmpXchgOp>([&](LLVM::AtomicCmpXchgOp atomic) -> SmallVector<Access> {
          return {ofType(builder, loc, atomic.getPtr(), atomic.getVal().getType(), atomic.getAlignment(),
                         atomicAccess)};
        })
        .Case<LLVM::MemcpyOp, LLVM::MemmoveOp>(copy)
        .Case<NVVM::CpAsyncOp>([&](NVVM::CpAsyncOp async) -> SmallVector<Access> {
          Value bytes = async.getCpSize() ? async.getCpSize() : i32Constant(builder, loc, async.getSize());
          return {{async.getSrc(), LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), bytes),
                   async.getSize(), copyAccess}};
        })
        .Case<NVVM::CpAsyncBulkGlobalToSharedClusterOp>([&](auto bulk) -> SmallVector<Access> {
          return {bulkAccess(builder, loc, bulk.getSrcMem(), bulk.getSize())};
        })
        .Case<NVVM::CpAsyncBulkSharedCTAToGlobalOp>([&](auto bulk) -> SmallVector<Access> {
          return {bulkAccess(builder, loc, bulk.getDstMem(), bulk.getSize())};
        })
        .Default([](Operation *) { return SmallVector<Access>(); });
  }

  /// The value that an address is computed from.
  static Value baseOf(Value address) {
    for (Operation *op = address.getDefiningOp(); op; op = address.getDefiningOp()) {
      if (auto element = dyn_cast<LLVM::GEPOp>(op))
        address = element.getBase();
      else if (isa<LLVM::AddrSpaceCastOp, LLVM::BitcastOp>(op))
        address = op->getOperand(0);
      else
        break;
    }
    return address;
  }

  /// Of each element whose mask is set; the vector may be partly outside of its buffer.
  void emitMaskedCheck(OpBuilder &builder, Operation *op, Value address, Value mask, Type type,
                       uint64_t alignment, AccessKind kind) {
    Location loc = op->getLoc();
    auto vector = cast<VectorType>(type);
    Type bits = builder.getIntegerType(static_cast<unsigned>(vector.getNumElements()));
    Value set = LLVM::BitcastOp::create(builder, loc, bits, mask);
    if (vector.getNumElements() < 64)
      set = LLVM::ZExtOp::create(builder, loc, builder.getI64Type(), set);
    code.call(builder, loc, "proa_emulate_check_masked", {},
              {address, i64Constant(builder, loc, layout.getTypeSize(vector.getElementType())), set,
               i64Constant(builder, loc, static_cast<int64_t>(alignment)), i32Constant(builder, loc, kind)});
  }

  void emitCheck(OpBuilder &builder, Location loc, const Access &access) {
    Value base = baseOf(access.address);
    Operation *definition = base.getDefiningOp();
    // The arguments are the arrays of buffers and dims, which the entry point passes on.
    auto argument = dyn_cast<BlockArgument>(base);
    if (isa_and_present<LLVM::AllocaOp>(definition) || (argument && argument.getOwner()->isEntryBlock()))
      return;
    SmallVector<Value> arguments{access.address, access.bytes, i64Constant(builder, loc, access.alignment),
                                 i32Constant(builder, loc, access.kind)};
    if (auto index = indices.find(base); index != indices.end()) {
      arguments.push_back(i32Constant(builder, loc, index->second));
      code.call(builder, loc, "proa_emulate_check_buffer", {}, arguments);
      return;
    }
    if (auto global = dyn_cast_or_null<LLVM::AddressOfOp>(definition)) {
      auto variable =
          global->getParentOfType<ModuleOp>().lookupSymbol<LLVM::GlobalOp>(global.getGlobalName());
      if (!variable || variable.getAddrSpace() != static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared))
        return; // a constant
      SharedVariable position = code.placeShared(variable);
      arguments.push_back(i64Constant(builder, loc, position.offset));
      arguments.push_back(i64Constant(builder, loc, position.size));
      code.call(builder, loc, "proa_emulate_check_shared", {}, arguments);
      return;
    }
    code.call(builder, loc, "proa_emulate_check_anywhere", {}, arguments);
  }
};

} // namespace

void checkAccesses(ThreadCode &code, ArrayRef<Value> buffers) {
  AccessChecker checker(code, buffers);
  SmallVector<Operation *> ops;
  code.function().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    checker.check(op);
}

} // namespace proa
