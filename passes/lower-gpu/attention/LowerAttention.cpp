// A kernel that is an attention or a gradient of it becomes the code of one thread: see Passes.td.
#include "dialects/pd/ops/attention/FusedAttentionFormula.h"
#include "dialects/rt/Rt.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/KernelSignature.h"
#include "passes/kernels/ShapeFunction.h"
#include "passes/lower-gpu/Passes.h"
#include "passes/lower-gpu/attention/AttentionDims.h"
#include "passes/lower-gpu/attention/AttentionGradient.h"
#include "passes/lower-gpu/attention/AttentionKernel.h"
#include "passes/lower-gpu/attention/AttentionThreads.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace proa {
#define GEN_PASS_DEF_LOWERATTENTION
#include "passes/lower-gpu/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// A kernel before its body is replaced.
class AttentionKernel {
public:
  AttentionKernel(func::FuncOp kernel, proa::pd::FusedAttentionOpInterface op)
      : kernel(kernel), op(op), b(kernel.getContext()) {}

  LogicalResult lower(ModuleOp module) {
    FailureOr<proa::AttentionChoice> read = proa::AttentionChoice::read(op);
    if (failed(read) || failed(proa::verifyNotReferenced(kernel, module)))
      return failure();
    choice = *read;
    proa::setWork(kernel, tiles(), cast<proa::pd::DeviceKernelOpInterface>(op.getOperation()));
    if (failed(addShapeFunction()))
      return failure();
    proa::addAttentionDimChecks(kernel, op);
    Operation *terminator = kernel.getBody().front().getTerminator();
    SmallVector<Value> results(terminator->getOperands());
    proa::KernelSignature signature = proa::changeSignature(kernel);
    terminator->setOperands({});
    b.setInsertionPoint(op);
    return replaceBody(signature, results);
  }

private:
  func::FuncOp kernel;
  proa::pd::FusedAttentionOpInterface op;
  IRRewriter b;
  proa::AttentionChoice choice;

  ArrayRef<int64_t> shapeOf(Value value) const { return cast<ShapedType>(value.getType()).getShape(); }

  /// The sizes of a tensor in the order [batch, heads, rows, elements].
  SmallVector<int64_t> orderedShape(Value tensor, ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> shape;
    for (int64_t dim : proa::pd::attentionDims(permutation))
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
    if (auto scores = dyn_cast<proa::pd::FusedAttentionScoreGradOp>(op.getOperation())) {
      ArrayRef<int64_t> shape = shapeOf(scores.getScoreGrad());
      return shape[proa::batchDim] * shape[proa::headDim] * count(shape[proa::rowDim], choice.queries) *
             count(shape[proa::elementDim], choice.keys);
    }
    SmallVector<int64_t> own = orderedShape(owned().first, owned().second);
    return ShapedType::isDynamicShape(own)
               ? ShapedType::kDynamic
               : own[proa::batchDim] * own[proa::headDim] * count(own[proa::rowDim], choice.rows());
  }

  /// The operand that gives a dynamic dim of a result, its permutation, and which of its dims in order does.
  std::tuple<Value, ArrayRef<int64_t>, unsigned> sourceOf(Value result, unsigned dim) {
    auto positionIn = [&](ArrayRef<int64_t> permutation) {
      SmallVector<int64_t> dims = proa::pd::attentionDims(permutation);
      return static_cast<unsigned>(llvm::find(dims, static_cast<int64_t>(dim)) - dims.begin());
    };
    if (auto attention = dyn_cast<proa::pd::FusedAttentionOp>(op.getOperation()))
      return {op.getQ(), op.getQPermutation(),
              result == attention.getOut() ? positionIn(op.getOutPermutation()) : dim};
    if (auto values = dyn_cast<proa::pd::FusedAttentionKvGradOp>(op.getOperation());
        values && result == values.getVGrad())
      return {op.getV(), op.getVPermutation(), positionIn(op.getVPermutation())};
    return {owned().first, owned().second, positionIn(owned().second)};
  }

  /// `@NAME_shape` for results with dynamic dims, which are dims of the operands.
  LogicalResult addShapeFunction() {
    auto isDynamic = [](Type type) { return !cast<ShapedType>(type).hasStaticShape(); };
    if (llvm::none_of(kernel.getResultTypes(), isDynamic))
      return success();
    if (failed(proa::nameOfShapeFunction(kernel)))
      return failure();
    OpBuilder::InsertionGuard guard(b);
    SmallVector<std::pair<Value, int64_t>> dims; ///< the parameters, as dims of arguments
    for (BlockArgument argument : kernel.getArguments())
      for (auto [dim, size] : llvm::enumerate(shapeOf(argument)))
        if (ShapedType::isDynamic(size))
          dims.emplace_back(argument, static_cast<int64_t>(dim));
    func::FuncOp shape = proa::createShapeFunction(b, kernel, dims.size());
    auto sizeOf = [&](Value tensor, ArrayRef<int64_t> permutation, unsigned dim) -> OpFoldResult {
      int64_t own = proa::pd::attentionDims(permutation)[dim];
      if (int64_t size = shapeOf(tensor)[static_cast<size_t>(own)]; !ShapedType::isDynamic(size))
        return b.getIndexAttr(size);
      auto *found = llvm::find(dims, std::pair<Value, int64_t>(tensor, own));
      return shape.getArgument(static_cast<unsigned>(found - dims.begin()));
    };
    SmallVector<Value> results;
    auto add = [&](OpFoldResult size) {
      results.push_back(getValueOrCreateConstantIndexOp(b, kernel.getLoc(), size));
    };
    for (Value result : kernel.getBody().front().getTerminator()->getOperands())
      for (auto [dim, size] : llvm::enumerate(shapeOf(result)))
        if (ShapedType::isDynamic(size)) {
          auto [tensor, permutation, at] = sourceOf(result, static_cast<unsigned>(dim));
          add(sizeOf(tensor, permutation, at));
        }
    AffineExpr count =
        b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1) * b.getAffineSymbolExpr(2).ceilDiv(choice.rows());
    SmallVector<OpFoldResult> own;
    for (unsigned dim = 0; dim < 3; ++dim)
      own.push_back(sizeOf(owned().first, owned().second, dim));
    add(affine::makeComposedFoldedAffineApply(b, kernel.getLoc(), count, own));
    proa::setShapes(shape, results);
    return success();
  }

  proa::AttentionTensor tensorOf(Value memory, ArrayRef<int64_t> permutation) {
    return proa::attentionTensorOf(b, op.getLoc(), memory, proa::pd::attentionDims(permutation));
  }

  proa::AttentionTensor resultOf(Value result, ArrayRef<int64_t> permutation,
                                 const proa::KernelSignature &signature, ArrayRef<Value> results) {
    Value memory = proa::destinationOf(result, signature, results);
    return memory ? tensorOf(memory, permutation) : proa::AttentionTensor();
  }

  LogicalResult replaceBody(const proa::KernelSignature &signature, ArrayRef<Value> results) {
    Location loc = op.getLoc();
    auto windows = proa::pd::AttentionOperands::of(op);
    proa::AttentionCode::Operands operands{proa::memoryOf(op.getMask()),
                                           proa::memoryOf(op.getKeyMask()),
                                           proa::memoryOf(op.getKeyLengths()),
                                           op.getScale().convertToDouble(),
                                           op.getMaskFill().convertToDouble(),
                                           op.getSoftCap().convertToDouble(),
                                           windows.left,
                                           windows.right,
                                           dropout()};
    Value thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
    proa::AttentionSite site{b,
                             loc,
                             kernel,
                             tensorOf(proa::memoryOf(op.getQ()), op.getQPermutation()),
                             tensorOf(proa::memoryOf(op.getK()), op.getKPermutation()),
                             tensorOf(proa::memoryOf(op.getV()), op.getVPermutation()),
                             {},
                             choice,
                             getElementTypeOrSelf(op.getQ().getType()),
                             thread};
    if (auto attention = dyn_cast<proa::pd::FusedAttentionOp>(op.getOperation())) {
      site.out = resultOf(attention.getOut(), op.getOutPermutation(), signature, results);
      proa::AttentionCode::Statistics statistics{
          proa::destinationOf(attention.getMaximum(), signature, results),
          proa::destinationOf(attention.getSum(), signature, results)};
      FailureOr<std::unique_ptr<proa::AttentionTile>> tile = tileOf(site);
      if (failed(tile))
        return failure();
      proa::AttentionThreads threads(site, **tile, operands, statistics);
      overTiles(threads, **tile, signature);
    } else {
      site.outGradient = tensorOf(proa::memoryOf(op.getOutGrad()), op.getOutPermutation());
      proa::AttentionGradient::Tensors tensors = gradientTensors(signature, results);
      FailureOr<std::unique_ptr<proa::AttentionTile>> tile = tileOf(site);
      if (failed(tile))
        return failure();
      proa::AttentionGradient gradient(site, **tile, operands, tensors);
      overTiles(gradient, **tile, signature);
    }
    proa::finishKernel(kernel, op, choice);
    return success();
  }

  /// The loops of the threads of a block over its tiles: of each role, where roles have registers of their
  /// own, or else of all together, which takes fewer registers.
  template <class Code>
  void overTiles(Code &code, proa::AttentionTile &tile, const proa::KernelSignature &signature) {
    auto over = [&](auto body) {
      OpBuilder::InsertionGuard guard(b);
      proa::overRows(b, op.getLoc(), signature, body);
    };
    if (choice.exchangesRegisters())
      tile.assignRoles([&] { over([&](Value row) { code.build(row); }); },
                       [&] { over([&](Value row) { code.copy(row); }); });
    else
      over([&](Value row) { tile.assignRoles([&] { code.build(row); }, [&] { code.copy(row); }); });
  }

  proa::AttentionDropout::Dropout dropout() {
    if (!op.getDropoutCall())
      return {};
    auto dropout = proa::pd::WeightDropout::of(op);
    proa::AttentionDropout::Dropout code{proa::memoryOf(dropout.call), dropout.p, dropout.factor()};
    if (!dropout.shard.whole.empty()) {
      code.begin = proa::memoryOf(dropout.shard.begin);
      code.wholeHeads = dropout.shard.whole[proa::pd::headOfAttention];
      code.wholeQueries = dropout.shard.whole[proa::pd::rowOfAttention];
    }
    return code;
  }

  proa::AttentionGradient::Tensors gradientTensors(const proa::KernelSignature &signature,
                                                   ArrayRef<Value> results) {
    auto common = [&](auto gradient) {
      proa::AttentionGradient::Tensors tensors;
      tensors.statistics = {proa::memoryOf(gradient.getMaximum()), proa::memoryOf(gradient.getSum())};
      tensors.delta = proa::memoryOf(gradient.getDelta());
      return tensors;
    };
    if (auto gradient = dyn_cast<proa::pd::FusedAttentionQGradOp>(op.getOperation())) {
      proa::AttentionGradient::Tensors tensors = common(gradient);
      tensors.byScores = resultOf(gradient.getQGrad(), op.getQPermutation(), signature, results);
      return tensors;
    }
    if (auto gradient = dyn_cast<proa::pd::FusedAttentionScoreGradOp>(op.getOperation())) {
      proa::AttentionGradient::Tensors tensors = common(gradient);
      tensors.ofScores = resultOf(gradient.getScoreGrad(), {}, signature, results);
      return tensors;
    }
    auto gradient = cast<proa::pd::FusedAttentionKvGradOp>(op.getOperation());
    proa::AttentionGradient::Tensors tensors = common(gradient);
    tensors.byScores = resultOf(gradient.getKGrad(), op.getKPermutation(), signature, results);
    tensors.byValues = resultOf(gradient.getVGrad(), op.getVPermutation(), signature, results);
    return tensors;
  }

  static FailureOr<std::unique_ptr<proa::AttentionTile>> tileOf(const proa::AttentionSite &site) {
    FailureOr<std::unique_ptr<proa::AttentionTile>> tile = proa::makeAttentionTile(site);
    if (succeeded(tile))
      (*tile)->prepare();
    return tile;
  }
};

struct LowerAttention : proa::impl::LowerAttentionBase<LowerAttention> {
  using LowerAttentionBase::LowerAttentionBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerAttentionBase::getDependentDialects(registry);
    registry.insert<proa::rt::RtDialect>();
  }

  LogicalResult lower(func::FuncOp kernel, Operation *op) {
    if (auto paged = dyn_cast<proa::pd::PagedAttentionOp>(op))
      return proa::lowerPagedAttention(kernel, paged, getOperation());
    return AttentionKernel(kernel, cast<proa::pd::FusedAttentionOpInterface>(op)).lower(getOperation());
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (proa::attentionOf(function))
        kernels.push_back(function);
    for (func::FuncOp kernel : kernels)
      if (failed(lower(kernel, proa::attentionOf(kernel))))
        signalPassFailure();
  }
};

} // namespace
