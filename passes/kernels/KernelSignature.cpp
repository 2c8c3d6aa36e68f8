#include "passes/kernels/KernelSignature.h"

#include "passes/kernels/DimensionClasses.h"
#include "passes/kernels/KernelForm.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace proa {
MemRefType boundaryType(RankedTensorType type) {
  if (type.hasStaticShape())
    return MemRefType::get(type.getShape(), type.getElementType());
  return MemRefType::get({}, type.getElementType());
}

Value withShape(OpBuilder &builder, Location loc, Value base, RankedTensorType type, ArrayRef<Value> &dims) {
  if (type.hasStaticShape())
    return base;
  SmallVector<OpFoldResult> sizes, strides(type.getRank());
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(builder.getIndexAttr(size));
      continue;
    }
    sizes.push_back(dims.front());
    dims = dims.drop_front();
  }
  OpFoldResult stride = builder.getIndexAttr(1);
  AffineExpr product = builder.getAffineSymbolExpr(0) * builder.getAffineSymbolExpr(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride = affine::makeComposedFoldedAffineApply(builder, loc, product, {stride, sizes[dim]});
  }
  auto shaped = MemRefType::get(type.getShape(), type.getElementType());
  return memref::ReinterpretCastOp::create(builder, loc, shaped, base, builder.getIndexAttr(0), sizes,
                                           strides);
}

namespace {

/// For each dynamic dim of the arguments and results of `function`, in order, its class of equal sizes, and
/// the size of the classes that have a known one.
struct KnownSizes {
  explicit KnownSizes(func::FuncOp function) {
    DimensionClasses classes(function, DimensionClasses::Kind::Sizes);
    auto visit = [&](Value value, bool isBoundary) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type)
        return;
      for (auto [dimensionClass, size] : llvm::zip(classes.of(value), type.getShape())) {
        if (!ShapedType::isDynamic(size))
          sizeOfClass[dimensionClass] = size;
        else if (isBoundary)
          classOfDim.push_back(dimensionClass);
      }
    };
    for (BlockArgument argument : function.getArguments())
      visit(argument, true);
    for (Value result : function.getBody().front().getTerminator()->getOperands())
      visit(result, true);
    for (Operation &op : function.getBody().front())
      for (Value result : op.getResults())
        visit(result, false);
  }

  SmallVector<unsigned> classOfDim;
  llvm::DenseMap<unsigned, int64_t> sizeOfClass;
};

/// Dims that must be equal become one value, or a constant: equal sizes that look different cost duplicate
/// operations.
SmallVector<Value> unifyDims(OpBuilder &builder, Location loc, const KnownSizes &known,
                             ArrayRef<Value> dims) {
  llvm::DenseMap<unsigned, Value> valueOfClass;
  SmallVector<Value> unified;
  for (auto [dim, dimensionClass] : llvm::zip(dims, known.classOfDim)) {
    Value &value = valueOfClass[dimensionClass];
    auto size = known.sizeOfClass.find(dimensionClass);
    if (!value)
      value =
          size == known.sizeOfClass.end() ? dim : arith::ConstantIndexOp::create(builder, loc, size->second);
    unified.push_back(value);
  }
  return unified;
}

} // namespace

KernelSignature changeSignature(func::FuncOp function) {
  KernelSignature signature;
  Block &body = function.getBody().front();
  Location loc = function.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  bool hasChecks = hasIndexChecks(function);
  unsigned numArguments = body.getNumArguments(), numInputs = numArguments - (hasChecks ? 1 : 0);
  KnownSizes known(function);
  SmallVector<RankedTensorType> types;
  for (BlockArgument argument : body.getArguments().take_front(numInputs))
    types.push_back(cast<RankedTensorType>(argument.getType()));
  for (Type type : body.getTerminator()->getOperandTypes())
    types.push_back(cast<RankedTensorType>(type));

  SmallVector<Value> bases, dimArguments;
  for (RankedTensorType type : types)
    bases.push_back(body.addArgument(boundaryType(type), loc));
  for (RankedTensorType type : types)
    for (unsigned i = 0; i < type.getNumDynamicDims(); ++i)
      dimArguments.push_back(body.addArgument(builder.getIndexType(), loc));
  if (hasChecks) {
    BlockArgument words = body.getArgument(numInputs);
    words.replaceAllUsesWith(body.addArgument(words.getType(), loc));
  }
  signature.begin = body.addArgument(builder.getIndexType(), loc);
  signature.end = body.addArgument(builder.getIndexType(), loc);

  SmallVector<Value> unified = unifyDims(builder, loc, known, dimArguments);
  ArrayRef<Value> dims = unified;
  for (auto [i, base] : llvm::enumerate(bases)) {
    Value memory = withShape(builder, loc, base, types[i], dims);
    if (i >= numInputs) {
      signature.destinations.push_back(memory);
      continue;
    }
    auto tensor = bufferization::ToTensorOp::create(builder, loc, types[i], memory, /*restrict=*/true);
    body.getArgument(i).replaceAllUsesWith(tensor.getResult());
  }
  body.eraseArguments(0, numArguments);
  function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(), {}));
  function.setArgAttrsAttr(ArrayAttr());
  function.setResAttrsAttr(ArrayAttr());
  for (unsigned i = 0; i < bases.size(); ++i)
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
  return signature;
}

} // namespace proa
