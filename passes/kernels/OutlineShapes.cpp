// Functions that compute result dims: see Passes.td.
#include "dialects/proa/Proa.h"
#include "passes/analysis/KernelAttributes.h"
#include "passes/kernels/DimensionClasses.h"
#include "passes/kernels/KernelForm.h"
#include "passes/kernels/Passes.h"
#include "passes/kernels/RowSpace.h"
#include "passes/kernels/ShapeFunction.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace proa {
#define GEN_PASS_DEF_OUTLINESHAPES
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

bool isDynamic(Type type) { return !cast<ShapedType>(type).hasStaticShape(); }

struct OutlineShapes : proa::impl::OutlineShapesBase<OutlineShapes> {
  using OutlineShapesBase::OutlineShapesBase;

  /// Number of rows of `function`, computed before its terminator.
  static OpFoldResult numberOfRows(func::FuncOp function, const proa::RowSpace &space) {
    Operation *terminator = function.getBody().front().getTerminator();
    OpBuilder builder(terminator);
    Location loc = function.getLoc();
    OpFoldResult rows = builder.getIndexAttr(1);
    AffineExpr product = builder.getAffineSymbolExpr(0) * builder.getAffineSymbolExpr(1);
    for (auto [row, tile] : llvm::enumerate(space.tiles)) {
      auto [result, dim] = space.where(row);
      SmallVector<Operation *> reshapes;
      Value root = proa::peelReshapes(terminator->getOperand(result), reshapes);
      OpFoldResult count = proa::tileCount(builder, loc, tensor::getMixedSize(builder, loc, root, dim), tile);
      rows = affine::makeComposedFoldedAffineApply(builder, loc, product, {rows, count});
    }
    return rows;
  }

  /// Dims do not depend on checks. Ops without effects are then unused, and removed.
  static void dropIndexChecks(func::FuncOp function) {
    function.walk([](memref::AtomicRMWOp op) {
      if (op.use_empty())
        op.erase();
    });
    function->removeAttr(proa::indexChecksAttribute);
  }

  /// Replaces the returned values of `function` by the dims of results and the number of rows.
  static void returnDims(func::FuncOp function, const proa::RowSpace &space) {
    Operation *terminator = function.getBody().front().getTerminator();
    OpBuilder builder(terminator);
    Location loc = function.getLoc();
    SmallVector<Value> dims;
    for (Value result : terminator->getOperands())
      for (auto [dim, size] : llvm::enumerate(cast<ShapedType>(result.getType()).getShape()))
        if (ShapedType::isDynamic(size))
          dims.push_back(tensor::DimOp::create(builder, loc, result, dim));
    dims.push_back(getValueOrCreateConstantIndexOp(builder, loc, numberOfRows(function, space)));
    terminator->setOperands(dims);
  }

  LogicalResult resolve(func::FuncOp function) {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    tensor::DimOp::getCanonicalizationPatterns(patterns, context);
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    return applyPatternsGreedily(function, std::move(patterns));
  }

  /// Replaces tensor arguments by their dynamic dims.
  LogicalResult replaceArguments(func::FuncOp function) {
    Block &body = function.getBody().front();
    unsigned numTensors = body.getNumArguments();
    SmallVector<SmallVector<Value>> dims(numTensors);
    for (unsigned i = 0; i < numTensors; ++i)
      for (int64_t size : cast<ShapedType>(body.getArgument(i).getType()).getShape())
        dims[i].push_back(ShapedType::isDynamic(size)
                              ? body.addArgument(IndexType::get(&getContext()), function.getLoc())
                              : Value());
    for (unsigned i = 0; i < numTensors; ++i)
      for (Operation *user : llvm::make_early_inc_range(body.getArgument(i).getUsers())) {
        auto dim = dyn_cast<tensor::DimOp>(user);
        std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
        if (!index || static_cast<uint64_t>(*index) >= dims[i].size())
          return user->emitError() << "the shape of a result of kernel '" << function.getName()
                                   << "' depends on more than the shapes of its arguments";
        dim.replaceAllUsesWith(dims[i][*index]);
        dim.erase();
      }
    body.eraseArguments(0, numTensors);
    function.setType(
        FunctionType::get(&getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
    return success();
  }

  void setRows(func::FuncOp function, const proa::RowSpace &space) {
    std::optional<int64_t> rows = getConstantIntValue(numberOfRows(function, space));
    proa::RowsAttr::orEmpty(function).withCount(rows.value_or(ShapedType::kDynamic)).setOn(function);
  }

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels = proa::kernelsOf(getOperation());
    bool isCorrect = true;
    for (func::FuncOp kernel : kernels)
      isCorrect &= succeeded(proa::verifyTensorKernel(kernel));
    if (!isCorrect)
      return signalPassFailure();
    for (func::FuncOp kernel : kernels) {
      FailureOr<proa::RowSpace> space = proa::RowSpace::read(kernel);
      if (failed(space))
        return signalPassFailure();
      setRows(kernel, *space);
      if (llvm::none_of(kernel.getResultTypes(), isDynamic))
        continue;
      FailureOr<std::string> name = proa::nameOfShapeFunction(kernel);
      if (failed(name))
        return signalPassFailure();
      OpBuilder builder(kernel);
      builder.setInsertionPointAfter(kernel);
      auto shape = cast<func::FuncOp>(builder.clone(*kernel));
      shape.setName(*name);
      shape->removeAttr(proa::kernelAttribute);
      shape->removeAttr(proa::rowsAttribute);
      shape.setArgAttrsAttr(ArrayAttr());
      shape.setResAttrsAttr(ArrayAttr());
      dropIndexChecks(shape);
      returnDims(shape, *space);
      if (failed(resolve(shape)) || failed(replaceArguments(shape)))
        return signalPassFailure();
    }
  }
};

} // namespace
