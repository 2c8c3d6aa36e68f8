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

namespace proa {
#define GEN_PASS_DEF_CHOOSECONTRACTION
#include "passes/lower-gpu/Passes.h.inc"
} // namespace proa

using namespace mlir;
namespace {

/// Whether no other op of the kernel reduces.
bool isOnlyReduction(linalg::LinalgOp op) {
  return llvm::all_of(op->getBlock()->getOps<linalg::LinalgOp>(), [&](linalg::LinalgOp other) {
    return other == op || other.getNumReductionLoops() == 0;
  });
}

proa::ContractionSizes sizesOf(linalg::LinalgOp op, const proa::ContractionForm &form) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  auto sizeOf = [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]) ? proa::gpuOf(op).assumedDim
                                               : std::max<int64_t>(ranges[loop], 1);
  };
  proa::ContractionSizes sizes{sizeOf(form.m), sizeOf(form.n), sizeOf(form.k)};
  for (unsigned loop : form.batch)
    sizes.batch *= sizeOf(loop);
  sizes.operandBits = getElementTypeOrSelf(op->getOperand(0).getType()).getIntOrFloatBitWidth();
  sizes.sumBits = getElementTypeOrSelf(op->getOperand(2).getType()).getIntOrFloatBitWidth();
  std::optional<proa::TensorCoreTypes> types = proa::TensorCoreTypes::of(op, /*allowsTf32=*/true);
  sizes.isOfFloat8 = types && proa::isFloat8(types->element);
  sizes.canShareSums = !ShapedType::isDynamicShape(ranges) && isOnlyReduction(op);
  return sizes;
}

/// Why the tensor memory accelerator cannot read an operand for wgmma; empty if it can. Memory shows more
/// than tensors: proa-choose-launch asks again. `map` has the operand's indices, of the loops.
std::string whyNotForTma(Value operand, AffineMap map, unsigned outerLoop, unsigned kLoop) {
  Value tensor = operand;
  while (Operation *reshape = tensor.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(reshape))
      return "the kernel computes it";
    tensor = reshape->getOperand(0);
  }
  auto type = cast<RankedTensorType>(operand.getType());
  std::string why = proa::whyNotForWgmma(map, outerLoop, kLoop, type.getElementType());
  return why.empty() ? proa::whyNotAddressable(type.getShape(), type.getElementType()) : why;
}

struct ChooseContraction : proa::impl::ChooseContractionBase<ChooseContraction> {
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
    proa::ContractionSizes sizes;
    SmallVector<proa::MatmulKind> kinds;
  };

  /// The kinds for a matmul, on tensor cores or not. `why` gives the reason against wgmma for operand 0
  /// or 1.
  SmallVector<proa::MatmulKind> kindsFor(Operation *op, bool onTensorCores, const proa::GpuFacts &gpu,
                                         function_ref<std::string(unsigned)> why) {
    if (!onTensorCores)
      return {proa::MatmulKind::Fma};
    SmallVector<proa::MatmulKind> kinds{proa::MatmulKind::Mma};
    if (!gpu.hasWgmma())
      return kinds;
    std::string x = why(0), y = why(1);
    if (x.empty() && y.empty())
      kinds.push_back(proa::MatmulKind::Wgmma);
    else
      remarks.missed(op) << "wgmma cannot read operand " << (x.empty() ? "1: " + y : "0: " + x);
    return kinds;
  }

  Matmul matmulOf(linalg::LinalgOp op, const proa::ContractionForm &form, const proa::GpuFacts &gpu) {
    auto why = [&](unsigned index) {
      OpOperand &operand = op->getOpOperand(index);
      return whyNotForTma(operand.get(), op.getMatchingIndexingMap(&operand), index == 0 ? form.m : form.n,
                          form.k);
    };
    bool onTensorCores = proa::TensorCoreTypes::of(op, allowsTf32()).has_value();
    return {op, sizesOf(op, form), kindsFor(op, onTensorCores, gpu, why)};
  }

  Matmul matmulOf(Operation *grouped, const proa::GpuFacts &gpu) {
    auto form = proa::GroupedForm::of(grouped);
    auto why = [&](unsigned index) -> std::string {
      if (form.dividesK)
        return "it is a slice along k";
      return index == 0 ? whyNotForTma(form.x, form.mapOfX(), 0, 2)
                        : whyNotForTma(form.y, form.mapOfY(), 1, 2);
    };
    bool onTensorCores = proa::isHalf(form.element) || (form.element.isF32() && allowsTf32());
    return {grouped, form.averageSizes(), kindsFor(grouped, onTensorCores, gpu, why)};
  }

  bool allowsTf32() { return getOperation()->hasAttr(proa::tf32Attribute); }

  /// The fastest tile by the cost model, of `requested` if that is a kind. Nothing, after an error, if it is
  /// impossible.
  FailureOr<proa::ContractionTile> fastestTile(Matmul matmul, std::optional<proa::MatmulKind> requested,
                                               const proa::GpuFacts &gpu) {
    Operation *op = matmul.op;
    if (requested) {
      if (*requested != proa::MatmulKind::Fma && !llvm::is_contained(matmul.kinds, *requested))
        return op->emitError() << "a contraction by " << stringifyMatmulKind(*requested) << " needs "
                               << (*requested == proa::MatmulKind::Mma ? "" : "a chip with wgmma, and ")
                               << "operands of f16 or of bf16, or of f32 where TF32 is allowed, "
                                  "accumulated in f32, or of i8, extended to i32"
                               << (*requested == proa::MatmulKind::Mma
                                       ? ""
                                       : ", that the tensor memory accelerator can read");
      matmul.kinds = {*requested};
    }
    const proa::ContractionSizes &sizes = matmul.sizes;
    std::optional<proa::ContractionTile> best;
    for (proa::MatmulKind kind : matmul.kinds)
      for (const proa::ContractionTile &tile : proa::tilesOf(kind, sizes, gpu)) {
        bool fits = tile.threads() <= maxThreads;
        if (fits && (!best || proa::clocksOf(tile, sizes, gpu) < proa::clocksOf(*best, sizes, gpu)))
          best = tile;
      }
    if (!best)
      return op->emitError() << "no tile fits " << maxThreads << " threads";
    return *best;
  }

  /// Writes the fastest tile on the op, unless it has one. Other fields that are set stay. `loops` are those
  /// of the op.
  LogicalResult writeTile(const Matmul &matmul, unsigned loops, unsigned m, unsigned n, unsigned k,
                          const proa::GpuFacts &gpu) {
    auto own = proa::takeStrategy<proa::ContractionAttr>(matmul.op, proa::contractionAttribute);
    if (own && own.isComplete()) {
      matmul.op->setAttr(proa::contractionAttribute, own);
      return success();
    }
    if (!own)
      own = proa::ContractionAttr::get(&getContext(), {}, {}, {}, {}, {}, false);
    std::optional<proa::MatmulKind> requested = own.getKind() ? own.getKind() : proa::requestedKind(strategy);
    FailureOr<proa::ContractionTile> tile = fastestTile(matmul, requested, gpu);
    if (failed(tile))
      return failure();
    estimate = std::to_string(static_cast<int64_t>(proa::clocksOf(*tile, matmul.sizes, gpu))) +
               " clocks on " + std::to_string(gpu.multiprocessors) + " multiprocessors (estimate)";
    SmallVector<int64_t> sizes(loops, 1);
    sizes[m] = tile->m;
    sizes[n] = tile->n;
    sizes[k] = tile->k;
    std::optional<int64_t> stages = own.getStages(), splitK = own.getSplitK();
    if (!stages && tile->kind != proa::MatmulKind::Fma)
      stages = tile->stages;
    if (!splitK && tile->splitK > 1)
      splitK = tile->splitK;
    auto chosen = proa::ContractionAttr::getChecked([&] { return matmul.op->emitError(); }, &getContext(),
                                                    tile->kind, sizes, {tile->warpM, tile->warpN}, stages,
                                                    splitK, own.getWholeSteps());
    if (!chosen)
      return failure();
    matmul.op->setAttr(proa::contractionAttribute, chosen);
    if (tile->residentBlocks > 0)
      proa::LaunchAttr::orEmpty(getOperation())
          .withResidentBlocks(tile->residentBlocks)
          .setOn(getOperation());
    return success();
  }

  LogicalResult chooseFor(linalg::LinalgOp op, const proa::ContractionForm &form, const proa::GpuFacts &gpu) {
    estimate.clear();
    if (failed(writeTile(matmulOf(op, form, gpu), op.getNumLoops(), form.m, form.n, form.k, gpu)))
      return failure();
    FailureOr<proa::ContractionChoice> choice = proa::ContractionChoice::read(op);
    if (failed(choice))
      return failure();
    for (Value operand : op.getDpsInputs())
      if (linalg::GenericOp producer = prologueOf(operand)) {
        proa::LoopsAttr::of(producer).withFusedWith(proa::FusedWith::Operand).setOn(producer);
        remarks.done(producer) << "computed while the operand of the matmul is copied to shared memory";
      }
    linalg::GenericOp reader = elementwiseReader(op);
    if (reader)
      proa::LoopsAttr::of(reader).withFusedWith(proa::FusedWith::Result).setOn(reader);
    remarks.done(op) << "a block computes tiles of " << std::to_string(choice->m) << "x"
                     << std::to_string(choice->n) << " elements with " << std::to_string(choice->threads)
                     << " threads (" << proa::stringifyMatmulKind(choice->kind) << ", "
                     << std::to_string(choice->stages) << (choice->stages == 1 ? " stage)" : " stages)")
                     << (reader ? ", and its epilogue in registers" : "") << (estimate.empty() ? "" : "; ")
                     << estimate;
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(chooseIn(function)) || failed(proa::verifyStrategiesTaken(function, /*exceptLoops=*/true)))
      signalPassFailure();
  }

private:
  LogicalResult chooseIn(func::FuncOp function) {
    Operation *grouped = proa::groupedProductOf(function);
    if ((!function->hasAttr(proa::kernelAttribute) && !grouped) || function.isDeclaration())
      return success();
    const proa::GpuFacts &gpu = proa::gpuOf(function);
    if (grouped && failed(writeTile(matmulOf(grouped, gpu), proa::GroupedForm::loops, 0, 1, 2, gpu)))
      return failure();
    SmallVector<linalg::LinalgOp> ops;
    function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    for (linalg::LinalgOp op : ops)
      if (std::optional<proa::ContractionForm> form = proa::ContractionForm::of(op))
        if (failed(chooseFor(op, *form, gpu)))
          return failure();
    return success();
  }

  proa::PassRemarks remarks{getArgumentName()};
  std::string estimate; ///< of the last tile that was chosen; empty for one that the op had
};

} // namespace
