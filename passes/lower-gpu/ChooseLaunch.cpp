// The threads of a block and the work of each, written into the IR: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/lower-gpu/ContractionForm.h"
#include "passes/lower-gpu/LaunchForm.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/ReductionForm.h"
#include "passes/lower-gpu/Strategies.h"
#include "passes/remarks/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_CHOOSELAUNCH
#include "passes/lower-gpu/Passes.h.inc"

namespace {

/// Why a kernel has no form on the GPU; empty if it has one.
std::string refusalOf(func::FuncOp function) {
  std::string refusal;
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<linalg::LinalgOp>(op))
      return WalkResult::skip();
    bool isKnown = isa<func::ReturnOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op) ||
                   isa<memref::MemRefDialect, arith::ArithDialect, affine::AffineDialect, math::MathDialect,
                       complex::ComplexDialect, gpu::GPUDialect, NVVM::NVVMDialect>(op->getDialect());
    if (!isKnown || isa<memref::CopyOp, memref::ReallocOp, memref::DeallocOp>(op)) {
      refusal = ("it has the op '" + op->getName().getStringRef() + "' outside of loops").str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return refusal;
}

class LaunchChooser {
public:
  LaunchChooser(func::FuncOp function, int64_t maxThreads, int64_t accessBytes, int64_t unrolledOps)
      : function(function), maxThreads(maxThreads), accessBytes(accessBytes), unrolledOps(unrolledOps) {
    function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  }

  /// The number of threads; nothing, after an error, if the attributes of a contraction are wrong.
  FailureOr<int64_t> run() {
    int64_t threads = warpSize;
    reason = "for few elements";
    for (linalg::LinalgOp op : ops) {
      if (contractionOf(op)) {
        leaveTma(op);
        FailureOr<ContractionChoice> choice = ContractionChoice::read(op);
        if (failed(choice))
          return failure();
        maxThreads = threads = choice->threads;
        reason = "for the tile of a contraction";
        continue;
      }
      LoopsAttr loops = requestedLoops(op);
      int64_t vector = loops.getVector() ? *loops.getVector() : vectorOf(op);
      loops.withVector(vector).setOn(op);
      if (threads < maxThreads && threads * vector < elements(op))
        reason = "for an op of " + std::to_string(elements(op)) + " elements, " + std::to_string(vector) +
                 " in a step of a thread";
      while (threads < maxThreads && threads * vector < elements(op))
        threads *= 2;
    }
    LaunchAttr::orEmpty(function).withThreads(threads).setOn(function);
    for (linalg::LinalgOp op : ops)
      if (op.getNumReductionLoops() > 0 && !contractionOf(op) && !LoopsAttr::of(op).getGroup())
        LoopsAttr::of(op).withGroup(groupOf(op, threads)).setOn(op);
    if (failed(verifyStrategiesTaken(function, /*exceptLoops=*/false)))
      return failure();
    return threads;
  }

  /// Why run() returned that number of threads.
  std::string reason;

private:
  func::FuncOp function;
  int64_t maxThreads, accessBytes, unrolledOps;
  SmallVector<linalg::LinalgOp> ops;

  /// The attribute of an op with what is requested for it. A contraction contains the code of others.
  LoopsAttr requestedLoops(linalg::LinalgOp op) {
    auto loops = LoopsAttr::of(op);
    if (loops.getFusedWith())
      return loops;
    auto requested = cast_or_null<LoopsAttr>(takeRequested(function, llvm::IsaPred<LoopsAttr>));
    if (requested && requested.getVector())
      loops = loops.withVector(*requested.getVector());
    return requested && requested.getGroup() ? loops.withGroup(*requested.getGroup()) : loops;
  }

  /// Memory shows what tensors do not: an operand of wgmma that the tensor memory accelerator cannot read.
  void leaveTma(linalg::LinalgOp op) {
    std::optional<ContractionForm> form = ContractionForm::of(op);
    if (!form || contractionOf(op).getKind() != MatmulKind::Wgmma)
      return;
    std::string x = whyNotForTma(op, op->getOpOperand(0), form->m, form->k),
                y = whyNotForTma(op, op->getOpOperand(1), form->n, form->k);
    if (x.empty() && y.empty())
      return;
    useMmaInstead(op, *form);
    LaunchAttr::orEmpty(function).withResidentBlocks({}).setOn(function);
    PassRemarks("proa-choose-launch").missed(op)
        << "mma is used instead of wgmma, which cannot read operand " << (x.empty() ? "1: " + y : "0: " + x);
  }

  static int64_t elements(linalg::LinalgOp op) { return product(op, std::nullopt); }

  /// Product of the sizes of the loops of a kind, of all loops without one.
  static int64_t product(linalg::LinalgOp op, std::optional<utils::IteratorType> kind) {
    int64_t total = 1;
    for (auto [size, own] : llvm::zip(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      if (!kind || own == *kind)
        total *= ShapedType::isDynamic(size) ? gpuOf(op).assumedDim : size;
    return total;
  }

  static int64_t bytesOf(Type type) {
    if (auto complex = dyn_cast<ComplexType>(type))
      return 2 * bytesOf(complex.getElementType());
    return type.isIntOrFloat() ? (type.getIntOrFloatBitWidth() + 7) / 8 : 8;
  }

  /// Whether `operand` runs along loop `loop` contiguously.
  static bool isContiguousAlong(linalg::LinalgOp op, OpOperand &operand, unsigned loop) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || map.getNumResults() == 0 || !type.isLastDimUnitStride())
      return false;
    return map.getResults().back() == getAffineDimExpr(loop, op.getContext());
  }

  /// Elements of a step: the elements of the widest operand that fit an access, as far as they divide the
  /// innermost loop. An op with one loop has a rest instead.
  int64_t vectorOf(linalg::LinalgOp op) {
    // Copies of a long body need more registers than a thread has.
    if (op.getNumLoops() == 0 || static_cast<int64_t>(op.getBlock()->getOperations().size()) > unrolledOps)
      return 1;
    unsigned innermost = op.getNumLoops() - 1;
    int64_t widest = 1;
    bool isContiguous = false;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isContiguousAlong(op, operand, innermost))
        continue;
      isContiguous = true;
      widest = std::max(widest, bytesOf(cast<MemRefType>(operand.get().getType()).getElementType()));
    }
    int64_t vector = std::max<int64_t>(accessBytes / widest, 1), size = op.getStaticLoopRanges().back();
    bool isReduction = op.getNumReductionLoops() > 0, isReduced = isReductionLoop(op, innermost);
    if (!isContiguous || (isReduction && !isReduced && !reducesColumns(op)))
      return 1;
    bool hasRest = ShapedType::isDynamic(size) || size % vector != 0;
    unsigned sameKind = isReduced ? op.getNumReductionLoops() : op.getNumParallelLoops();
    if (hasRest && sameKind > 1)
      return 1;
    return ShapedType::isDynamic(size) || size >= vector ? vector : 1;
  }

  /// Threads that reduce an element of the result together where threads side by side have elements side by
  /// side: as many as keep the block busy.
  static int64_t columnGroupOf(linalg::LinalgOp op, int64_t vector, int64_t threads) {
    int64_t chunks = llvm::divideCeil(product(op, utils::IteratorType::parallel), vector);
    int64_t terms = product(op, utils::IteratorType::reduction);
    int64_t group = 1;
    while (group * 2 * chunks <= threads && group * 2 <= terms)
      group *= 2;
    return group;
  }

  /// Threads that compute one element of the result together.
  static int64_t groupOf(linalg::LinalgOp op, int64_t threads) {
    int64_t results = product(op, utils::IteratorType::parallel);
    int64_t terms = product(op, utils::IteratorType::reduction);
    if (!Combiner::of(op) || terms == 1)
      return 1;
    if (reducesColumns(op))
      return columnGroupOf(op, LoopsAttr::of(op).getVector().value_or(1), threads);
    int64_t group = 1;
    while (group < warpSize && group < terms)
      group *= 2;
    bool fillsBlock = results * warpSize < threads && terms >= 2 * warpSize;
    return fillsBlock ? threads : group;
  }
};

struct ChooseLaunch : impl::ChooseLaunchBase<ChooseLaunch> {
  using ChooseLaunchBase::ChooseLaunchBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function->hasAttr(kernelAttribute) || function.isDeclaration())
      return;
    if (maxThreads < warpSize || maxThreads > 1024 || !llvm::isPowerOf2_64(maxThreads)) {
      function.emitError() << "max-threads is " << maxThreads.getValue()
                           << ", expected a power of two from 32 to 1024";
      return signalPassFailure();
    }
    PassRemarks remarks(getArgumentName());
    if (std::string refusal = refusalOf(function); !refusal.empty()) {
      remarks.missed(function) << "the kernel stays on the host: " << refusal;
      return;
    }
    LaunchChooser chooser(function, maxThreads, accessBytes, unrolledOps);
    FailureOr<int64_t> threads = chooser.run();
    if (failed(threads))
      return signalPassFailure();
    remarks.analysis(function) << "a block has " << std::to_string(*threads) << " threads, "
                               << chooser.reason;
  }
};

} // namespace
} // namespace proa
