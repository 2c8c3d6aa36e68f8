// Scratch buffers in shared memory: see Passes.td.
#include "dialects/proa/Proa.h"
#include "lib/base/support/CountText.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/GlobalScratch.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/StagedMemory.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_PLACESHARED
#include "passes/lower-gpu/Passes.h.inc"

namespace {

/// Alignment of each buffer, for accesses of 16 bytes. A buffer may ask for more.
constexpr int64_t minimalAlignment = 16;

struct PlaceShared : impl::PlaceSharedBase<PlaceShared> {
  using PlaceSharedBase::PlaceSharedBase;

  static void refuse(func::FuncOp kernel, const std::string &reason) {
    LaunchAttr::orEmpty(kernel).withThreads({}).setOn(kernel);
    PassRemarks("proa-place-shared").missed(kernel) << "the kernel stays on the host: " << reason;
  }

  static Attribute workgroup(MLIRContext *context) {
    return gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  }

  /// Why a buffer cannot be in shared memory; empty if it can.
  static std::string obstacleOf(memref::AllocOp buffer) {
    MemRefType type = buffer.getType();
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

  /// The option, or what a block of the target may have.
  int64_t mostBytes(func::FuncOp kernel) const {
    return sharedBytes > 0 ? sharedBytes.getValue() : gpuOf(kernel).sharedBytes;
  }

  /// Bytes of a buffer, or more than any block has.
  static int64_t bytesOf(memref::AllocOp buffer, const DataLayout &layout) {
    constexpr int64_t tooMany = int64_t(1) << 40;
    int64_t bytes = int64_t(layout.getTypeSize(buffer.getType().getElementType()).getFixedValue());
    for (int64_t size : buffer.getType().getShape())
      if (llvm::MulOverflow(bytes, size, bytes) || bytes > tooMany)
        return tooMany;
    return llvm::alignTo(std::max<int64_t>(bytes, 1), minimalAlignment);
  }

  /// The alignment that the type of accesses needs. Other buffers have the alignment of an allocation on the
  /// host, which they do not need here.
  static int64_t alignmentOf(memref::AllocOp buffer) {
    bool isShared = buffer.getType().getMemorySpace() == workgroup(buffer.getContext());
    return std::max<int64_t>(minimalAlignment, isShared ? buffer.getAlignment().value_or(1) : 1);
  }

  /// The bytes that a buffer takes at most among others.
  static int64_t roomOf(memref::AllocOp buffer, const DataLayout &layout) {
    return bytesOf(buffer, layout) + alignmentOf(buffer) - minimalAlignment;
  }

  /// Replaces a buffer by a view of the shared memory. Views of it get the same memory space.
  static void replace(memref::AllocOp buffer, Value view) {
    Attribute space = workgroup(buffer.getContext());
    buffer.getResult().replaceAllUsesWith(view);
    SmallVector<Value> changed{view};
    while (!changed.empty())
      for (Operation *user : changed.pop_back_val().getUsers())
        for (Value result : user->getResults())
          if (auto type = dyn_cast<MemRefType>(result.getType()); type && type.getMemorySpace() != space) {
            result.setType(MemRefType::get(type.getShape(), type.getElementType(), type.getLayout(), space));
            changed.push_back(result);
          }
    buffer.erase();
  }

  /// The shared memory of a kernel, which is dynamic if it is larger than static memory may be. Null after an
  /// error.
  Value sharedMemory(OpBuilder &builder, func::FuncOp kernel, int64_t bytes, int64_t alignment) {
    Location loc = kernel.getLoc();
    int64_t mostStatic = gpuOf(kernel).staticSharedBytes;
    if (bytes > mostStatic)
      LaunchAttr::orEmpty(kernel).withSharedBytes(bytes).setOn(kernel);
    PassRemarks("proa-place-shared").analysis(kernel)
        << "a block has " << std::to_string(bytes) << " bytes of "
        << (bytes > mostStatic ? "dynamic" : "static") << " shared memory, of which "
        << std::to_string(mostStatic) << " may be static";
    MemRefType type = sharedType(bytes, builder.getI8Type());
    std::string name = (kernel.getName() + sharedSuffix).str();
    if (Operation *other = getOperation().lookupSymbol(name)) {
      other->emitError() << "'" << name << "' exists, expected the name to be free for shared memory";
      return {};
    }
    auto global = memref::GlobalOp::create(builder, loc, name, builder.getStringAttr("private"), type,
                                           builder.getUnitAttr(),
                                           /*constant=*/false, builder.getI64IntegerAttr(alignment));
    builder.setInsertionPointToStart(&kernel.getBody().front());
    return memref::GetGlobalOp::create(builder, loc, type, global.getSymName());
  }

  /// Moves the buffers that shared memory is too small for to global memory, and removes them from the list.
  /// Returns why the kernel has no form, or an empty text.
  std::string moveToGlobal(func::FuncOp kernel, SmallVector<memref::AllocOp> &buffers) {
    DataLayout layout = DataLayout::closest(kernel);
    int64_t bytes = 0;
    SmallVector<memref::AllocOp> moved;
    for (memref::AllocOp buffer : buffers) {
      if (std::string obstacle = obstacleOf(buffer); !obstacle.empty())
        return obstacle;
      if (buffer.getType().hasStaticShape())
        bytes = std::min<int64_t>(bytes + roomOf(buffer, layout), int64_t(1) << 40);
      else
        moved.push_back(buffer);
    }
    const int64_t needed = bytes;
    size_t dynamic = moved.size();
    // The largest ones first.
    SmallVector<memref::AllocOp> bySize = llvm::filter_to_vector(
        buffers, [](memref::AllocOp buffer) { return buffer.getType().hasStaticShape(); });
    llvm::sort(bySize, [&](memref::AllocOp a, memref::AllocOp b) {
      int64_t bytesOfA = bytesOf(a, layout), bytesOfB = bytesOf(b, layout);
      return bytesOfA != bytesOfB ? bytesOfA > bytesOfB
                                  : a != b && llvm::find(buffers, a) < llvm::find(buffers, b);
    });
    for (memref::AllocOp buffer : bySize) {
      if (bytes <= mostBytes(kernel))
        break;
      if (whyNotGlobal(buffer).empty()) {
        moved.push_back(buffer);
        bytes -= roomOf(buffer, layout);
      }
    }
    if (bytes > mostBytes(kernel))
      return "its scratch buffers need " + std::to_string(bytes) + " bytes of shared memory, a block has " +
             std::to_string(mostBytes(kernel));
    for (memref::AllocOp buffer : moved)
      if (std::string obstacle = whyNotGlobal(buffer); !obstacle.empty())
        return obstacle;
    if (moved.empty())
      return "";
    PassRemarks("proa-place-shared").done(kernel)
        << countText(int64_t(moved.size()), "scratch buffer is", "scratch buffers are")
        << " in global memory: " << std::to_string(dynamic) << " are dynamic, and the others need "
        << std::to_string(needed) << " bytes of shared memory, of which a block has "
        << std::to_string(mostBytes(kernel));
    llvm::erase_if(buffers, [&](memref::AllocOp buffer) { return llvm::is_contained(moved, buffer); });
    placeGlobally(kernel, moved);
    return "";
  }

  void place(func::FuncOp kernel) {
    SmallVector<memref::AllocOp> buffers;
    kernel.walk([&](memref::AllocOp op) { buffers.push_back(op); });
    if (buffers.empty())
      return;
    if (std::string obstacle = moveToGlobal(kernel, buffers); !obstacle.empty())
      return refuse(kernel, obstacle);
    if (buffers.empty())
      return;
    DataLayout layout = DataLayout::closest(kernel);
    SmallVector<int64_t> offsets;
    int64_t bytes = 0, alignment = minimalAlignment;
    for (memref::AllocOp op : buffers) {
      alignment = std::max(alignment, alignmentOf(op));
      bytes = llvm::alignTo(bytes, alignmentOf(op));
      offsets.push_back(bytes);
      bytes += bytesOf(op, layout);
    }
    OpBuilder builder(kernel);
    Location loc = kernel.getLoc();
    Value memory = sharedMemory(builder, kernel, bytes, alignment);
    if (!memory)
      return signalPassFailure();
    SmallVector<Value> views;
    for (auto [op, offset] : llvm::zip(buffers, offsets)) {
      MemRefType own = op.getType();
      MemRefType viewType = sharedType(own.getShape(), own.getElementType());
      Value start = arith::ConstantIndexOp::create(builder, loc, offset);
      views.push_back(memref::ViewOp::create(builder, loc, viewType, memory, start, ValueRange()));
    }
    for (auto [op, view] : llvm::zip(buffers, views))
      replace(op, view);
  }

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (hasLaunch(kernel) && !kernel.isDeclaration())
        place(kernel);
  }
};

} // namespace
} // namespace proa
