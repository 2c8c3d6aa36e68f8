// A kernel that is an attention or a gradient of it becomes the code of one thread: see Passes.td.
#include "dialects/pd/ops/attention/FusedAttentionFormula.h"
#include "dialects/rt/Rt.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/KernelSignature.h"
#include "passes/kernels/ShapeFunction.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/attention/AttentionGradient.h"
#include "passes/lower-gpu/attention/AttentionKernel.h"
#include "passes/lower-gpu/attention/AttentionThreads.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace proa {
#define GEN_PASS_DEF_LOWERATTENTION
#include "passes/lower-gpu/Passes.h.inc"

namespace {

/// A dim of an operand.
struct OperandDim {
  Value operand;
  int64_t axis;

  int64_t size() const { return cast<RankedTensorType>(operand.getType()).getDimSize(axis); }
  bool isDynamic() const { return ShapedType::isDynamic(size()); }
  int64_t argument() const { return cast<BlockArgument>(operand).getArgNumber(); }
};

/// Collects the checks of a kernel.
class DimChecks {
public:
  explicit DimChecks(MLIRContext *context) : context(context) {}

  /// `dim` is `other`, or 1 if `mayBeOne`. Types have compared static dims.
  void expectSame(OperandDim dim, OperandDim other, bool mayBeOne = false) {
    if (!dim.isDynamic() && !mayBeOne)
      std::swap(dim, other);
    if (!dim.isDynamic())
      return;
    if (other.isDynamic())
      checks.push_back(
          DimCheckAttr::get(context, dim.argument(), dim.axis, other.argument(), other.axis, {}, mayBeOne));
    else
      checks.push_back(DimCheckAttr::get(context, dim.argument(), dim.axis, {}, {}, other.size(), mayBeOne));
  }

  SmallVector<Attribute> checks;

private:
  MLIRContext *context;
};

/// Adds to `proa.dim_checks` of a kernel the dims of the operands of its attention that have one size: the
/// batches of queries, keys, values and lengths, and the rows of keys and values. A dim of the mask may be 1
/// instead. Call it while the arguments are tensors.
void addAttentionDimChecks(func::FuncOp kernel, pd::FusedAttentionOpInterface op) {
  SmallVector<int64_t> ofQ = pd::attentionDims(op.getQPermutation()),
                       ofK = pd::attentionDims(op.getKPermutation()),
                       ofV = pd::attentionDims(op.getVPermutation());
  OperandDim batch{op.getQ(), ofQ[batchDim]}, keys{op.getK(), ofK[rowDim]};
  DimChecks dims(kernel.getContext());
  dims.expectSame({op.getK(), ofK[batchDim]}, batch);
  dims.expectSame({op.getV(), ofV[batchDim]}, batch);
  dims.expectSame({op.getV(), ofV[rowDim]}, keys);
  if (Value lengths = op.getKeyLengths())
    dims.expectSame({lengths, 0}, batch);
  if (Value gradient = op.getOutGrad()) {
    SmallVector<int64_t> ofOut = pd::attentionDims(op.getOutPermutation());
    dims.expectSame({gradient, ofOut[batchDim]}, batch);
    dims.expectSame({gradient, ofOut[rowDim]}, {op.getQ(), ofQ[rowDim]});
  }
  OperandDim scores[] = {batch, {op.getQ(), ofQ[headDim]}, {op.getQ(), ofQ[rowDim]}, keys};
  for (Value mask : {op.getMask(), op.getKeyMask()})
    for (int64_t axis = 0; mask && axis < 4; ++axis)
      if (OperandDim own{mask, axis}; own.size() != 1)
        dims.expectSame(own, scores[axis], /*mayBeOne=*/own.isDynamic());
  if (!dims.checks.empty())
    kernel->setAttr(dimChecksAttribute, ArrayAttr::get(kernel.getContext(), dims.checks));
}

/// A kernel before its body is replaced.
class AttentionKernel : private AttentionLowering {
public:
  AttentionKernel(func::FuncOp kernel, pd::FusedAttentionOpInterface op, OpBuilder &builder)
      : AttentionLowering(kernel, cast<pd::DeviceKernelOpInterface>(op.getOperation()), builder), op(op) {}

  LogicalResult lower(ModuleOp module) {
    FailureOr<AttentionChoice> read = AttentionChoice::read(op);
    if (failed(read) || failed(verifyNotReferenced(kernel, module)))
      return failure();
    choice = *read;
    setWork(tiles());
    if (failed(addShapeFunction()))
      return failure();
    addAttentionDimChecks(kernel, op);
    changeToMemory();
    return replaceBody();
  }

private:
  pd::FusedAttentionOpInterface op;

  ArrayRef<int64_t> shapeOf(Value value) const { return cast<ShapedType>(value.getType()).getShape(); }

  /// The sizes of a tensor in the order [batch, heads, rows, elements].
  SmallVector<int64_t> orderedShape(Value tensor, ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> shape;
    for (int64_t dim : pd::attentionDims(permutation))
      shape.push_back(shapeOf(tensor)[static_cast<size_t>(dim)]);
    return shape;
  }

  /// The tensor of whose rows a block owns a tile, and its permutation.
  std::pair<Value, ArrayRef<int64_t>> owned() {
    return choice.isByKeys ? std::pair(op.getK(), op.getKPermutation())
                           : std::pair(op.getQ(), op.getQPermutation());
  }

  /// The number of tiles; kDynamic if a dim is.
  int64_t tiles() {
    auto count = [](int64_t rows, int64_t tile) {
      return static_cast<int64_t>(llvm::divideCeil(rows, tile));
    };
    if (auto scores = dyn_cast<pd::FusedAttentionScoreGradOp>(op.getOperation())) {
      ArrayRef<int64_t> shape = shapeOf(scores.getScoreGrad());
      return shape[batchDim] * shape[headDim] * count(shape[rowDim], choice.queries) *
             count(shape[elementDim], choice.keys);
    }
    SmallVector<int64_t> own = orderedShape(owned().first, owned().second);
    return ShapedType::isDynamicShape(own) ? ShapedType::kDynamic
                                           : own[batchDim] * own[headDim] * count(own[rowDim], choice.rows());
  }

  /// The operand that gives a dynamic dim of a result, its permutation, and which of its dims in order does.
  std::tuple<Value, ArrayRef<int64_t>, unsigned> sourceOf(Value result, unsigned dim) {
    auto positionIn = [&](ArrayRef<int64_t> permutation) {
      SmallVector<int64_t> dims = pd::attentionDims(permutation);
      return static_cast<unsigned>(llvm::find(dims, static_cast<int64_t>(dim)) - dims.begin());
    };
    if (auto attention = dyn_cast<pd::FusedAttentionOp>(op.getOperation()))
      return {op.getQ(), op.getQPermutation(),
              result == attention.getOut() ? positionIn(op.getOutPermutation()) : dim};
    if (auto values = dyn_cast<pd::FusedAttentionKvGradOp>(op.getOperation());
        values && result == values.getVGrad())
      return {op.getV(), op.getVPermutation(), positionIn(op.getVPermutation())};
    return {owned().first, owned().second, positionIn(owned().second)};
  }

  /// `@NAME_shape` for results with dynamic dims, which are dims of the operands.
  LogicalResult addShapeFunction() {
    auto isDynamic = [](Type type) { return !cast<ShapedType>(type).hasStaticShape(); };
    if (llvm::none_of(kernel.getResultTypes(), isDynamic))
      return success();
    if (failed(nameOfShapeFunction(kernel)))
      return failure();
    OpBuilder::InsertionGuard guard(b);
    SmallVector<std::pair<Value, int64_t>> dims; ///< the parameters, as dims of arguments
    for (BlockArgument argument : kernel.getArguments())
      for (auto [dim, size] : llvm::enumerate(shapeOf(argument)))
        if (ShapedType::isDynamic(size))
          dims.emplace_back(argument, static_cast<int64_t>(dim));
    func::FuncOp shape = createShapeFunction(b, kernel, dims.size());
    auto sizeOf = [&](Value tensor, ArrayRef<int64_t> permutation, unsigned dim) -> OpFoldResult {
      int64_t own = pd::attentionDims(permutation)[dim];
      if (int64_t size = shapeOf(tensor)[static_cast<size_t>(own)]; !ShapedType::isDynamic(size))
        return b.getIndexAttr(size);
      auto *found = llvm::find(dims, std::pair<Value, int64_t>(tensor, own));
      return shape.getArgument(static_cast<unsigned>(found - dims.begin()));
    };
    SmallVector<Value> results;
    for (Value result : kernel.getBody().front().getTerminator()->getOperands())
      for (auto [dim, size] : llvm::enumerate(shapeOf(result)))
        if (ShapedType::isDynamic(size)) {
          auto [tensor, permutation, at] = sourceOf(result, static_cast<unsigned>(dim));
          results.push_back(toValue(sizeOf(tensor, permutation, at)));
        }
    AffineExpr count =
        b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1) * b.getAffineSymbolExpr(2).ceilDiv(choice.rows());
    SmallVector<OpFoldResult> own;
    for (unsigned dim = 0; dim < 3; ++dim)
      own.push_back(sizeOf(owned().first, owned().second, dim));
    results.push_back(toValue(affine::makeComposedFoldedAffineApply(b, loc, count, own)));
    setShapes(shape, results);
    return success();
  }

  AttentionTensor stored(Value memory, ArrayRef<int64_t> permutation) {
    return memory ? tensorOf(memory, pd::attentionDims(permutation)) : AttentionTensor();
  }

  LogicalResult replaceBody() {
    auto windows = pd::AttentionOperands::of(op);
    AttentionCode::Operands operands{memoryOf(op.getMask()),
                                     memoryOf(op.getKeyMask()),
                                     memoryOf(op.getKeyLengths()),
                                     op.getScale().convertToDouble(),
                                     op.getMaskFill().convertToDouble(),
                                     op.getSoftCap().convertToDouble(),
                                     windows.left,
                                     windows.right,
                                     dropout()};
    Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
    AttentionSite site{b,
                       loc,
                       kernel,
                       stored(memoryOf(op.getQ()), op.getQPermutation()),
                       stored(memoryOf(op.getK()), op.getKPermutation()),
                       stored(memoryOf(op.getV()), op.getVPermutation()),
                       {},
                       choice,
                       getElementTypeOrSelf(op.getQ().getType()),
                       thread};
    if (auto attention = dyn_cast<pd::FusedAttentionOp>(op.getOperation())) {
      site.out = stored(destinationOf(attention.getOut()), op.getOutPermutation());
      AttentionCode::Statistics statistics{destinationOf(attention.getMaximum()),
                                           destinationOf(attention.getSum())};
      return replaceBy<AttentionThreads>(site, operands, statistics);
    }
    site.outGradient = stored(memoryOf(op.getOutGrad()), op.getOutPermutation());
    return replaceBy<AttentionGradient>(site, operands, gradientTensors());
  }

  /// Replaces the op by the loops of the threads of a block over its tiles: of each role, where roles have
  /// registers of their own, or else of all together, which takes fewer registers.
  template <class Code, class Tensors>
  LogicalResult replaceBy(const AttentionSite &site, const AttentionCode::Operands &operands,
                          const Tensors &tensors) {
    FailureOr<std::unique_ptr<AttentionTile>> created = makeAttentionTile(site);
    if (failed(created))
      return failure();
    AttentionTile &tile = **created;
    tile.prepare();
    Code code(site, tile, operands, tensors);
    if (choice.exchangesRegisters())
      tile.assignRoles([&] { overRows([&](Value row) { code.build(row); }); },
                       [&] { overRows([&](Value row) { code.copy(row); }); });
    else
      overRows([&](Value row) { tile.assignRoles([&] { code.build(row); }, [&] { code.copy(row); }); });
    finish();
    return success();
  }

  AttentionDropout::Dropout dropout() {
    if (!op.getDropoutCall())
      return {};
    auto dropout = pd::WeightDropout::of(op);
    AttentionDropout::Dropout code{memoryOf(dropout.call), dropout.p, dropout.factor()};
    if (!dropout.shard.whole.empty()) {
      code.begin = memoryOf(dropout.shard.begin);
      code.wholeHeads = dropout.shard.whole[pd::headOfAttention];
      code.wholeQueries = dropout.shard.whole[pd::rowOfAttention];
    }
    return code;
  }

  AttentionGradient::Tensors gradientTensors() {
    AttentionGradient::Tensors tensors;
    auto read = [&](auto gradient) {
      tensors.statistics = {memoryOf(gradient.getMaximum()), memoryOf(gradient.getSum())};
      tensors.delta = memoryOf(gradient.getDelta());
    };
    if (auto ofQueries = dyn_cast<pd::FusedAttentionQGradOp>(op.getOperation())) {
      read(ofQueries);
      tensors.byScores = stored(destinationOf(ofQueries.getQGrad()), op.getQPermutation());
    } else if (auto ofScores = dyn_cast<pd::FusedAttentionScoreGradOp>(op.getOperation())) {
      read(ofScores);
      tensors.ofScores = stored(destinationOf(ofScores.getScoreGrad()), {});
    } else {
      auto ofKeys = cast<pd::FusedAttentionKvGradOp>(op.getOperation());
      read(ofKeys);
      tensors.byScores = stored(destinationOf(ofKeys.getKGrad()), op.getKPermutation());
      tensors.byValues = stored(destinationOf(ofKeys.getVGrad()), op.getVPermutation());
    }
    return tensors;
  }
};

struct LowerAttention : impl::LowerAttentionBase<LowerAttention> {
  using LowerAttentionBase::LowerAttentionBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerAttentionBase::getDependentDialects(registry);
    registry.insert<rt::RtDialect>();
  }

  LogicalResult lower(func::FuncOp kernel, Operation *op) {
    if (auto paged = dyn_cast<pd::PagedAttentionOp>(op))
      return lowerPagedAttention(kernel, paged, getOperation());
    OpBuilder builder(&getContext());
    return AttentionKernel(kernel, cast<pd::FusedAttentionOpInterface>(op), builder).lower(getOperation());
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (attentionOf(function))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (failed(lower(kernel, attentionOf(kernel))))
        signalPassFailure();
  }
};

} // namespace
} // namespace proa
