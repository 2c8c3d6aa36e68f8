// Scratch buffers in shared memory: see Passes.td.
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace proa {
#define GEN_PASS_DEF_PLACESHARED
#include "passes/lower-gpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// Alignment of each buffer, for accesses of 16 bytes.
constexpr int64_t alignment = 16;

struct PlaceShared : proa::impl::PlaceSharedBase<PlaceShared> {
  using PlaceSharedBase::PlaceSharedBase;

  static void refuse(func::FuncOp kernel, const std::string &reason) {
    kernel->removeAttr(proa::threadsAttribute);
    kernel->setAttr(proa::hostAttribute, StringAttr::get(kernel.getContext(), reason));
    proa::PassRemarks("proa-place-shared").missed(kernel) << "the kernel stays on the host: " << reason;
  }

  static Attribute workgroup(MLIRContext *context) {
    return gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  }

  /// Why a buffer cannot be in shared memory; empty if it can.
  static std::string obstacleOf(memref::AllocOp buffer) {
    MemRefType type = buffer.getType();
    if (!type.hasStaticShape())
      return "a scratch buffer has a dynamic size";
    bool isShared = type.getMemorySpace() == workgroup(buffer.getContext());
    if (!type.getLayout().isIdentity() || (type.getMemorySpace() && !isShared))
      return "a scratch buffer has a layout or a memory space of its own";
    if (isShared) // users keep its type
      return "";
    SmallVector<Value> views{buffer.getResult()};
    while (!views.empty())
      for (Operation *user : views.pop_back_val().getUsers()) {
        if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1)
          views.push_back(user->getResult(0));
        else if (!isa<memref::LoadOp, memref::StoreOp, memref::DimOp, vector::LoadOp, vector::StoreOp,
                      linalg::LinalgOp>(user))
          return ("a scratch buffer is used by '" + user->getName().getStringRef() + "'").str();
      }
    return "";
  }

  /// Bytes of a buffer, or more than any block has.
  static int64_t bytesOf(memref::AllocOp buffer, const DataLayout &layout) {
    constexpr int64_t tooMany = int64_t(1) << 40;
    int64_t bytes = int64_t(layout.getTypeSize(buffer.getType().getElementType()).getFixedValue());
    for (int64_t size : buffer.getType().getShape())
      if (llvm::MulOverflow(bytes, size, bytes) || bytes > tooMany)
        return tooMany;
    return llvm::alignTo(std::max<int64_t>(bytes, 1), alignment);
  }

  /// Replaces a buffer by a part of the shared memory. Views of it get the same memory space.
  static void replace(memref::AllocOp buffer, Value part) {
    Attribute space = workgroup(buffer.getContext());
    buffer.getResult().replaceAllUsesWith(part);
    SmallVector<Value> changed{part};
    while (!changed.empty())
      for (Operation *user : changed.pop_back_val().getUsers())
        for (Value result : user->getResults())
          if (auto type = dyn_cast<MemRefType>(result.getType()); type && type.getMemorySpace() != space) {
            result.setType(MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), space));
            changed.push_back(result);
          }
    buffer.erase();
  }

  void place(func::FuncOp kernel) {
    SmallVector<memref::AllocOp> buffers;
    kernel.walk([&](memref::AllocOp op) { buffers.push_back(op); });
    if (buffers.empty())
      return;
    DataLayout layout = DataLayout::closest(kernel);
    SmallVector<int64_t> offsets;
    int64_t bytes = 0;
    for (memref::AllocOp op : buffers) {
      if (std::string obstacle = obstacleOf(op); !obstacle.empty())
        return refuse(kernel, obstacle);
      offsets.push_back(bytes);
      bytes = std::min<int64_t>(bytes + bytesOf(op, layout), int64_t(1) << 40);
    }
    if (bytes > sharedBytes)
      return refuse(kernel, "its scratch buffers need " + std::to_string(bytes) +
                                " bytes of shared memory, a block has " + std::to_string(sharedBytes));
    OpBuilder builder(kernel);
    Location loc = kernel.getLoc();
    auto type = MemRefType::get({bytes}, builder.getI8Type(), MemRefLayoutAttrInterface(),
                                workgroup(builder.getContext()));
    std::string name = (kernel.getName() + "_shared").str();
    if (Operation *other = getOperation().lookupSymbol(name)) {
      other->emitError() << "'" << name << "' exists, expected the name to be free for shared memory";
      return signalPassFailure();
    }
    auto global = memref::GlobalOp::create(builder, loc, name, builder.getStringAttr("private"), type,
                                           builder.getUnitAttr(),
                                           /*constant=*/false, builder.getI64IntegerAttr(alignment));
    builder.setInsertionPointToStart(&kernel.getBody().front());
    Value memory = memref::GetGlobalOp::create(builder, loc, type, global.getSymName());
    SmallVector<Value> parts;
    for (auto [op, offset] : llvm::zip(buffers, offsets)) {
      MemRefType own = op.getType();
      auto viewType = MemRefType::get(own.getShape(), own.getElementType(), MemRefLayoutAttrInterface(),
                                      type.getMemorySpace());
      Value start = arith::ConstantIndexOp::create(builder, loc, offset);
      parts.push_back(memref::ViewOp::create(builder, loc, viewType, memory, start, ValueRange()));
    }
    for (auto [op, part] : llvm::zip(buffers, parts))
      replace(op, part);
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (proa::hasLaunch(kernel) && !kernel.isDeclaration())
        place(kernel);
  }
};

} // namespace
