// How a block computes a tile of a contraction, written into the IR: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/NarrowFloats.h"
#include "passes/lower-gpu/GroupedForm.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/Strategies.h"
#include "passes/lower-gpu/hopper/TensorView.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CHOOSECONTRACTION
#include "passes/lower-gpu/Passes.h.inc"

namespace {

/// Whether no other op of the kernel reduces.
bool isOnlyReduction(linalg::LinalgOp op) {
  return llvm::all_of(op->getBlock()->getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp other) {
    return other == op || other.getNumReductionLoops() == 0;
  });
}

ContractionSizes sizesOf(linalg::LinalgOp op, const ContractionForm &form) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto sizeOf = [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]) ? gpuOf(op).assumedDim : std::max<int64_t>(ranges[loop], 1);
  };
  ContractionSizes sizes{sizeOf(form.m), sizeOf(form.n), sizeOf(form.k)};
  for (unsigned loop : form.batch)
    sizes.batch *= sizeOf(loop);
  sizes.operandBits = getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth();
  sizes.sumBits = getElementTypeOrSelf(op->getOperand(2).getType()).getIntOrFloatBitWidth();
  std::optional<TensorCoreTypes> types = TensorCoreTypes::of(op, /*allowsTf32=*/true);
  sizes.isOfFloat8 = types && isFloat8(types->element);
  sizes.canShareSums = !ShapedType::isDynamicShape(ranges) && isOnlyReduction(op);
  return sizes;
}

/// Why the tensor memory accelerator cannot read an operand for wgmma; empty if it can. Memory shows more
/// than tensors: proa-choose-launch asks again. `map` has the operand's indices, of the loops.
std::string whyUnreadable(Value operand, AffineMap map, unsigned outerLoop, unsigned kLoop) {
  Value tensor = operand;
  while (Operation *reshape = tensor.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
      return "the kernel computes it";
    tensor = reshape->getOperand(0);
  }
  auto type = cast<RankedTensorType>(operand.getType());
  std::string why = whyNotForWgmma(map, outerLoop, kLoop, type.getElementType());
  return why.empty() ? whyNotAddressable(type.getShape(), type.getElementType()) : why;
}

struct ChooseContraction : impl::ChooseContractionBase<ChooseContraction> {
  using ChooseContractionBase::ChooseContractionBase;

  /// The only op that reads the result of a contraction, if it computes each element from the same element.
  static linalg::GenericOp elementwiseReader(linalg::LinalgOp contraction) {
    Value result = contraction->getResult(0);
    if (!result.hasOneUse())
      return {};
    OpOperand &use = *result.use_begin();
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || !reader.isDpsInput(&use) || reader.getNumReductionLoops() > 0)
      return {};
    bool writesAlike = llvm::all_of(reader.getDpsInitsMutable(), [&](OpOperand &init) {
      return reader.getMatchingIndexingMap(&init).isIdentity();
    });
    bool hasIndex = !reader.getBody()->getOps<linalg::IndexOp>().empty();
    return writesAlike && !hasIndex && reader.getMatchingIndexingMap(&use).isIdentity() ? reader
                                                                                        : linalg::GenericOp();
  }

  /// The op that computes an operand from other elements, of the same number as the operand's; null if there
  /// is none, or if others read the operand too.
  static linalg::GenericOp prologueOf(Value operand) {
    auto producer = operand.getDefiningOp<linalg::GenericOp>();
    bool isElementwise = producer && operand.hasOneUse() && producer.getNumReductionLoops() == 0 &&
                         producer.getNumResults() == 1 && producer.getNumDpsInputs() > 0;
    if (!isElementwise || !producer.getBody()->getOps<linalg::IndexOp>().empty() ||
        !producer.getMatchingIndexingMap(producer.getDpsInitOperand(0)).isIdentity())
      return {};
    return producer;
  }

  /// A matmul, and the kinds that can compute it.
  struct Matmul {
    Operation *op;
    ContractionSizes sizes;
    SmallVector<MatmulKind> kinds;
  };

  /// The kinds for a matmul, on tensor cores or not. `why` gives the reason against wgmma for operand 0
  /// or 1.
  SmallVector<MatmulKind> kindsFor(Operation *op, bool onTensorCores, const GpuFacts &gpu,
                                   function_ref<std::string(unsigned)> why) {
    if (!onTensorCores)
      return {MatmulKind::Fma};
    SmallVector<MatmulKind> kinds{MatmulKind::Mma};
    if (!gpu.hasWgmma())
      return kinds;
    std::string x = why(0), y = why(1);
    if (x.empty() && y.empty())
      kinds.push_back(MatmulKind::Wgmma);
    else
      remarks.missed(op) << "wgmma cannot read operand " << (x.empty() ? "1: " + y : "0: " + x);
    return kinds;
  }

  Matmul matmulOf(linalg::LinalgOp op, const ContractionForm &form, const GpuFacts &gpu) {
    auto why = [&](unsigned index) {
      OpOperand &operand = op->getOpOperand(index);
      return whyUnreadable(operand.get(), op.getMatchingIndexingMap(&operand), index == 0 ? form.m : form.n,
                           form.k);
    };
    bool onTensorCores = TensorCoreTypes::of(op, allowsTf32()).has_value();
    return {op, sizesOf(op, form), kindsFor(op, onTensorCores, gpu, why)};
  }

  Matmul matmulOf(Operation *grouped, const GpuFacts &gpu) {
    auto form = GroupedForm::of(grouped);
    auto why = [&](unsigned index) -> std::string {
      if (form.dividesK)
        return "it is a slice along k";
      return index == 0 ? whyUnreadable(form.x, form.mapOfX(), 0, 2)
                        : whyUnreadable(form.y, form.mapOfY(), 1, 2);
    };
    bool onTensorCores = isHalf(form.element) || (form.element.isF32() && allowsTf32());
    return {grouped, form.averageSizes(), kindsFor(grouped, onTensorCores, gpu, why)};
  }

  bool allowsTf32() { return getOperation()->hasAttr(tf32Attribute); }

  /// The fastest tile by the cost model, of `requested` if that is a kind. Nothing, after an error, if it is
  /// impossible.
  FailureOr<ContractionTile> fastestTile(Matmul matmul, std::optional<MatmulKind> requested,
                                         const GpuFacts &gpu) {
    Operation *op = matmul.op;
    if (requested) {
      if (*requested != MatmulKind::Fma && !llvm::is_contained(matmul.kinds, *requested))
        return op->emitError() << "a contraction by " << stringifyMatmulKind(*requested) << " needs "
                               << (*requested == MatmulKind::Mma ? "" : "a chip with wgmma, and ")
                               << "operands of f16 or of bf16, or of f32 where TF32 is allowed, "
                                  "accumulated in f32, or of i8, extended to i32"
                               << (*requested == MatmulKind::Mma
                                       ? ""
                                       : ", that the tensor memory accelerator can read");
      matmul.kinds = {*requested};
    }
    const ContractionSizes &sizes = matmul.sizes;
    std::optional<ContractionTile> best;
    for (MatmulKind kind : matmul.kinds)
      for (const ContractionTile &tile : tilesOf(kind, sizes, gpu)) {
        bool fits = tile.threads() <= maxThreads;
        if (fits && (!best || clocksOf(tile, sizes, gpu) < clocksOf(*best, sizes, gpu)))
          best = tile;
      }
    if (!best)
      return op->emitError() << "no tile fits " << maxThreads << " threads";
    return *best;
  }

  /// Writes the fastest tile on the op, unless it has one. Other fields that are set stay. `loops` are the
  /// loops of the op.
  LogicalResult writeTile(const Matmul &matmul, unsigned loops, unsigned m, unsigned n, unsigned k,
                          const GpuFacts &gpu) {
    auto own = takeStrategy<ContractionAttr>(matmul.op, contractionAttribute);
    if (own && own.isComplete()) {
      matmul.op->setAttr(contractionAttribute, own);
      return success();
    }
    if (!own)
      own = ContractionAttr::get(&getContext(), {}, {}, {}, {}, {}, false);
    std::optional<MatmulKind> requested = own.getKind() ? own.getKind() : requestedKind(strategy);
    FailureOr<ContractionTile> tile = fastestTile(matmul, requested, gpu);
    if (failed(tile))
      return failure();
    estimate = std::to_string(static_cast<int64_t>(clocksOf(*tile, matmul.sizes, gpu))) + " clocks on " +
               std::to_string(gpu.multiprocessors) + " multiprocessors (estimate)";
    SmallVector<int64_t> sizes(loops, 1);
    sizes[m] = tile->m;
    sizes[n] = tile->n;
    sizes[k] = tile->k;
    std::optional<int64_t> stages = own.getStages(), splitK = own.getSplitK();
    if (!stages && tile->kind != MatmulKind::Fma)
      stages = tile->stages;
    if (!splitK && tile->splitK > 1)
      splitK = tile->splitK;
    auto chosen =
        ContractionAttr::getChecked([&] { return matmul.op->emitError(); }, &getContext(), tile->kind, sizes,
                                    {tile->warpM, tile->warpN}, stages, splitK, own.getWholeSteps());
    if (!chosen)
      return failure();
    matmul.op->setAttr(contractionAttribute, chosen);
    if (tile->residentBlocks > 0)
      LaunchAttr::orEmpty(getOperation()).withResidentBlocks(tile->residentBlocks).setOn(getOperation());
    return success();
  }

  LogicalResult chooseFor(linalg::LinalgOp op, const ContractionForm &form, const GpuFacts &gpu) {
    estimate.clear();
    if (failed(writeTile(matmulOf(op, form, gpu), op.getNumLoops(), form.m, form.n, form.k, gpu)))
      return failure();
    FailureOr<ContractionChoice> choice = ContractionChoice::read(op);
    if (failed(choice))
      return failure();
    for (Value operand : op.getDpsInputs())
      if (linalg::GenericOp producer = prologueOf(operand)) {
        LoopsAttr::of(producer).withFusedWith(FusedWith::Operand).setOn(producer);
        remarks.done(producer) << "computed while the operand of the matmul is copied to shared memory";
      }
    linalg::GenericOp reader = elementwiseReader(op);
    if (reader)
      LoopsAttr::of(reader).withFusedWith(FusedWith::Result).setOn(reader);
    remarks.done(op) << "a block computes tiles of " << std::to_string(choice->m) << "x"
                     << std::to_string(choice->n) << " elements with " << std::to_string(choice->threads)
                     << " threads (" << stringifyMatmulKind(choice->kind) << ", "
                     << std::to_string(choice->stages) << (choice->stages == 1 ? " stage)" : " stages)")
                     << (reader ? ", and its epilogue in registers" : "") << (estimate.empty() ? "" : "; ")
                     << estimate;
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(chooseIn(function)) || failed(verifyStrategiesTaken(function, /*exceptLoops=*/true)))
      signalPassFailure();
  }

private:
  LogicalResult chooseIn(func::FuncOp function) {
    Operation *grouped = groupedProductOf(function);
    if ((!function->hasAttr(kernelAttribute) && !grouped) || function.isDeclaration())
      return success();
    const GpuFacts &gpu = gpuOf(function);
    if (grouped && failed(writeTile(matmulOf(grouped, gpu), GroupedForm::loops, 0, 1, 2, gpu)))
      return failure();
    SmallVector<linalg::LinalgOp> ops;
    function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      if (std::optional<ContractionForm> form = ContractionForm::of(op))
        if (failed(chooseFor(op, *form, gpu)))
          return failure();
    return success();
  }

  PassRemarks remarks{getArgumentName()};
  std::string estimate; ///< of the last tile that was chosen; empty for one that the op had
};

} // namespace
} // namespace proa
