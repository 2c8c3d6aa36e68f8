// Blocks that share the reductions of a row: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/ShapeFunction.h"
#include "passes/kernels/SizeBounds.h"
#include "passes/lower-gpu/CodeBuilder.h"
#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/GlobalScratch.h"
#include "passes/lower-gpu/LastBlock.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/ReductionForm.h"
#include "passes/lower-gpu/SplitForm.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/ViewLikeInterfaceUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CHOOSESLICES
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "passes/lower-gpu/Passes.h.inc"

namespace {

/// Whether `kernel` has rows and a body, and no launch yet.
bool isUnsplitKernel(func::FuncOp kernel) {
  return kernel->hasAttr(kernelAttribute) && !kernel.isDeclaration() && kernel.getNumArguments() >= 2 &&
         ScratchAttr::buffersOf(kernel).empty();
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

struct ChooseSlices : impl::ChooseSlicesBase<ChooseSlices> {
  using ChooseSlicesBase::ChooseSlicesBase;

  int64_t occupyingBlocks(func::FuncOp kernel) const {
    return blocks > 0 ? blocks.getValue() : gpuOf(kernel).residentBlocks();
  }

  int64_t slicesOf(func::FuncOp kernel, const ReductionSplit &split) const {
    constexpr int64_t slicesOfDynamicRows = 32;
    int64_t rows = RowsAttr::countOf(kernel);
    auto blocksForWork = static_cast<int64_t>(split.elementsOfRow / static_cast<double>(leastElements));
    int64_t slices = std::min({blocksForWork, largestSlices.getValue(),
                               ShapedType::isDynamic(split.size) ? largestSlices.getValue() : split.size});
    if (ShapedType::isDynamic(rows))
      return std::min(slices, slicesOfDynamicRows);
    slices = std::min<int64_t>(slices, llvm::divideCeil(occupyingBlocks(kernel), std::max<int64_t>(rows, 1)));
    if (slices < 2 || ShapedType::isDynamic(split.size))
      return slices;
    auto elements = static_cast<int64_t>(llvm::alignTo(llvm::divideCeil(split.size, slices), split.unit));
    return llvm::divideCeil(split.size, elements);
  }

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!isUnsplitKernel(kernel))
      return;
    FailureOr<std::optional<int64_t>> chosen = sharingBlocksOf(kernel);
    if (failed(chosen))
      return signalPassFailure();
    if (*chosen)
      return;
    PassRemarks remarks(getArgumentName());
    const char *obstacle = nullptr;
    std::optional<ReductionSplit> split = ReductionSplit::find(kernel, obstacle);
    if (!split) {
      remarks.missed(kernel) << "each row is computed by one block: " << obstacle;
      return;
    }
    int64_t slices = slicesOf(kernel, *split);
    if (slices < 2) {
      remarks.analysis(kernel) << "each row is computed by one block: " << estimates(kernel, *split);
      return;
    }
    setSharingBlocks(kernel, *split, slices);
    remarks.done(kernel) << std::to_string(slices)
                         << " blocks share the reductions of a row: " << estimates(kernel, *split);
  }

private:
  /// The figures that decide, for a remark.
  std::string estimates(func::FuncOp kernel, const ReductionSplit &split) const {
    int64_t rows = RowsAttr::countOf(kernel);
    std::string rowsText = ShapedType::isDynamic(rows) ? "a dynamic number of" : std::to_string(rows);
    return rowsText + " rows of " + std::to_string(static_cast<int64_t>(split.elementsOfRow)) +
           " terms, where " + std::to_string(occupyingBlocks(kernel)) +
           " blocks occupy the device and a slice has at least " + std::to_string(leastElements.getValue()) +
           " terms";
  }
};

//===----------------------------------------------------------------------===//
// The transformation
//===----------------------------------------------------------------------===//

/// The partial results of one reduction, in a slot of the scratch memory.
struct Partial {
  linalg::LinalgOp reduction;
  unsigned result = 0;
  SmallVector<int64_t> largest; ///< dims of the largest tile
  int64_t offset = 0;           ///< in bytes, in the slot
  Type element;
};

/// The largest size of each dimension of `memory`; nothing if one has no known bound.
std::optional<SmallVector<int64_t>> largestDims(Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  if (type.hasStaticShape())
    return SmallVector<int64_t>(type.getShape());
  SmallVector<OpFoldResult> sizes;
  if (auto view = memory.getDefiningOp<memref::SubViewOp>(); view && view.getDroppedDims().none())
    sizes = view.getMixedSizes();
  else if (auto cast = memory.getDefiningOp<memref::ReinterpretCastOp>())
    sizes = cast.getConstifiedMixedSizes();
  return sizes.empty() ? std::nullopt : largestSizes(sizes);
}

class ReductionSplitter : private CodeBuilder {
public:
  ReductionSplitter(OpBuilder &builder, func::FuncOp kernel, ReductionSplit split, int64_t slices)
      : CodeBuilder(builder, kernel.getLoc()), kernel(kernel), split(std::move(split)), maxSlices(slices) {}

  /// Null, or why the kernel stays unchanged.
  const char *run() {
    if (const char *obstacle = layOutSlots())
      return obstacle;
    hasDynamicRows = ShapedType::isDynamic(RowsAttr::countOf(kernel));
    addArguments();
    divideRows();
    computeSlice();
    emitFirstPhase();
    b.setInsertionPoint(split.rows.getBody()->getTerminator());
    emitSecondPhase(emitIsLastBlock(b, loc, counters, row, slices));
    return nullptr;
  }

private:
  static constexpr int64_t slotAlignment = 16;

  func::FuncOp kernel;
  ReductionSplit split;
  int64_t maxSlices;
  bool hasDynamicRows = false;
  SmallVector<Partial> partials;
  int64_t slotBytes = 0;
  Value scratch, counters;                          ///< arguments
  Value slices;                                     ///< number of slices
  Value slot, row, slice, begin;                    ///< of the iteration; `begin` of the slice
  OpFoldResult chunk, size;                         ///< elements of a whole slice, and of this one
  llvm::SmallPtrSet<Operation *, 4> smallerBuffers; ///< of a row, with the elements of a slice only

  const char *layOutSlots() {
    DataLayout layout = DataLayout::closest(kernel);
    for (const SplitOp &own : split.first) {
      if (!own.isReduced)
        continue;
      for (auto [i, init] : llvm::enumerate(linalg::LinalgOp(own.op).getDpsInits())) {
        std::optional<SmallVector<int64_t>> dims = largestDims(init);
        if (!dims)
          return "the size of a partial result has no known bound";
        Partial partial{own.op, static_cast<unsigned>(i), *dims, slotBytes,
                        getElementTypeOrSelf(init.getType())};
        auto bytes = static_cast<int64_t>(layout.getTypeSize(partial.element).getFixedValue());
        for (int64_t dim : *dims)
          bytes *= dim;
        slotBytes += llvm::alignTo(std::max<int64_t>(bytes, 1), slotAlignment);
        partials.push_back(partial);
      }
    }
    return nullptr;
  }

  /// The scratch memory, its dynamic dims and the counters, before the range of rows.
  void addArguments() {
    int64_t rows = RowsAttr::countOf(kernel), unknown = ShapedType::kDynamic;
    SmallVector<Value> added = addScratchArgument(
        kernel, {hasDynamicRows ? unknown : rows, hasDynamicRows ? unknown : maxSlices, slotBytes});
    BlockArgument counterBase = addCountersArgument(kernel);
    RowsAttr::orEmpty(kernel).withCount(hasDynamicRows ? unknown : rows * maxSlices).setOn(kernel);
    b.setInsertionPointToStart(&kernel.getBody().front());
    slices = hasDynamicRows ? added[2] : constant(maxSlices);
    Value rowCount = hasDynamicRows ? added[1] : constant(rows);
    scratch = vectorAt(b, loc, added.front(), multiply(multiply(rowCount, slices), slotBytes));
    counters = vectorAt(b, loc, counterBase, rowCount);
  }

  /// Moves the linalg ops of `block` to the end of the loop over rows.
  void moveOps(Block &block) {
    for (auto op : llvm::to_vector(block.getOps<linalg::LinalgOp>()))
      op->moveBefore(split.rows.getBody()->getTerminator());
  }

  /// The loop over rows becomes one over the slices of rows.
  void divideRows() {
    if (!split.rows) {
      Block &whole = kernel.getBody().front();
      b.setInsertionPoint(whole.getTerminator());
      unsigned count = kernel.getNumArguments();
      split.rows = scf::ForOp::create(b, loc, kernel.getArgument(count - 2), kernel.getArgument(count - 1),
                                      constant(1));
      moveOps(whole);
    }
    moveOps(*split.rows.getBody()); // after the views that the ops of a slice need
    b.setInsertionPointToStart(split.rows.getBody());
    slot = split.rows.getInductionVar();
    row = arith::DivUIOp::create(b, loc, slot, slices);
    slice = arith::RemUIOp::create(b, loc, slot, slices);
    slot.replaceUsesWithIf(row, [&](OpOperand &use) {
      return use.getOwner() != row.getDefiningOp() && use.getOwner() != slice.getDefiningOp();
    });
  }

  /// The elements of the split dimension that belong to the slice.
  void computeSlice() {
    const SplitOp *reduction = llvm::find_if(split.first, [](const auto &own) { return own.isReduced; });
    b.setInsertionPoint(split.first.front().op);
    AffineExpr d0 = b.getAffineDimExpr(0);
    if (!ShapedType::isDynamic(split.size) && !hasDynamicRows) {
      int64_t elements = elementsOfSlice(split, maxSlices);
      chunk = b.getIndexAttr(elements);
      begin = affine::makeComposedAffineApply(b, loc, d0 * elements, {slice});
      size = chunk;
      if (split.size % elements != 0) {
        AffineMap least = AffineMap::get(
            1, 0, {b.getAffineConstantExpr(elements), b.getAffineConstantExpr(split.size) - d0},
            b.getContext());
        size = affine::makeComposedFoldedAffineMin(b, loc, least, {OpFoldResult(begin)});
      }
      return;
    }
    linalg::LinalgOp op = reduction->op;
    b.setInsertionPoint(split.first.front().op);
    Value whole = toValue(op.createLoopRanges(b, loc)[*reduction->loop].size);
    AffineExpr units = b.getAffineSymbolExpr(0).ceilDiv(split.unit) * split.unit;
    Value elements = affine::makeComposedAffineApply(
        b, loc, units, {OpFoldResult(Value(arith::CeilDivUIOp::create(b, loc, whole, slices)))});
    begin = arith::MinUIOp::create(b, loc, multiply(slice, elements), whole);
    Value left = subtract(whole, begin);
    chunk = elements;
    size = Value(arith::MinUIOp::create(b, loc, elements, left));
  }

  /// A view of the partial result in the slot of this slice.
  Value partialView(const Partial &partial, Value byte, ArrayRef<OpFoldResult> sizes) {
    Value view = memref::ViewOp::create(b, loc, MemRefType::get(partial.largest, partial.element), scratch,
                                        byte, ValueRange());
    SmallVector<OpFoldResult> zeros(sizes.size(), b.getIndexAttr(0)), ones(sizes.size(), b.getIndexAttr(1));
    if (llvm::all_of(llvm::zip(sizes, partial.largest),
                     [](auto pair) { return getConstantIntValue(std::get<0>(pair)) == std::get<1>(pair); }))
      return view;
    return memref::SubViewOp::create(b, loc, view, zeros, sizes, ones);
  }

  /// The slice of an operand.
  Value sliceOf(OpOperand &operand, const SplitOp &own) {
    Value memory = operand.get();
    auto type = dyn_cast<MemRefType>(memory.getType());
    AffineMap map = linalg::LinalgOp(own.op).getMatchingIndexingMap(&operand);
    AffineExpr loop = b.getAffineDimExpr(*own.loop);
    if (!type || !llvm::is_contained(map.getResults(), loop))
      return memory;
    SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, memory);
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
        strides(sizes.size(), b.getIndexAttr(1));
    bool isLocal = smallerBuffers.contains(memory.getDefiningOp());
    for (auto [dim, expression] : llvm::enumerate(map.getResults()))
      if (expression == loop) {
        // A scratch buffer holds only the slice.
        offsets[dim] = isLocal ? OpFoldResult(b.getIndexAttr(0)) : OpFoldResult(begin);
        sizes[dim] = size;
      }
    auto outer = memory.getDefiningOp<memref::SubViewOp>();
    if (!outer)
      return memref::SubViewOp::create(b, loc, memory, offsets, sizes, strides);
    // A slice of a slice is one of the whole, as the tensor memory accelerator needs it.
    SmallVector<OpFoldResult> ofWhole, sizesOfWhole, stridesOfWhole;
    if (failed(affine::mergeOffsetsSizesAndStrides(b, loc, outer.getMixedOffsets(), outer.getMixedSizes(),
                                                   outer.getMixedStrides(), outer.getDroppedDims(), offsets,
                                                   sizes, strides, ofWhole, sizesOfWhole, stridesOfWhole)))
      return memref::SubViewOp::create(b, loc, memory, offsets, sizes, strides);
    SmallVector<int64_t> shape = decomposeMixedValues(sizes).first;
    auto reduced = memref::SubViewOp::inferRankReducedResultType(shape, outer.getSourceType(), ofWhole,
                                                                 sizesOfWhole, stridesOfWhole);
    return memref::SubViewOp::create(b, loc, reduced, outer.getSource(), ofWhole, sizesOfWhole,
                                     stridesOfWhole);
  }

  /// Whether each row computes the buffer. One that is computed before the loop over rows has all elements.
  bool isOfRow(memref::AllocOp buffer) {
    return buffer && llvm::any_of(buffer->getUsers(), [&](Operation *user) {
             auto writer = dyn_cast<linalg::LinalgOp>(user);
             return writer && llvm::is_contained(writer.getDpsInits(), buffer.getResult()) &&
                    split.rows->isProperAncestor(user);
           });
  }

  /// Whether each slice has whole steps of a contraction, except where the dimension ends.
  bool hasWholeSteps() const {
    std::optional<int64_t> elements = getConstantIntValue(chunk);
    return !elements || *elements % split.unit == 0;
  }

  /// Scratch buffers of the first phase with the elements of a slice only.
  void shrinkBuffers() {
    SmallVector<std::pair<memref::AllocOp, unsigned>> buffers;
    for (const SplitOp &own : split.first)
      for (OpOperand &operand : linalg::LinalgOp(own.op)->getOpOperands()) {
        auto buffer = operand.get().getDefiningOp<memref::AllocOp>();
        if (!isOfRow(buffer) || !own.loop)
          continue;
        AffineMap map = linalg::LinalgOp(own.op).getMatchingIndexingMap(&operand);
        for (auto [dim, expression] : llvm::enumerate(map.getResults()))
          if (expression == b.getAffineDimExpr(*own.loop) &&
              !llvm::is_contained(buffers, std::pair(buffer, unsigned(dim))))
            buffers.push_back({buffer, dim});
      }
    for (auto [buffer, dim] : buffers) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfterValue(toValue(chunk));
      SmallVector<OpFoldResult> sizes = buffer.getMixedSizes();
      sizes[dim] = chunk;
      SmallVector<int64_t> shape;
      SmallVector<Value> dynamic;
      dispatchIndexOpFoldResults(sizes, dynamic, shape);
      Value smaller =
          memref::AllocOp::create(b, loc, MemRefType::get(shape, buffer.getType().getElementType()), dynamic,
                                  buffer.getAlignmentAttr());
      buffer.replaceAllUsesWith(smaller);
      smallerBuffers.insert(smaller.getDefiningOp());
      buffer.erase();
    }
  }

  /// A copy of the op on its slice, with other results.
  linalg::LinalgOp emitSlice(const SplitOp &own, ValueRange results) {
    linalg::LinalgOp op = own.op;
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      bool isResult = op.isDpsInit(&operand) && !results.empty();
      operands.push_back(isResult ? results[operand.getOperandNumber() - op.getNumDpsInputs()]
                                  : sliceOf(operand, own));
    }
    auto copy = cast<linalg::LinalgOp>(clone(b, op, TypeRange(), operands));
    if (ContractionAttr contraction = contractionOf(op); contraction && hasWholeSteps())
      copy->setAttr(contractionAttribute, contraction.withWholeSteps());
    SmallVector<linalg::IndexOp> indices;
    copy->walk([&](linalg::IndexOp index) { indices.push_back(index); });
    for (linalg::IndexOp index : indices)
      if (index.getDim() == *own.loop) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointAfter(index);
        Value moved = arith::AddIOp::create(b, loc, index, begin);
        index.getResult().replaceAllUsesExcept(moved, moved.getDefiningOp());
      }
    return copy;
  }

  /// The first byte of a partial result in a slot.
  Value byteOf(const Partial &partial, Value ofSlot) {
    return affine::makeComposedAffineApply(b, loc, b.getAffineDimExpr(0) * slotBytes + partial.offset,
                                           {ofSlot});
  }

  SmallVector<Value> partialsOf(linalg::LinalgOp op) {
    SmallVector<Value> views;
    for (const Partial &partial : partials)
      if (partial.reduction == op)
        views.push_back(partialView(partial, byteOf(partial, slot),
                                    memref::getMixedSizes(b, loc, op.getDpsInits()[partial.result])));
    return views;
  }

  void emitFirstPhase() {
    shrinkBuffers();
    for (const SplitOp &own : split.first) {
      linalg::LinalgOp op = own.op;
      b.setInsertionPoint(op);
      if (!own.loop)
        continue;
      if (!own.isReduced) {
        emitSlice(own, {});
        op->erase();
        continue;
      }
      SmallVector<Value> views = partialsOf(op);
      for (auto [view, neutral] : llvm::zip(views, Combiner::of(op)->neutral(b, loc)))
        linalg::FillOp::create(b, loc, neutral, view);
      emitSlice(own, views);
    }
  }

  /// All slices of a partial result, as the first dimension.
  Value allSlices(const Partial &partial, ArrayRef<OpFoldResult> sizes) {
    DataLayout layout = DataLayout::closest(kernel);
    auto elementBytes = static_cast<int64_t>(layout.getTypeSize(partial.element).getFixedValue());
    Value view = memref::ViewOp::create(b, loc, MemRefType::get({1}, partial.element), scratch,
                                        byteOf(partial, multiply(row, slices)), ValueRange());
    SmallVector<OpFoldResult> dims{hasDynamicRows ? OpFoldResult(slices)
                                                  : OpFoldResult(b.getIndexAttr(maxSlices))};
    SmallVector<OpFoldResult> strides{b.getIndexAttr(slotBytes / elementBytes)};
    llvm::append_range(dims, sizes);
    SmallVector<int64_t> inner(sizes.size(), 1);
    for (size_t dim = sizes.size(); dim-- > 1;)
      inner[dim - 1] = inner[dim] * partial.largest[dim];
    for (int64_t stride : inner)
      strides.push_back(b.getIndexAttr(stride));
    SmallVector<int64_t> shape, staticStrides;
    SmallVector<Value> dynamic;
    dispatchIndexOpFoldResults(dims, dynamic, shape);
    for (OpFoldResult stride : strides)
      staticStrides.push_back(*getConstantIntValue(stride));
    auto type =
        MemRefType::get(shape, partial.element, StridedLayoutAttr::get(b.getContext(), 0, staticStrides));
    return memref::ReinterpretCastOp::create(b, loc, type, view, OpFoldResult(b.getIndexAttr(0)), dims,
                                             strides);
  }

  /// Combines the slices of a reduction, in their order, into its results.
  void emitCombination(linalg::LinalgOp op) {
    SmallVector<Value> inputs, results(op.getDpsInits());
    for (const Partial &partial : partials)
      if (partial.reduction == op)
        inputs.push_back(allSlices(partial, memref::getMixedSizes(b, loc, results[partial.result])));
    Combiner combiner = *Combiner::of(op);
    auto rank = static_cast<unsigned>(cast<MemRefType>(results[0].getType()).getRank());
    SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(rank + 1));
    SmallVector<AffineExpr> kept;
    for (unsigned dim = 0; dim < rank; ++dim)
      kept.push_back(b.getAffineDimExpr(dim + 1));
    maps.append(results.size(), AffineMap::get(rank + 1, 0, kept, b.getContext()));
    SmallVector<utils::IteratorType> loops(rank + 1, utils::IteratorType::parallel);
    loops[0] = utils::IteratorType::reduction;
    auto combined = linalg::GenericOp::create(
        b, loc, inputs, results, maps, loops, [&](OpBuilder &body, Location at, ValueRange own) {
          linalg::YieldOp::create(
              body, at, combiner.build(body, own.drop_front(inputs.size()), own.take_front(inputs.size())));
        });
    if (ArrayAttr neutral = LoopsAttr::of(op).getNeutral())
      LoopsAttr::of(combined).withNeutral(neutral).setOn(combined);
  }

  void emitSecondPhase(Value isLast) {
    auto last = scf::IfOp::create(b, loc, isLast);
    b.setInsertionPoint(last.thenBlock()->getTerminator());
    NVVM::MembarOp::create(b, loc, NVVM::MemScopeKind::GPU);
    for (linalg::LinalgOp op : split.second) {
      bool isReduction =
          llvm::any_of(partials, [&](const Partial &partial) { return partial.reduction == op; });
      if (!isReduction) {
        op->moveBefore(last.thenBlock()->getTerminator());
        continue;
      }
      b.setInsertionPoint(last.thenBlock()->getTerminator());
      emitCombination(op);
      op->erase();
    }
  }
};

struct SplitReductions : impl::SplitReductionsBase<SplitReductions> {
  using SplitReductionsBase::SplitReductionsBase;

  /// A function of shapes also returns the dims of the scratch memory.
  static void extendShapes(func::FuncOp shapes, int64_t maxSlices) {
    Operation *terminator = shapes.getBody().front().getTerminator();
    OpBuilder b(terminator);
    CodeBuilder code(b, shapes.getLoc());
    SmallVector<Value> results(terminator->getOperands());
    Value rows = results.pop_back_val(), most = code.constant(maxSlices);
    Value areFew = arith::CmpIOp::create(b, shapes.getLoc(), arith::CmpIPredicate::ult, rows, most);
    Value slices = code.select(areFew, most, code.constant(1));
    results.append({rows, slices, code.multiply(rows, slices)});
    setShapes(shapes, results);
  }

  LogicalResult splitKernel(func::FuncOp kernel) {
    FailureOr<std::optional<int64_t>> chosen = sharingBlocksOf(kernel);
    if (failed(chosen))
      return failure();
    int64_t slices = chosen->value_or(1);
    if (slices == 1)
      return success();
    const char *obstacle = nullptr;
    OpBuilder builder(&getContext());
    std::optional<ReductionSplit> split = ReductionSplit::find(kernel, obstacle);
    bool isDynamic = ShapedType::isDynamic(RowsAttr::countOf(kernel));
    func::FuncOp shapes = shapeFunctionOf(kernel);
    if (split && isDynamic && !shapes)
      obstacle = "the number of rows is dynamic, and no function computes it";
    if (!obstacle)
      obstacle = ReductionSplitter(builder, kernel, std::move(*split), slices).run();
    if (obstacle)
      PassRemarks(getArgumentName()).missed(kernel) << "each row is computed by one block: " << obstacle;
    else if (isDynamic)
      extendShapes(shapes, slices);
    return success();
  }

  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (isUnsplitKernel(kernel) && failed(splitKernel(kernel)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace proa
