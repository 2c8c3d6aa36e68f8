#include "passes/lower-gpu/Prologue.h"

#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/AccessWidth.h"
#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/LinalgElements.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
namespace {

/// A view that only moves the indices of its source.
memref::SubViewOp movedViewOf(Value memory) {
  auto view = memory.getDefiningOp<memref::SubViewOp>();
  bool hasUnitStrides = view && llvm::all_of(view.getMixedStrides(),
                                             [](OpFoldResult s) { return getConstantIntValue(s) == 1; });
  return hasUnitStrides ? view : memref::SubViewOp();
}

/// The op that writes `memory`, if it has the form of a prologue.
linalg::LinalgOp writerOf(Value memory) {
  for (Operation *user : memory.getUsers())
    if (auto op = dyn_cast<linalg::LinalgOp>(user))
      if (isFusedWith(op, FusedWith::Operand) && op.getNumDpsInits() == 1 && op.getDpsInits()[0] == memory &&
          op.getNumReductionLoops() == 0 && op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
        return op;
  return {};
}

/// The buffer below views that only move indices.
memref::AllocOp bufferBelow(Value memory) {
  while (auto view = movedViewOf(memory))
    memory = view.getSource();
  return memory.getDefiningOp<memref::AllocOp>();
}

/// Whether all that reads `memory`, which `writer` writes, are contractions.
bool isReadByContractions(Value memory, Operation *writer) {
  return llvm::all_of(memory.getUsers(), [&](Operation *user) {
    if (user == writer || isa<memref::DimOp>(user))
      return true;
    if (auto view = dyn_cast<memref::SubViewOp>(user))
      return movedViewOf(view) && isReadByContractions(view, writer);
    auto reader = dyn_cast<linalg::LinalgOp>(user);
    return reader && contractionOf(reader) && !llvm::is_contained(reader.getDpsInits(), memory);
  });
}

} // namespace

bool isOnlyPrologue(Operation *op) {
  auto writer = dyn_cast<linalg::LinalgOp>(op);
  if (!writer || writer.getNumDpsInits() != 1 || writerOf(writer.getDpsInits()[0]) != writer)
    return false;
  memref::AllocOp buffer = bufferBelow(writer.getDpsInits()[0]);
  return buffer && isReadByContractions(buffer, op);
}

std::optional<Prologue> Prologue::of(OpOperand &operand) {
  Value memory = operand.get();
  linalg::LinalgOp writer = writerOf(memory);
  while (!writer) {
    auto view = movedViewOf(memory);
    if (!view)
      return std::nullopt;
    memory = view.getSource();
    writer = writerOf(memory);
  }
  if (!isOnlyPrologue(writer))
    return std::nullopt;
  Prologue prologue;
  prologue.view = operand.get();
  prologue.op = writer;
  return prologue;
}

/// Indices of `memory` in `whole`, of which it is a view.
static SmallVector<Value> indicesIn(Value whole, OpBuilder &b, Location loc, Value memory,
                                    SmallVector<Value> indices) {
  while (memory != whole) {
    memref::SubViewOp view = movedViewOf(memory);
    llvm::SmallBitVector dropped = view.getDroppedDims();
    SmallVector<Value> outer;
    size_t next = 0;
    for (auto [dim, offset] : llvm::enumerate(view.getMixedOffsets())) {
      Value first = getValueOrCreateConstantIndexOp(b, loc, offset);
      outer.push_back(dropped[static_cast<unsigned>(dim)]
                          ? first
                          : b.createOrFold<arith::AddIOp>(loc, first, indices[next++]));
    }
    indices = outer;
    memory = view.getSource();
  }
  return indices;
}

SmallVector<Value> Prologue::elementsAt(OpBuilder &b, Location loc, ValueRange indices, int64_t count) const {
  linalg::LinalgOp own = op;
  SmallVector<Value> first = indicesIn(own.getDpsInits()[0], b, loc, view, SmallVector<Value>(indices));
  auto position = [&](int64_t i) {
    SmallVector<Value> at(first);
    if (i > 0)
      at.back() = b.createOrFold<arith::AddIOp>(loc, at.back(), arith::ConstantIndexOp::create(b, loc, i));
    return at;
  };
  AffineExpr last = b.getAffineDimExpr(own.getNumLoops() - 1);
  // Inputs that do not differ in the last index are read once, and adjacent elements together.
  SmallVector<Value> once(own->getNumOperands()), chunks(own->getNumOperands());
  for (OpOperand *input : own.getDpsInputOperands()) {
    AffineMap map = own.getMatchingIndexingMap(input);
    auto type = dyn_cast<MemRefType>(input->get().getType());
    if (!type || !map.isFunctionOfDim(own.getNumLoops() - 1)) {
      once[input->getOperandNumber()] = loadElement(b, loc, own, *input, first);
      continue;
    }
    unsigned dim = map.getNumResults() - 1;
    bool isAdjacent = map.getResults().back() == last && type.isLastDimUnitStride() &&
                      !map.dropResult(dim).isFunctionOfDim(own.getNumLoops() - 1);
    if (count == 1 || !isAdjacent ||
        chunkElements(input->get(), memref::getMixedSize(b, loc, input->get(), dim)) % count != 0)
      continue;
    auto chunk = VectorType::get({count}, type.getElementType());
    int64_t bytes = count * type.getElementTypeBitWidth() / 8;
    chunks[input->getOperandNumber()] = vector::LoadOp::create(
        b, loc, chunk, input->get(), indicesThrough(b, loc, map, first), /*nontemporal=*/false,
        llvm::MaybeAlign(static_cast<uint64_t>(std::min(bytes, accessBytes))));
  }
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Value> at = position(i);
    elements.push_back(cloneBody(b, own, at, [&](OpOperand &operand) -> Value {
      unsigned index = operand.getOperandNumber();
      if (once[index])
        return once[index];
      if (chunks[index])
        return vector::ExtractOp::create(b, loc, chunks[index], i);
      return loadElement(b, loc, own, operand, at);
    })[0]);
  }
  return elements;
}

} // namespace proa
