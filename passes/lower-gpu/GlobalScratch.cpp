#include "passes/lower-gpu/GlobalScratch.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/ShapeFunction.h"
#include "passes/lower-gpu/CodeBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace proa {
namespace {

/// Alignment of each buffer, for accesses of 16 bytes.
constexpr int64_t alignment = 16;

scf::ForOp rowLoopOf(func::FuncOp kernel) {
  auto loops = kernel.getBody().front().getOps<scf::ForOp>();
  return loops.empty() ? scf::ForOp() : *loops.begin();
}

/// The size that a memref.dim reads, if the op that forms the memref has it.
std::optional<OpFoldResult> sizeOf(memref::DimOp dim) {
  auto cast = dim.getSource().getDefiningOp<memref::ReinterpretCastOp>();
  std::optional<int64_t> index = dim.getConstantIndex();
  return cast && index ? std::optional(cast.getMixedSizes()[static_cast<size_t>(*index)]) : std::nullopt;
}

/// Adds the ops that compute `value` from dims of the kernel, in order. False if it depends on more.
bool addComputation(Value value, SetVector<Operation *> &ops) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getType().isIndex() && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  if (ops.contains(op))
    return true;
  auto dim = dyn_cast<memref::DimOp>(op);
  if (std::optional<OpFoldResult> size = dim ? sizeOf(dim) : std::nullopt) {
    if (auto known = dyn_cast<Value>(*size); known && !addComputation(known, ops))
      return false;
  } else if (!isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
             !llvm::all_of(op->getOperands(), [&](Value operand) { return addComputation(operand, ops); })) {
    return false;
  }
  ops.insert(op);
  return true;
}

/// The ops of addComputation; nothing if the value depends on more than dims.
std::optional<SetVector<Operation *>> computationOf(Value value) {
  SetVector<Operation *> ops;
  return addComputation(value, ops) ? std::optional(std::move(ops)) : std::nullopt;
}

/// The arguments of a kernel that are dims.
SmallVector<BlockArgument> dimsOf(func::FuncOp kernel) {
  SmallVector<BlockArgument> dims;
  for (BlockArgument argument : kernel.getArguments().drop_back(numTrailingArguments(kernel)))
    if (argument.getType().isIndex())
      dims.push_back(argument);
  return dims;
}

class GlobalPlacer : private CodeBuilder {
public:
  GlobalPlacer(OpBuilder &builder, func::FuncOp kernel)
      : CodeBuilder(builder, kernel.getLoc()), kernel(kernel), rows(rowLoopOf(kernel)) {}

  void place(ArrayRef<memref::AllocOp> buffers) {
    SmallVector<memref::AllocOp> ofRows, ofKernel;
    for (memref::AllocOp buffer : buffers)
      (isOfRow(buffer) ? ofRows : ofKernel).push_back(buffer);
    if (!ofRows.empty())
      positionIn(ofRows, /*perRow=*/true);
    if (!ofKernel.empty())
      positionIn(ofKernel, /*perRow=*/false);
  }

private:
  func::FuncOp kernel;
  scf::ForOp rows; ///< null: the kernel has none

  bool isOfRow(memref::AllocOp buffer) {
    return rows &&
           llvm::all_of(buffer->getUsers(), [&](Operation *user) { return rows->isProperAncestor(user); });
  }

  Value cloneComputation(Value value, IRMapping &map) {
    SetVector<Operation *> ops = *computationOf(value);
    for (Operation *op : ops) {
      auto dim = dyn_cast<memref::DimOp>(op);
      std::optional<OpFoldResult> size = dim ? sizeOf(dim) : std::nullopt;
      if (map.contains(op->getResult(0)))
        continue;
      if (!size)
        b.clone(*op, map);
      else if (auto known = dyn_cast<Value>(*size))
        map.map(dim.getResult(), map.lookupOrDefault(known));
      else
        map.map(dim.getResult(), toValue(*size));
    }
    return map.lookupOrDefault(value);
  }

  /// The bytes of a buffer, at the insertion point. Sizes are cloned from `map` on.
  Value bytesOf(memref::AllocOp buffer, IRMapping &map) {
    DataLayout layout = DataLayout::closest(kernel);
    auto bytes = static_cast<int64_t>(layout.getTypeSize(buffer.getType().getElementType()).getFixedValue());
    Value total = constant(bytes);
    for (OpFoldResult size : buffer.getMixedSizes()) {
      if (auto value = dyn_cast<Value>(size))
        size = cloneComputation(value, map);
      total = multiply(total, toValue(size));
    }
    return multiply(divide(add(total, alignment - 1), alignment), alignment);
  }

  /// The beginning of each buffer in a slot, and its size.
  SmallVector<Value> offsetsOf(ArrayRef<memref::AllocOp> buffers, IRMapping &map) {
    SmallVector<Value> offsets{constant(0)};
    for (memref::AllocOp buffer : buffers)
      offsets.push_back(add(offsets.back(), bytesOf(buffer, map)));
    return offsets;
  }

  void positionIn(ArrayRef<memref::AllocOp> buffers, bool perRow) {
    int64_t rowCount = perRow ? RowsAttr::countOf(kernel) : 1, bytes = 0;
    DataLayout layout = DataLayout::closest(kernel);
    for (memref::AllocOp buffer : buffers) {
      MemRefType type = buffer.getType();
      if (!type.hasStaticShape()) {
        bytes = ShapedType::kDynamic;
        break;
      }
      int64_t elements = type.getNumElements();
      bytes += llvm::alignTo(elements * layout.getTypeSize(type.getElementType()).getFixedValue(), alignment);
    }
    if (ShapedType::isDynamic(rowCount) || ShapedType::isDynamic(bytes))
      extendShapes(buffers, rowCount, bytes);
    replaceBuffers(buffers, addScratchArgument(kernel, {rowCount, bytes}).front(), perRow);
  }

  void replaceBuffers(ArrayRef<memref::AllocOp> buffers, Value base, bool perRow) {
    IRMapping none;
    b.setInsertionPointToStart(&kernel.getBody().front());
    SmallVector<Value> offsets = offsetsOf(buffers, none);
    Value begin = offsets.front();
    if (perRow) {
      b.setInsertionPointToStart(rows.getBody());
      begin = multiply(rows.getInductionVar(), offsets.back());
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      memref::AllocOp buffer = buffers[i];
      // The bytes up to the end of the buffer: a view checks nothing.
      Value bytes = vectorAt(b, loc, base, add(begin, offsets[i + 1]));
      SmallVector<Value> sizes;
      for (OpFoldResult size : buffer.getMixedSizes())
        if (auto value = dyn_cast<Value>(size))
          sizes.push_back(cloneComputation(value, none));
      Value first = add(begin, offsets[i]);
      buffer.getResult().replaceAllUsesWith(
          memref::ViewOp::create(b, loc, buffer.getType(), bytes, first, sizes).getResult());
    }
    for (memref::AllocOp buffer : buffers)
      buffer.erase();
  }

  /// The function of shapes; created if the kernel has none.
  func::FuncOp shapesOf() {
    if (func::FuncOp shapes = shapeFunctionOf(kernel))
      return shapes;
    OpBuilder builder(kernel);
    func::FuncOp shapes = createShapeFunction(builder, kernel, dimsOf(kernel).size());
    setShapes(shapes, CodeBuilder(builder, loc).constant(RowsAttr::countOf(kernel)));
    return shapes;
  }

  /// Adds the dynamic dims of the scratch memory to the results of the function of shapes, before the number
  /// of rows.
  void extendShapes(ArrayRef<memref::AllocOp> buffers, int64_t rowsOfKernel, int64_t bytes) {
    func::FuncOp shapes = shapesOf();
    Operation *terminator = shapes.getBody().front().getTerminator();
    SmallVector<Value> results(terminator->getOperands());
    Value rowCount = results.pop_back_val();
    // The kernel's dims are the dims of its inputs, which the function has as arguments, then the dims of its
    // results.
    IRMapping map;
    for (auto [i, dim] : llvm::enumerate(dimsOf(kernel))) {
      unsigned inputs = shapes.getNumArguments();
      map.map(dim, i < inputs ? Value(shapes.getArgument(i)) : results[i - inputs]);
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(terminator);
    if (ShapedType::isDynamic(rowsOfKernel))
      results.push_back(rowCount);
    if (ShapedType::isDynamic(bytes))
      results.push_back(offsetsOf(buffers, map).back());
    results.push_back(rowCount);
    setShapes(shapes, results);
  }
};

} // namespace

unsigned numTrailingArguments(func::FuncOp kernel) {
  unsigned count =
      2 + (ScratchAttr::hasCounters(kernel) ? 1 : 0) + (kernel->hasAttr(indexChecksAttribute) ? 1 : 0);
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    count += kernel.getArgAttr(i, tensorMapAttribute) ? 1 : 0;
  return count;
}

Value vectorAt(OpBuilder &b, Location loc, Value base, OpFoldResult elements) {
  auto type = MemRefType::get({ShapedType::kDynamic}, cast<MemRefType>(base.getType()).getElementType());
  return memref::ReinterpretCastOp::create(b, loc, type, base, OpFoldResult(b.getIndexAttr(0)),
                                           ArrayRef<OpFoldResult>{elements},
                                           ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

SmallVector<Value> addScratchArgument(func::FuncOp kernel, ArrayRef<int64_t> dims) {
  Builder builder(kernel.getContext());
  unsigned position = kernel.getNumArguments() - numTrailingArguments(kernel);
  SmallVector<Value> added;
  auto insert = [&](Type type) {
    (void)kernel.insertArgument(position, type, {}, kernel.getLoc());
    added.push_back(kernel.getArgument(position++));
  };
  insert(MemRefType::get({}, builder.getI8Type()));
  kernel.setArgAttr(position - 1, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  for (int64_t dim : dims)
    if (ShapedType::isDynamic(dim))
      insert(builder.getIndexType());
  ScratchAttr::orEmpty(kernel).withBuffer(dims).setOn(kernel);
  return added;
}

std::string whyNotGlobal(memref::AllocOp buffer) {
  MemRefType type = buffer.getType();
  if (!type.getLayout().isIdentity() || type.getMemorySpace())
    return "a scratch buffer has a layout or a memory space of its own";
  for (Value size : buffer.getDynamicSizes())
    if (!computationOf(size))
      return "the size of a scratch buffer depends on more than the dims of operands";
  return "";
}

void placeGlobally(func::FuncOp kernel, ArrayRef<memref::AllocOp> buffers) {
  OpBuilder builder(kernel.getContext());
  GlobalPlacer(builder, kernel).place(buffers);
}

} // namespace proa
